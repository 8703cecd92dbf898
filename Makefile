# Two commands do everything on a machine that has git, make and python3 with venv: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
EXTRAS := plot,docs,test,browser
# uv installs in a fifth of the time pip takes, most of which is pip's own; where uv cannot be had, or cannot reach the index
# pip is set up for, pip does it. Most modules that come along are never imported: Python compiles the others when they are,
# and keeps that, also where the shell says otherwise: some forty processes import Numba and xarray, in half the time then.
PIP := $(BIN)/python -m pip --disable-pip-version-check
define INSTALL
test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
{ $(PIP) install --quiet --no-compile uv && UV_NATIVE_TLS=true \
	UV_DEFAULT_INDEX="$${PIP_INDEX_URL:-$$($(PIP) config get global.index-url 2>/dev/null || echo https://pypi.org/simple)}" \
	$(BIN)/uv pip install --quiet --python $(BIN)/python -e ".[$(1)]"; } || $(PIP) install --quiet --no-compile -e ".[$(1)]"
endef
unexport PYTHONDONTWRITEBYTECODE
# The tests of the player want a browser, those of movies ffmpeg: fetched where that is ours to do, else skipped.
BROWSER := command -v chromium >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium ffmpeg; } >/dev/null || true

.PHONY: demo test test-slow lint fast-tests docs fuzz soak clean
ROUNDS ?= 2000
DAYS ?= 60

demo: $(VENV)/demo-ready
	$(BIN)/banquise demo

# Lint, on one core, beside the tests; neither hides the failure of the other. The pages use the kernels compiled by then.
test: $(VENV)/ready
	$(MAKE) --no-print-directory --keep-going -j 2 lint fast-tests
	$(MAKE) --no-print-directory docs

fast-tests: $(VENV)/ready
	$(BIN)/python -m pytest -n $(WORKERS) --no-loadscope-reorder

test-slow: $(VENV)/ready
	$(BIN)/python -m pytest -m slow

# Every reader and the geometry with spoiled input, ROUNDS of each kind, always other ones; what failed is tried first the next time.
fuzz: $(VENV)/ready
	BANQUISE_FUZZ=$(ROUNDS) $(BIN)/python -m pytest -n $(WORKERS) tests/fuzz

# DAYS of storms and tides on a pack that breaks, checked for drift, leaks and overlap.
soak: $(VENV)/ready
	$(BIN)/python examples/soak.py --days $(DAYS) --picture soak.png

lint: $(VENV)/ready
	$(BIN)/ruff check src tests examples docs
	$(BIN)/ruff format --check src tests examples docs
	$(BIN)/codespell src tests examples docs README.md CHANGELOG.md CONTRIBUTING.md
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

docs: $(VENV)/ready
	$(BIN)/python -m sphinx -q -W -j $(WORKERS) -b html docs docs/_build/html

$(VENV)/demo-ready: pyproject.toml
	$(call INSTALL,plot)
	touch $@

$(VENV)/ready: pyproject.toml
	$(call INSTALL,$(EXTRAS))
	$(BROWSER)
	touch $@ $(VENV)/demo-ready

clean:
	rm -rf $(VENV) docs/_build .mypy_cache .ruff_cache .pytest_cache
