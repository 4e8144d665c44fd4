PYTHON ?= python3
BIN := .venv/bin
IN_PARALLEL := --numprocesses auto --dist worksteal
TARGET ?= all
SECONDS ?= 60
PYTHONS := 3.11 3.12 3.13
SCENARIO := data/examples/scenarios/order-system.toml

PLANTED = PYTHONPATH=tests $(BIN)/python -m mutation --seed $(or $(SEED),1) $(if $(PROCESSES),--processes $(PROCESSES)) $(if $(AGAIN),--again)

# the emulated line waits most of the time, and goes first when it does not
AFTER_THE_LINE := nice -n 10 $(MAKE) --no-print-directory

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
.PHONY: oracle line-beside line-again mutation faults auditfaults alternatives oldest newest licences help demo test packages setup lint types stubs format pytest unit nightly line runbooks ipynb notebooks docs links wheel pythons trials simulations accuracy speed fuzz hostruns comparisons bench lock clean numerics

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## a first look: installs what netmodel needs into .venv, runs netmodel demo, writes a report
	@.ci/venv $(PYTHON) .venv requirements/demo.txt
	@$(BIN)/netmodel demo
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

stubs: setup ## renew the type stubs of the formulas
	@$(BIN)/python tests/stubs.py

format: setup ## let ruff format and mend what it can
	@$(BIN)/python -m ruff check --fix-only
	@$(BIN)/python -m ruff format

pytest: line unit ## every test, doctests and the emulated line included

unit: setup ## the tests without the emulated line
	@echo "== unit tests"
	@$(UNIT) --assert=plain --durations=20 $(IN_PARALLEL) || { $(EXPLAINED); exit 1; }

nightly: setup ## 20,000 damaged files for each reader, every wrong digit, line, simulated path, row of accuracy, Python, oldest and newest dependencies
	@echo "== nightly"
	@$(BIN)/python -m pytest -m nightly
	@.ci/other-pythons $(BIN)/python 3.12
	@NETMODEL_FEW_EXAMPLES= TESTS=tests/properties .ci/other-pythons $(BIN)/python 3.11 3.12 3.13
	@$(MAKE) --no-print-directory oldest newest

oldest: setup ## the plain tests with the lowest dependencies that pyproject.toml allows, on each Python; needs a package index
	@.ci/dependencies $(BIN)/python oldest $(PYTHONS)

newest: setup ## the plain tests with the newest dependencies, on each Python; needs a package index
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

links: docs ## links of the documentation to the outside; needs a network
	@$(BIN)/python tests/outside_links.py build/docs

oracle: setup ## the version in tests/oracle/base and this one, asked the same questions; PATTERN=drawn for a part
	@PYTHONPATH=tests $(BIN)/python -m oracle $(PATTERN)

wheel: setup ## build source distribution and wheel, check both, install the wheel elsewhere and use it
	@echo "== wheel"
	@.ci/wheel-check $(BIN)/python

pythons: setup ## the plain tests on the oldest and the newest Python found here
	@echo "== other pythons"
	@.ci/other-pythons $(BIN)/python 3.11 3.13

trials: setup ## how often intervals cover the truth, into docs/reference/coverage.csv
	@$(BIN)/python tests/coverage_trials.py docs/reference/coverage.csv

simulations: setup ## expected values against simulated paths, into docs/reference/simulations.csv
	@$(BIN)/python tests/expected_trials.py docs/reference/simulations.csv

fuzz: ## coverage-guided fuzzing of TARGET (all by default) for SECONDS each, findings in build/fuzz; needs a package index
	@.ci/venv $(PYTHON) .venv-fuzz requirements/fuzz.txt
	@.venv-fuzz/bin/python tests/fuzzing/fuzz.py $(TARGET) $(SECONDS) build/fuzz

auditfaults: setup ## faults planted in tables that the audit flags, into docs/reference/planted-faults.csv
	@$(BIN)/python tests/planted_faults.py docs/reference/planted-faults.csv

alternatives: setup ## netmodel beside other tools, into docs/reference/alternatives-*.csv; needs a package index
	@test -x .venv-alternatives/bin/pip || $(PYTHON) -m venv .venv-alternatives
	@.venv-alternatives/bin/python -m pip install -qq --no-compile --require-hashes -r requirements/alternatives.txt
	@$(BIN)/python -m benchmarks.alternatives .venv-alternatives/bin/python docs/reference

comparisons: setup ## every published comparison as a command, into docs/reference
	@$(BIN)/python benchmarks/comparisons.py docs/reference/comparisons.csv
	@$(BIN)/python benchmarks/cpu_ratios.py docs/reference/cpu-ratios.csv
	@$(BIN)/python -m benchmarks.protocols docs/reference/protocols.csv

mutation: setup ## planted faults that tests catch; LAYER=path COUNT=300 SEED=1, all layers without LAYER
	@$(PLANTED) $(if $(LAYER),--layer $(LAYER)) --count $(or $(COUNT),100) $(if $(CSV),--csv $(CSV))

faults: setup ## 50 planted faults of all layers, at least 49 of them caught; SEED=1
	@$(PLANTED) --faults $(or $(COUNT),50)

accuracy: setup ## errors of predictions over connections, into docs/reference/accuracy.csv
	@$(BIN)/python -m benchmarks.accuracy --csv docs/reference

numerics: setup ## digits of every formula against arithmetic of 50, into docs/reference/numerics.csv
	@$(BIN)/python tests/numerics.py docs/reference/numerics.csv

hostruns: setup ## runs of a host on the emulated line, with its CPU time, into build/host-runs (root, idle machine)
	@$(BIN)/python tests/host_runs.py build/host-runs

bench: setup ## what commands and formulas cost, in time
	@set -e; for script in benchmarks/*.py; do $(BIN)/python -m benchmarks.$$(basename $$script .py); done

speed: setup ## what commands, formulas and calibrations cost, into docs/reference/speed-*.csv
	@$(BIN)/python -m benchmarks.startup docs/reference
	@$(BIN)/python -m benchmarks.formulas docs/reference/speed-formulas.csv
	@$(BIN)/python -m benchmarks.all_formulas docs/reference/speed-all-formulas.csv
	@$(BIN)/python -m benchmarks.calibration docs/reference/speed-calibration.csv

licences: setup ## packages that netmodel and its development use, with their licences
	@$(BIN)/python docs/licence_pages.py

lock: setup ## renew requirements/ from pyproject.toml; kept pins stay
	@.ci/lock $(BIN)/python

clean: ## remove all that make made
	rm -rf .venv .venv-* build dist docs/reference/generated .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find netmodel tests -name __pycache__ -prune -exec rm -rf {} +
