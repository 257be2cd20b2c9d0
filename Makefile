# The developer's loop. `make setup` once, then `make check test`; `make bench` prints what we promise about speed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# One more than two processors: some tests wait until a time limit is over.
PROCESSES ?= 3
SOURCES := cudamaster agents toolchain mskernelbench tests benchmarks

.PHONY: setup check test bench gpu-check format clean

setup: $(BIN)/.installed

# setuptools warns at length that an editable package is imported from this folder, which is what is wanted.
$(BIN)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal

bench: setup
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done
	$(BIN)/python -m benchmarks.virtual_gpu
	$(BIN)/python -m benchmarks.rank
	$(BIN)/python -m benchmarks.rank.sgemm

# On a machine with a GPU: five minutes, no network; GPU_CHECK="--only contract,baselines --out DIR" for parts of it.
gpu-check:
	$(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) -m benchmarks.gpu_check $(GPU_CHECK)

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
