# Every target makes .venv from requirements.lock when it is missing or out of date, and only then.
PYTHON ?= python3
JOBS ?= 2
VENV := .venv
STAMP := $(VENV)/.made-from-lock
# parallel workers must name the cases of a test alike
export PYTHONHASHSEED := 0
RUN := $(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help figures full test check types written notebooks docs lab bench authors lowest dist accept clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

figures: $(STAMP)  ## draw the figures and measure the claims of the papers again (heavy tables are read from figures/)
	$(VENV)/bin/reject-nb reproduce --jobs $(JOBS)

full: $(STAMP)  ## the same with all heavy tables computed again; takes long
	$(VENV)/bin/reject-nb reproduce --full

test: $(STAMP)  ## run the tests of the notebooks and of the repository (SLOW=1: also the slow ones)
	$(RUN) -m pytest -n $(JOBS) $(if $(SLOW),-m "slow or not slow")

check: $(STAMP)  ## what CI runs: ruff, nbdev's commands, mypy, all notebooks with their tests and outputs, the tests of the repository
	$(RUN) -m ruff check
	@was=$$(git diff -- nbs reject_nb | cksum); $(VENV)/bin/nbdev_export && $(VENV)/bin/nbdev_clean && \
	test "$$was" = "$$(git diff -- nbs reject_nb | cksum)" || { echo "nbdev_export or nbdev_clean has changed files: see git diff"; exit 1; }
	$(MAKE) --no-print-directory -j$(JOBS) types written
	$(RUN) -m reject_nb.dev.build check
	$(RUN) -m pytest -n $(JOBS) $(filter-out $(WRITTEN),$(wildcard tests/test_*.py tests/*/test_*.py))

# what needs one core and finds most slips, both at the same time
WRITTEN := tests/test_repository.py tests/test_truth.py
types: $(STAMP)
	$(RUN) -m mypy
	$(VENV)/bin/nbdev_test --path nbs/core/01_checks.ipynb
written: $(STAMP)
	$(RUN) -m pytest $(WRITTEN)

notebooks: $(STAMP)  ## export, run all notebooks and keep their outputs, then pages and README
	$(RUN) -m reject_nb.dev.build notebooks

docs: $(STAMP)  ## build the site in _docs/_build/html
	$(RUN) -m reject_nb.dev.build docs

bench: $(STAMP)  ## measure the benchmarks again
	$(RUN) -m reject_nb.dev.build bench

authors: $(STAMP)  ## run the authors' programs again (TABLE=gpc/figure6: one table); needs Octave and REJECT_NB_AUTHORS, see nbs/dev/07_authors.ipynb
	$(RUN) -m reject_nb.dev.authors $(TABLE)

lowest: $(STAMP)  ## run the tests with the lowest versions that pyproject.toml allows, in .venv-lowest
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest --resolution lowest-direct -e '.[dev,data,frames]'
	.venv-lowest/bin/python -m pytest -n $(JOBS)

dist: $(STAMP)  ## build sdist and wheel in dist/ and check what they say of themselves
	rm -rf dist
	$(RUN) -m pip install --quiet --disable-pip-version-check twine
	$(RUN) -m build --no-isolation
	$(RUN) -m twine check --strict dist/*

accept: $(STAMP)  ## let the claims of figures/ be those that ship with the package, after a look at what moved
	$(RUN) -m reject_nb.dev.reproduce --accept

lab: $(STAMP)  ## open the notebooks in JupyterLab, at the first page
	$(VENV)/bin/jupyter lab --LabApp.default_url=/lab/tree/nbs/index.ipynb

clean:  ## remove the environments and the site
	rm -rf $(VENV) .venv-lowest _docs

$(STAMP): requirements.lock pyproject.toml settings.ini
	@$(PYTHON) -c 'import sys; sys.exit("reject_nb needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
