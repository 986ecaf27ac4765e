# Every target makes its own .venv; python3 and make are all a machine needs.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo quick types units test explore browser test-frameworks bench bench-table docs picture wheel release fuzz fix clean

demo: .venv/foveal
	$(BIN)/foveal demo foveal-demo

# Every test process has a core; linear algebra that starts more threads only waits for one.
quick test: export OPENBLAS_NUM_THREADS = 1
# So do Polars' own threads; tests of the second stage keep them, as users have them.
units: export POLARS_MAX_THREADS = 1
# Modules that were compiled once start every later process sooner.
quick test: export PYTHONDONTWRITEBYTECODE =

PYTEST = $(BIN)/pytest -q --dist worksteal
QUICK = tests/architecture tests/docs tests/unit
REST = $(filter-out $(QUICK:%=%/) tests/__pycache__/,$(wildcard tests/*/))
# Some tests in the folders of the first stage are slow, and so belong to the second.
SLOW = $(shell grep -rl --include='test_*.py' 'mark.slow' $(QUICK))

# One more than cores: every second one begins with tests that wait for a browser (tests/turns.py).
PROCESSES = $(shell $(BIN)/python -c 'import os; print(1 + len(os.sched_getaffinity(0)))')

ifdef ROOM
# After an edit of a room, what mirrors it: its own tests, and those of laws, oracles and commands by name.
SOURCE = $(wildcard src/foveal/$(ROOM) src/foveal/$(ROOM).py)
MIRROR = $(wildcard tests/$(ROOM) tests/unit/$(ROOM) tests/*/test_$(ROOM)*.py)
quick: .venv/tools
	$(if $(SOURCE),,$(error there is no room src/foveal/$(ROOM)))
	$(BIN)/ruff check $(SOURCE) $(MIRROR)
	$(BIN)/ruff format --check $(SOURCE) $(MIRROR)
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy $(SOURCE)
	$(if $(MIRROR),$(PYTEST) -n auto -m "not slow" $(MIRROR))
else
# Types are checked by one process, so the tests of units run beside it.
quick: .venv/tools
	@echo "Stage 1 of 2: lint, types, room order, unit tests, documentation"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	@$(MAKE) --no-print-directory --jobs=2 types units
endif

types: .venv/tools
	$(BIN)/mypy

units: .venv/tools
	$(PYTEST) -n auto $(QUICK) -m quick

test: quick browser
	@echo "Stage 2 of 2: laws, oracles, golden numbers, commands, pages in a browser"
	$(PYTEST) -n $(PROCESSES) -m "not quick" $(REST) $(SLOW)

# New examples for every test that draws some, in turns; what fails becomes a test of its own.
MINUTES = 60
explore: export OPENBLAS_NUM_THREADS = 1
explore: export POLARS_MAX_THREADS = 1
explore: .venv/tools
	$(BIN)/python -m tools.explore $(MINUTES)

# Pages are tested in a real browser, which root can install where there is apt-get.
APT = DEBIAN_FRONTEND=noninteractive apt-get -qq
browser:
	@for name in chromium-headless-shell chromium chromium-browser google-chrome; do command -v $$name > /dev/null && exit 0; done; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
	    echo "Installing chromium for the tests of pages"; \
	    $(APT) update > /dev/null; \
	    for name in chromium-headless-shell chromium; do \
	      $(APT) install --yes --no-install-recommends $$name > /dev/null && exit 0; \
	    done; \
	  fi; \
	  echo "No chromium here, and it cannot be installed: the tests of pages are skipped"

# LangChain, LlamaIndex, Haystack and Chonkie for real; -W: their warnings are not ours; -rP shows the
# figures that tests print.
test-frameworks: export HAYSTACK_TELEMETRY_ENABLED = False
test-frameworks: .venv/frameworks/ready
	.venv/frameworks/bin/pytest -q -p no:logging -rP -W default tests/frameworks

docs: .venv/tools
	$(BIN)/python -m tools.completion
	$(BIN)/python -m tools.docs
	$(BIN)/python -m tools.site

# The pictures in the README and in the documentation.
picture: .venv/tools browser
	$(BIN)/python -m tools.picture

bench: .venv/tools
	$(BIN)/python -m benchmarks

# The table of peers in the README; ranx brings numba, and so has an environment of its own.
bench-table: .venv/tools .venv/ranx/ready
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m benchmarks --table

# What an older build left behind would be packed again.
wheel: .venv/foveal
	rm -rf build dist
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

# The package in dist/, built, checked, and used where nothing else is installed; nothing is uploaded.
release: .venv/release/ready
	rm -rf build dist .venv/smoke
	.venv/release/bin/python -m build --quiet
	.venv/release/bin/twine check --strict dist/*
	$(PYTHON) -m venv .venv/smoke
	.venv/smoke/bin/pip install --quiet --disable-pip-version-check dist/*.whl
	cd .venv/smoke && bin/foveal --version && bin/foveal demo demo && \
	  bin/foveal evaluate demo/demo.qrels demo/runs/passages-good.fol

# The scanners without Python, against a million mutated inputs each.
INPUTS = 1000000
SANITIZED = $(CC) -std=c11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined \
  -fno-sanitize-recover=all -Isrc/foveal/compiled
FUZZED = $(addprefix src/foveal/compiled/,keys.c layouts.c lines.c text.c)
fuzz:
	mkdir -p build
	$(SANITIZED) -o build/fuzz_scanner tools/fuzz_scanner.c $(FUZZED)
	build/fuzz_scanner $(INPUTS)
	$(SANITIZED) -o build/fuzz_elements tools/fuzz_elements.c \
	  $(addprefix src/foveal/compiled/,elements.c xml_text.c) -lexpat
	build/fuzz_elements $(INPUTS)

fix: .venv/tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv build dist src/*.egg-info src/foveal/compiled/*.so foveal-demo .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The scanner is compiled anew where its source is; a machine without a compiler does without.
.venv/foveal: pyproject.toml setup.py constraints.txt $(wildcard src/foveal/compiled/*.[ch])
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[assess,report]'
	$(BIN)/python -m compileall -q src
	touch $@

# An environment of their own: they bring some ninety packages, and no other test needs one of them.
.venv/frameworks/ready: .venv/foveal
	$(PYTHON) -m venv .venv/frameworks
	.venv/frameworks/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	.venv/frameworks/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . --group frameworks
	touch $@

.venv/ranx/ready:
	$(PYTHON) -m venv .venv/ranx
	.venv/ranx/bin/pip install --quiet --disable-pip-version-check ranx
	touch $@

.venv/release/ready: .venv/foveal
	$(PYTHON) -m venv .venv/release
	.venv/release/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	.venv/release/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --group release
	touch $@

.venv/tools: .venv/foveal
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --group dev
	touch $@
