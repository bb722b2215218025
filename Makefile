# The two commands of the README are `make study` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# the tests start many processes, each of which would compile the library anew where the environment forbids to keep that
export PYTHONDONTWRITEBYTECODE :=

.PHONY: study test types theory machinery long lowest browser bench docs papers api format clean

SYSTEM ?= vertical-rolling-disc two-wheeled-robot

study: $(VENV)/.installed
	@for system in $(SYSTEM); do \
	  echo "== $$system"; \
	  $(BIN)/dalembert study $$system -o $$(basename $$system .toml).html || exit 1; \
	done

# types and layers are checked while the tests run, in two processes that share nothing: one that deals the tests out to
# others would read all of them in each, and carry every answer over, which is a sixth of the time
test: $(VENV)/.installed-for-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@$(MAKE) --no-print-directory --jobs 3 theory machinery types

types:
	$(BIN)/mypy
	$(BIN)/lint-imports

# half of the work each; what is in neither list is of the second
THEORY := tests/mechanics tests/analysis tests/model tests/gallery papers

theory:
	$(BIN)/pytest $(THEORY) $(THOROUGH)

# "tests" is named: of the folders that are looked through by default pytest ignores none
machinery:
	$(BIN)/pytest tests $(THEORY:%=--ignore=%) $(THOROUGH)

# sweeps that take minutes, and every property of the tests on many more examples
long: $(VENV)/.installed-for-tests
	$(BIN)/pytest tests/long
	@$(MAKE) --no-print-directory --jobs 2 theory machinery THOROUGH=--hypothesis-profile=thorough

# the lowest versions that pyproject.toml allows, in an environment of their own; the warnings of old versions are theirs
LOWEST := .venv-lowest
lowest:
	@$(PYTHON) -m venv $(LOWEST)
	@$(LOWEST)/bin/python -m pip install --quiet uv
	@$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
	  --requirements pyproject.toml --all-extras --group dev --editable .
	$(LOWEST)/bin/python -m pytest -n 2 --dist loadfile -o filterwarnings=

# the reports in headless Chromium, which must be on the machine; without it this says so and checks nothing
browser: $(VENV)/.installed-for-browser
	$(BIN)/pytest tests/browser

# ours against SymPy, in one run each, and the time of every study; the first writes the table in docs/truth.md
bench: $(VENV)/.installed-for-tests
	$(BIN)/python bench/truth.py --write
	$(BIN)/python bench/derive.py
	$(BIN)/python bench/motion.py
	$(BIN)/python bench/repeat.py
	$(BIN)/python bench/work.py
	$(BIN)/python bench/events.py
	$(BIN)/python bench/scale.py
	$(BIN)/python -m bench.compiling
	$(BIN)/python bench/machines.py
	$(BIN)/python bench/study.py
	$(BIN)/python bench/lab.py

# the documentation as a site in build/site, with warnings as errors; a living report of each system takes minutes the first time
docs: $(VENV)/.installed-for-docs
	$(BIN)/python docs/site.py build/pages
	$(BIN)/sphinx-build --quiet --fail-on-warning build/pages build/site

# the table of all formulas of the papers, docs/papers.md, from the lists beside their tests
papers: $(VENV)/.installed-for-tests
	$(BIN)/python -m papers.refuted
	$(BIN)/python -m papers.table

# the reference of all names, docs/api.md, from the docstrings
api: $(VENV)/.installed-for-tests
	$(BIN)/python docs/api.py

format: $(VENV)/.installed-for-tests
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(LOWEST) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("dalembert needs Python 3.11 or newer; set PYTHON=..." if sys.version_info < (3, 11) else 0)'
	@echo "setting up $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade "pip >= 25.1"

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "installing dalembert ..."
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-for-tests: pyproject.toml | $(VENV)/bin/python
	@echo "installing dalembert and what its tests need ..."
	@$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-for-docs: $(VENV)/.installed
	@echo "installing what builds the site ..."
	@$(BIN)/python -m pip install --quiet --group docs
	@touch $@

$(VENV)/.installed-for-browser: $(VENV)/.installed-for-tests
	@echo "installing what drives a browser ..."
	@$(BIN)/python -m pip install --quiet --group browser
	@touch $@
