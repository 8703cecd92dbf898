# Two commands do everything on a machine that has git, make and python3 with venv: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
# Most modules that come along are never imported: Python compiles the others when they are.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# The tests of the player want a browser, those of movies ffmpeg: fetched where that is ours to do, else skipped.
BROWSER := command -v chromium >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium ffmpeg; } >/dev/null || true

.PHONY: demo test test-slow lint docs clean

demo: $(VENV)/demo-ready
	$(BIN)/banquise demo

# A failing lint must not hide a failing test from the reader: lint is fast and comes first.
test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --no-loadscope-reorder
	$(MAKE) docs

test-slow: $(VENV)/ready
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/ready
	$(BIN)/ruff check src tests examples docs
	$(BIN)/ruff format --check src tests examples docs
	$(BIN)/codespell src tests examples docs README.md CHANGELOG.md CONTRIBUTING.md
	$(BIN)/lint-imports
	$(BIN)/mypy

docs: $(VENV)/ready
	$(BIN)/python -m sphinx -q -W -j $(WORKERS) -b html docs docs/_build/html

$(VENV)/demo-ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e ".[plot]"
	touch $@

$(VENV)/ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e ".[plot,fracture,docs,test,browser]"
	$(BROWSER)
	touch $@ $(VENV)/demo-ready

clean:
	rm -rf $(VENV) docs/_build .mypy_cache .ruff_cache .pytest_cache
