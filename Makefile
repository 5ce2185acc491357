# make search   set up and run the main job (DATASET=demo TRIALS=20)
# make test     set up, lint, type-check and test
PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
DATASET ?= demo
TRIALS  ?= 20

# Two files of tests at a time, in their order: the long ones, which start Ray, come first.
PARALLEL := --numprocesses 2 --dist loadfile --no-loadscope-reorder

# A folder of raw files beside the project is used when it is there.
ifneq ($(wildcard ../shared/data),)
export L2P_SEARCH_DATA ?= $(abspath ../shared/data)
endif

.PHONY: help setup search test lint test-slow faults accuracy benchmark benchmark-search benchmark-tracking growth clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile
	@echo "make accuracy   train the default configuration on all the paper's graphs (5 minutes)"
	@echo "make benchmark  speed of the engine against a plain loop over seeds"
	@echo "make benchmark-search    overhead of a search, savings of a race (45 minutes)"
	@echo "make benchmark-tracking  cost of recording a search in MLflow"
	@echo "make growth     time against K, seeds and nodes; memory of the largest graphs"
	@echo "make test-slow  the tests that take minutes"
	@echo "make faults     break everything on purpose, and show what held"

setup: $(VENV)/.ready

# Where the locked files fit, they are installed by their hashes; elsewhere versions have to do.
# torch comes before what depends on it: with the tested version there, nothing asks for CUDA.
FITS := import platform, sys; sys.exit((sys.version_info[:2], platform.system(), platform.machine(), \
	sys.implementation.name) != ((3, 11), "Linux", "x86_64", "cpython"))
$(VENV)/.ready: pyproject.toml constraints.txt requirements.lock
	$(PYTHON) -m venv $(VENV)
	if $(BIN)/python -c '$(FITS)'; then $(BIN)/pip install --quiet --disable-pip-version-check \
		--no-deps --require-hashes --requirement requirements.lock; fi
	$(BIN)/pip install --quiet --disable-pip-version-check $$(grep '^torch==' constraints.txt)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

search: setup
	$(BIN)/l2p-search --dataset $(DATASET) --trials $(TRIALS) --resume

test: setup lint
	$(BIN)/pytest -m "not slow" $(PARALLEL)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test-slow: setup
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[server]'
	$(BIN)/pytest -m "slow and not faults" $(PARALLEL)

# One at a time: they starve the machine that they run on.
faults: setup
	$(BIN)/pytest -m "" tests/faults

accuracy: setup
	$(BIN)/python benchmarks/accuracy.py

benchmark: setup
	$(BIN)/python benchmarks/engine.py

benchmark-search: setup
	$(BIN)/python benchmarks/search.py

benchmark-tracking: setup
	$(BIN)/python benchmarks/tracking.py

growth: setup
	$(BIN)/python benchmarks/growth.py --plot docs/growth.png

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
