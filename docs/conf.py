"""Sphinx settings: every page with code is executed when the docs are built, and a warning is an error."""

import importlib.util
import os
import pathlib
import sys
import tempfile

# pages show their figures; with Agg, or what the shell has set, the kernels would draw them and drop them
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"

os.environ["BANQUISE_NOTES"] = "0"  # that kernels are being compiled is no part of a page

from sphinx.util.parallel import make_chunks

import banquise

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import docstrings

# the kernels that execute the pages talk to this process alone: their warning about eavesdroppers is noise, a line a page
settings = pathlib.Path(tempfile.mkdtemp(prefix="ipython-")) / "profile_default"
settings.mkdir()
(settings / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n")
os.environ["IPYTHONDIR"] = str(settings.parent)

project = "Banquise"
author = "The Banquise developers"
copyright = "The Banquise developers"
version = release = banquise.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "jupyter_execute"]
html_theme = "pydata_sphinx_theme"
html_title = "Banquise"
html_static_path = ["_static"]
html_css_files = ["site.css"]
# Equations are drawn in the browser, by MathJax: its one file for SVG, which needs no fonts, goes with the pages, which so
# can be read without a network. Where the package that holds it is not installed, Sphinx names a server as it does by default.
offline = importlib.util.find_spec("sphinx-mathjax-offline")
if offline is not None and offline.origin is not None:
    html_static_path.append(str(pathlib.Path(offline.origin).parent / "static" / "mathjax" / "tex-svg.js"))
    mathjax_path = "tex-svg.js"
html_theme_options = {"show_toc_level": 2, "header_links_before_dropdown": 7}
html_sidebars = {name: [] for name in ("index", "getting_started", "tutorials", "api")}  # no pages below them

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 180
nb_merge_streams = True
nb_render_markdown_format = "myst"  # tables of pages made from results

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_attr_annotations = False


def deal_out(app, env, docnames):
    """Sphinx reads pages in a few lots of neighbours, a lot to a process: here each gets its share of those with code, which
    take all the time; one process had half of them to itself."""
    room = [len(lot) for lot in make_chunks(docnames, app.parallel)]
    lots = [[] for _ in room]
    for name in sorted(docnames, key=lambda name: "{code-cell}" not in env.doc2path(name).read_text(encoding="utf-8")):
        min((lot for lot, most in zip(lots, room, strict=True) if len(lot) < most), key=len).append(name)
    docnames[:] = [name for lot in lots for name in lot]


def setup(app):
    """Before napoleon, whose own is at 500."""
    app.connect("autodoc-process-docstring", docstrings.process, priority=400)
    app.connect("env-before-read-docs", deal_out)
