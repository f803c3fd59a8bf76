# Each target does its own set-up: the virtual environment, the dependencies, and Allure where npm is found.
PYTHON ?= python3
BIN := .venv/bin
PACKAGES := adapters contract features fixtures pipeline reference report steps wire
export TESTCONTAINERS_RYUK_DISABLED := true
# Tests start hundreds of processes; without byte code each of them compiles a thousand files anew. It is made before they run, for one
# of them sees to it that nothing is written next to the reference.
unexport PYTHONDONTWRITEBYTECODE

define MAKE_VENV
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Fencepost needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Say: make PYTHON=python3.12")'
@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
endef
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

# Files are given out whole, in the order of conftest.py. One worker has the real brokers, and mostly waits; the others compute.
BY_FILE := -n 3 --dist loadfile --no-loadscope-reorder

.PHONY: run test test-all lint words bench bench-check docs messages clean help

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run:  ## judge the bundled reference; results in results/reference
	@$(MAKE) --no-print-directory -j2 .venv/.run-ready node_modules/.ready
	$(BIN)/fencepost run

test: .venv/.ready lint  ## lint, then what CI runs; tests with containers are skipped where there is no Docker
	$(BIN)/python -m compileall -q fencepost $(PACKAGES)
	$(BIN)/python -m pytest $(BY_FILE)

test-all: .venv/.ready lint  ## the same, and what CI leaves out: every release of a broker asked everything, Hypothesis with 1,500 examples
	$(BIN)/python -m compileall -q fencepost $(PACKAGES)
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest $(BY_FILE) --thorough

lint: .venv/.ready  ## ruff, the words that are out, and mypy, strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/support/words.py
	@rm -rf build/typing && mkdir -p build/typing/fencepost
	@ln -sfn $(abspath $(wildcard fencepost/*)) build/typing/fencepost/
	@for package in $(PACKAGES); do ln -sfn $(CURDIR)/$$package build/typing/fencepost/$$package; done
	MYPYPATH=build/typing $(BIN)/mypy -p fencepost

words: .venv/.ready  ## note how often each word that is out is left (fixtures/words.yaml), which may only fall
	$(BIN)/python tests/support/words.py --write

bench: .venv/.ready  ## figures: scenarios played in process compared with the same with empty steps, how many sequences explore plays, how fast the served reference ends transactions, what a split loses, and what a transaction key costs
	$(BIN)/python -m benchmarks.overhead
	$(BIN)/python -m benchmarks.explore_speed
	$(BIN)/python -m benchmarks.serve
	$(BIN)/python -m benchmarks.splitting
	$(BIN)/python -m benchmarks.connect_cost

bench-check: .venv/.ready  ## figures: how fast a small history is judged in process, how fast the history checker is, and in how much memory (TIMES=10 for the ratio of two sizes)
	$(BIN)/python -m benchmarks.judge_speed
	$(BIN)/python -m benchmarks.check_speed --times $(or $(TIMES),1)

docs: RESULTS ?= $(wildcard results/*/compliance.json)
docs: .venv/.ready  ## the pages that are made from the registers and the sentences, and the site, in build/site, with all runs in results/
	@for spec in $(notdir $(patsubst %/requirements.yaml,%,$(wildcard features/*/requirements.yaml))); do $(BIN)/fencepost list --spec $$spec --format markdown >docs/$$spec.md; done
	@$(BIN)/fencepost sentences --format markdown >docs/sentences.md
	@$(BIN)/python -m fencepost.museum.museum_page >docs/museum.md
	@mkdir -p build
	@$(BIN)/fencepost run --only PIP471-36 --results build/life >build/life.log
	@$(BIN)/python -m fencepost.report.life build/life/history/PIP471-36-1-*.jsonl.gz >docs/transaction-life.svg
	@$(BIN)/fencepost run --only PIP460-17 --results build/layout >build/layout.log
	@$(BIN)/python -m fencepost.pipeline.layouts build/layout/history/PIP460-17-3-*.jsonl.gz >docs/layout-over-time.svg
	@$(BIN)/fencepost run --no-html --defect no-epoch-bump --only KIP890-061 --results build/red >build/red.log || test $$? = 1
	@cp build/red/allure-results/*-attachment.svg docs/sequence.svg
	@$(BIN)/python -m fencepost.site.matrix_picture >docs/matrix.svg
	@$(BIN)/fencepost explore --spec core --depth 2 --results build/explored >build/explored.log
	@$(BIN)/fencepost site $(RESULTS) build/explored --out build/site

messages: .venv/.ready  ## the Python code of Pulsar's commands, from wire/pulsar/messages.proto
	@mkdir -p build/messages
	$(BIN)/python -m grpc_tools.protoc -Ifencepost/wire/pulsar=wire/pulsar --python_out=build/messages --pyi_out=build/messages fencepost/wire/pulsar/messages.proto
	@cp build/messages/fencepost/wire/pulsar/messages_pb2.* wire/pulsar/

clean:  ## remove everything that the targets made
	rm -rf .venv node_modules build results *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# What a run needs, and nothing else: no Spark, no types. The packages are not compiled to bytecode here: a run imports a part of them.
.venv/.run-ready: pyproject.toml constraints.txt
	$(MAKE_VENV)
	$(INSTALL) --no-compile --editable .
	@touch $@

# What the tests need too: with it, a run has what it needs.
.venv/.ready: pyproject.toml constraints.txt
	$(MAKE_VENV)
	$(INSTALL) --editable '.[dev]'
	@touch .venv/.run-ready $@

node_modules/.ready: package.json package-lock.json
	@mkdir -p node_modules
	@if command -v npm >/dev/null; then npm ci --ignore-scripts --silent && touch $@ || echo 'npm could not install Allure; runs go on without the HTML report'; \
	else echo 'no npm: runs go on without the HTML report'; fi
