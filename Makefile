# Every target makes its own .venv; python3 and make are all a machine needs.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test bench docs fix clean

demo: .venv/foveal
	$(BIN)/foveal demo foveal-demo

# Every test process has a core; linear algebra that starts more threads only waits for one.
test: export OPENBLAS_NUM_THREADS = 1
test: .venv/tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/pytest -q -n auto -m "not slow"
	$(BIN)/pytest -q -n auto -m slow

docs: .venv/tools
	$(BIN)/python -m tools.reference

bench: .venv/tools
	$(BIN)/python -m benchmarks

fix: .venv/tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv foveal-demo .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/foveal: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	$(BIN)/python -m compileall -q src
	touch $@

.venv/tools: .venv/foveal
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --group dev
	touch $@
