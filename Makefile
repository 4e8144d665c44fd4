PYTHON ?= python3
BIN := .venv/bin
IN_PARALLEL := --numprocesses auto --dist worksteal
PYTHONS := 3.11 3.12 3.13
SCENARIO := data/examples/scenarios/order-system.toml

# the emulated line waits most of the time, and goes first when it does not
AFTER_THE_LINE := nice -n 10 $(MAKE) --no-print-directory

# text, numbers, files, records, classes, processes and commands; make nightly runs all tests
OF_EACH_PYTHON := tests/units tests/framing tests/ceilings tests/consumption tests/records \
	tests/test_numeric.py tests/test_writing.py tests/measuring/test_run.py \
	$(addprefix tests/readers/, test_results.py test_formats.py test_host_formats.py test_sysstat.py) \
	$(addprefix tests/api/, test_cases.py test_pickled_results.py) \
	$(addprefix tests/interfaces/, test_command_line.py test_wrong_values.py)

UNIT := $(BIN)/python -m pytest --quiet -m "not line and not site"

# to explain asserts is to rewrite every test: only after a failure, those that failed once more
EXPLAINED := echo "== those that failed, once more" && $(UNIT) --last-failed --last-failed-no-failures none

LINE_CACHE := .pytest_cache/line
LINE := $(BIN)/python -m pytest --quiet -m line tests/line --override-ini cache_dir=$(LINE_CACHE)

export MPLBACKEND := Agg
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE

.NOTPARALLEL:
.DEFAULT_GOAL := help
.PHONY: line-beside line-again help demo test packages setup lint types format unit nightly line runbooks ipynb notebooks docs wheel pythons bench lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## a first look: installs what netmodel needs into .venv, runs a dozen commands, writes a report
	@.ci/venv $(PYTHON) .venv requirements/demo.txt
	@.ci/demo $(CURDIR)/$(BIN)/netmodel
	@mkdir -p build
	@$(BIN)/netmodel plan $(SCENARIO) --html build/order-system.html >/dev/null
	@echo && echo "The report of that scenario, for a browser: build/order-system.html"

test: packages setup ## every check, the gate of a change
	@.ci/side-by-side "$(AFTER_THE_LINE) lint types unit pythons" "$(MAKE) --no-print-directory line-beside" \
		"$(AFTER_THE_LINE) wheel runbooks docs"
	@$(MAKE) --no-print-directory line-again
	@echo "== all checks passed"

packages: ## system tools that some tests use (root, apt)
	@echo "== system packages"
	@.ci/system-packages

setup: ## .venv with everything for development
	@.ci/venv $(PYTHON) .venv requirements/dev.txt

lint: setup ## ruff: rules and format
	@echo "== lint"
	@$(BIN)/python -m ruff check
	@$(BIN)/python -m ruff format --check

types: setup ## mypy, strict
	@echo "== types"
	@$(BIN)/python -m mypy

format: setup ## let ruff format and mend what it can
	@$(BIN)/python -m ruff check --fix-only
	@$(BIN)/python -m ruff format

unit: setup ## the tests without the emulated line; TESTS=tests/readers for some
	@echo "== unit tests"
	@$(UNIT) --assert=plain --durations=20 $(IN_PARALLEL) $(TESTS) || { $(EXPLAINED); exit 1; }

nightly: setup ## what takes hours: damaged files, simulated paths, all lines, every Python, oldest and newest dependencies; needs a package index
	@echo "== nightly"
	@$(BIN)/python -m pytest -m nightly
	@NETMODEL_MANY_EXAMPLES=1 $(UNIT) --assert=plain $(IN_PARALLEL)
	@.ci/other-pythons $(BIN)/python $(PYTHONS)
	@NETMODEL_MANY_EXAMPLES=1 NETMODEL_FEW_EXAMPLES= TESTS=tests/properties .ci/other-pythons $(BIN)/python $(PYTHONS)
	@.ci/dependencies $(BIN)/python oldest $(PYTHONS)
	@.ci/dependencies $(BIN)/python newest $(PYTHONS)

line: line-beside line-again ## real tools on an emulated line (root)

line-beside: setup # other work may fail a test, which 1 says: it is tried again when that has ended
	@echo "== tests on the emulated line"
	@$(LINE) --durations=20 || [ $$? = 1 ]

line-again: setup
	@! grep -qs true $(LINE_CACHE)/v/cache/lastfailed || { \
		echo "== tests on the emulated line that failed, once more" && $(LINE) --last-failed -rs; }

runbooks: setup ## every notebook, run from top to bottom, against the outputs kept in its .ipynb
	@echo "== notebooks"
	@$(BIN)/python tests/run_notebooks.py

ipynb: setup ## renew notebooks/*.ipynb with their outputs, from notebooks/*.md
	@$(BIN)/python tests/run_notebooks.py --write

notebooks: ## JupyterLab with the notebooks, installed on demand into .venv-lab
	@.ci/venv $(PYTHON) .venv-lab requirements/lab.txt
	@.venv-lab/bin/python -m jupyterlab --ServerApp.root_dir=$(CURDIR) \
		--LabApp.default_url=/lab/tree/notebooks $(if $(filter 0,$(shell id -u)),--allow-root) $(LAB)

docs: setup ## the documentation, into build/docs
	@echo "== docs"
	@rm -rf build/docs docs/reference/generated
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m sphinx -W --keep-going --quiet --jobs auto docs build/docs
	@$(BIN)/python -m pytest --quiet -m site tests/docs

wheel: setup ## build source distribution and wheel, check both, install the wheel elsewhere and use it
	@echo "== wheel"
	@.ci/wheel-check $(BIN)/python

pythons: setup ## what may differ between Pythons, on the oldest and the newest found here
	@echo "== other pythons"
	@TESTS="$(OF_EACH_PYTHON)" .ci/other-pythons $(BIN)/python 3.11 3.13

bench: setup ## costs of commands, formulas, calibrations, errors of auto, coverage, into docs/reference/*.csv
	@$(BIN)/python -m benchmarks.startup docs/reference
	@$(BIN)/python -m benchmarks.formulas docs/reference/speed-formulas.csv
	@$(BIN)/python -m benchmarks.calibration docs/reference/speed-calibration.csv
	@$(BIN)/python -m benchmarks.series docs/reference/series.csv
	@$(BIN)/python tools/interval_coverage.py --trials 1000 --table docs/reference/coverage.csv

lock: setup ## renew requirements/ from pyproject.toml; kept pins stay
	@.ci/lock $(BIN)/python

clean: ## remove all that make made
	rm -rf .venv .venv-* build dist docs/reference/generated .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find netmodel tests -name __pycache__ -prune -exec rm -rf {} +
