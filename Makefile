# The developer's loop. `make setup` once, then `make check test`; `make bench` prints what we promise about speed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := cudamaster agents toolchain mskernelbench tests benchmarks

.PHONY: setup check test bench format clean

setup: $(BIN)/.installed

$(BIN)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal

bench: setup
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done
	$(BIN)/python -m benchmarks.rank
	$(BIN)/python -m benchmarks.rank.sgemm

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
