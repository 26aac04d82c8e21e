# Every target makes .venv from requirements.lock when it is missing or out of date, and only then.
PYTHON ?= python3
JOBS ?= 2
VENV := .venv
STAMP := $(VENV)/.made-from-lock
# parallel workers must name the cases of a test alike
export PYTHONHASHSEED := 0
RUN := $(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help figures full test check notebooks docs lab bench mutants dist release look lowest accept contact clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

figures: $(STAMP)  ## draw the figures and measure the claims of the papers again (heavy tables are read from figures/)
	$(VENV)/bin/reject-nb reproduce --jobs $(JOBS)

full: $(STAMP)  ## the same with all heavy tables computed again; takes long
	$(VENV)/bin/reject-nb reproduce --full

test: $(STAMP)  ## run the tests (SLOW=1: also the slow ones)
	$(RUN) -m pytest -n $(JOBS) $(if $(SLOW),-m "slow or not slow")

check: $(STAMP)  ## what CI runs: everything clean, in step and running, then the tests
	$(RUN) -m reject_nb.dev.build check
	REJECT_NB_CHECKED=1 $(RUN) -m pytest -n $(JOBS)

notebooks: $(STAMP)  ## export, run all notebooks and keep their outputs, then tests and README
	$(RUN) -m reject_nb.dev.build notebooks

docs: $(STAMP)  ## build the site in _docs/_build/html
	$(RUN) -m reject_nb.dev.build docs

bench: $(STAMP)  ## measure the benchmarks again
	$(RUN) -m reject_nb.dev.build bench

mutants: $(STAMP)  ## plant N errors in a part and see whether its tests notice: make mutants ROOM=sdr N=40 SEED=1
	$(RUN) -m reject_nb.dev.mutants $(ROOM) --n $(or $(N),40) --seed $(or $(SEED),0)

dist: $(STAMP)  ## build sdist and wheel in dist/, and try the wheel in an empty environment
	$(RUN) -m reject_nb.dev.distribution

release: $(STAMP)  ## build and check all that a release needs, and stop before the upload
	$(RUN) -m reject_nb.dev.release

look: $(STAMP)  ## open the built site in Chromium: widths, formulas, sliders, axe-core (needs chromium, node and npm)
	$(RUN) -m reject_nb.dev.browser

lowest: $(STAMP)  ## run the tests with the lowest versions that pyproject.toml allows
	$(RUN) -m reject_nb.dev.lowest

accept: $(STAMP)  ## let the claims of figures/ be those that ship with the package, after a look at what moved
	$(RUN) -m reject_nb.dev.reproduce --accept

contact: $(STAMP)  ## seconds of import and of a first answer, for every module
	$(RUN) -m reject_nb.dev.first_contact

lab: $(STAMP)  ## open the notebooks in JupyterLab, at the first page
	$(VENV)/bin/jupyter lab --LabApp.default_url=/lab/tree/nbs/index.ipynb

clean:  ## remove .venv and the site
	rm -rf $(VENV) _docs

$(STAMP): requirements.lock pyproject.toml settings.ini
	@$(PYTHON) -c 'import sys; sys.exit("reject_nb needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
