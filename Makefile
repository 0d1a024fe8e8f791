# Every target sets itself up in .venv; the second time that is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet
NATIVE := CMakeLists.txt $(shell find cpp/core cpp/bindings -name '*.[ch]pp')
SOURCES := $(shell find cpp -name '*.[ch]pp')
# What an sdist packs beside the core, without what is made from it.
PACKED := $(shell find benchmarks docs examples paper requirements src tests -type f ! -name '*.pyc' \
	! -path 'docs/_build/*' ! -path 'docs/gallery/*')

.DEFAULT_GOAL := help
.PHONY: help demo test test-rest test-all test-core test-portable test-sanitized test-engines test-oldest test-newest \
	wheels test-wheels test-wheels-whole lint format paper bench docs docs-links clean

help:  ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /: /'

$(VENV)/built: requirements/build.txt
	@test -x $(BIN)/python || (echo "making an environment in $(VENV)" && $(PYTHON) -m venv $(VENV))
	@echo "installing what builds orderless (cmake, ninja, nanobind)"
	@$(PIP) -r requirements/build.txt
	@touch $@

$(VENV)/installed: $(VENV)/built pyproject.toml $(NATIVE)
	@echo "building orderless, and installing what it needs (one to two minutes the first time)"
	@$(PIP) --no-build-isolation --config-settings=cmake.define.ORDERLESS_STRICT=ON --editable .
	@touch $@

$(VENV)/%-tools: requirements/%.txt $(VENV)/installed
	@echo "installing requirements/$*.txt (minutes the first time: some packages are large)"
	@$(PIP) -r requirements/$*.txt
	@touch $@

demo: $(VENV)/installed  ## the main job, in seconds; writes build/demo/report.html and page.html
	@echo "orderless demo: a tree, its rules, rows with unknown values, a report"
	@$(BIN)/python examples/demo.py

test: $(VENV)/test-tools  ## the quick tier: every room, in minutes
	$(BIN)/python -m pytest -q -n auto -m "not engine" --tier quick

test-rest: $(VENV)/test-tools test-core  ## what the quick tier leaves out, and the core's own tests
	$(BIN)/python -m pytest -q -n auto -m "not engine" --tier rest

test-all: test test-rest  ## all tests that need only Python and a compiler

test-core: $(VENV)/built  ## the C++ core's own tests
	@mkdir -p build
	@echo "building the core's tests (about two minutes the first time)"
	@$(BIN)/cmake -G Ninja "-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja" -S . -B build/core-tests \
		-DORDERLESS_TESTS=ON -DORDERLESS_STRICT=ON \
		-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" > build/core-tests.log 2>&1 \
		|| (cat build/core-tests.log; false)
	@$(BIN)/cmake --build build/core-tests > build/core-tests.log 2>&1 || (cat build/core-tests.log; false)
	$(BIN)/ctest --test-dir build/core-tests --output-on-failure

test-portable: $(VENV)/built  ## the same in standard C++ alone, as for a compiler that is not known
	@mkdir -p build
	@echo "building the core's tests in standard C++ (about a minute the first time)"
	@$(BIN)/cmake -G Ninja "-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja" -S . -B build/core-portable \
		-DORDERLESS_TESTS=ON -DORDERLESS_STRICT=ON -DORDERLESS_PORTABLE=ON -DORDERLESS_UNCHECKED=ON \
		-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -Wpedantic" > build/core-portable.log 2>&1 \
		|| (cat build/core-portable.log; false)
	@$(BIN)/cmake --build build/core-portable > build/core-portable.log 2>&1 \
		|| (cat build/core-portable.log; false)
	$(BIN)/ctest --test-dir build/core-portable --output-on-failure

# The compiler's own libraries come first, or they could not watch the allocations of Python.
# The machine's leaks are not ours: Python never frees what it keeps for its whole life.
test-sanitized: $(VENV)/test-tools  ## every entry of the extension, checking itself as it runs
	@mkdir -p build
	@$(BIN)/cmake -G Ninja "-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja" -S . -B build/sanitized \
		-DORDERLESS_SANITIZED=ON -DORDERLESS_STRICT=ON "-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python" \
		-DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" > build/sanitized.log 2>&1 \
		|| (cat build/sanitized.log; false)
	@$(BIN)/cmake --build build/sanitized > build/sanitized.log 2>&1 || (cat build/sanitized.log; false)
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH=tests \
		$(BIN)/python tests/sanitized.py build/sanitized/_core*.so

test-engines: $(VENV)/test-tools $(VENV)/engines-tools  ## tests that need a browser, a server, a JVM or R
	@.ci/engines
	$(BIN)/python -m pytest -q -m engine tests

# Interpreters of other versions are looked for on PATH and among pyenv's.
wheels: build/wheels/built  ## dist/: the sdist, and from it a wheel per Python, audited

build/wheels/built: $(VENV)/wheels-tools tools/wheels.py pyproject.toml $(NATIVE) $(PACKED)
	$(BIN)/python tools/wheels.py build
	@touch $@

test-wheels: wheels  ## each wheel in an empty environment without a compiler: the quick tests
	$(BIN)/python tools/wheels.py test

test-wheels-whole: wheels  ## the same with the whole suite, one Python after the other (hours)
	$(BIN)/python tools/wheels.py test --whole -n auto

test-oldest: $(VENV)/built  ## a part of the suite with the oldest versions of what orderless needs
	$(BIN)/python tools/versions.py oldest

test-newest: $(VENV)/built  ## the same with the newest
	$(BIN)/python tools/versions.py newest

lint: $(VENV)/lint-tools $(VENV)/test-tools  ## ruff, mypy strict, clang-format, clang-tidy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(SOURCES)
	@mkdir -p build
	@$(BIN)/cmake -G Ninja "-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja" -S . -B build/tidy \
		-DCMAKE_EXPORT_COMPILE_COMMANDS=ON "-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python" \
		> build/tidy.log 2>&1 || (cat build/tidy.log; false)
	ls build/tidy/CMakeFiles/orderless_core.dir/Unity/*.cxx build/tidy/CMakeFiles/_core.dir/Unity/*.cxx | \
		xargs -P 2 -n 1 $(BIN)/clang-tidy -p build/tidy --quiet

format: $(VENV)/lint-tools  ## write everything as lint wants it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(SOURCES)

# A peer that does not install here is left out, and reported as not installed.
$(VENV)/bench-tools: requirements/bench.txt $(VENV)/installed
	@$(PIP) -r requirements/bench.txt || sed 's/ *#.*//' requirements/bench.txt | grep . | \
		while read -r peer; do $(PIP) "$$peer" || echo "$$peer does not install here"; done
	@touch $@

# PyXAI alone: what it imports is in requirements/bench.txt, which says why. It may not install.
$(VENV)/bench-peers: $(VENV)/bench-tools
	@$(PIP) --no-deps pyxai==2.0.1 || echo "pyxai does not install here"
	@touch $@

paper: $(VENV)/installed  ## the paper's tables and figures, all of them in half an hour; ARGS="--quick" in one minute
	$(BIN)/python -m paper $(or $(NAMES),all) $(ARGS)

bench: $(VENV)/bench-peers  ## benchmarks against peers; prints and writes benchmarks/README.md (half an hour on a free core)
	$(BIN)/python -m benchmarks --save

docs: $(VENV)/docs-tools  ## the documentation: warnings, broken links and examples that fail are errors
	@rm -rf docs/_build/html docs/gallery  # pages and examples that are gone would stay
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check.py docs/_build/html

docs-links: $(VENV)/docs-tools  ## the documentation's links to other sites; needs the web
	$(BIN)/sphinx-build -b linkcheck -D plot_gallery=0 docs docs/_build/links

clean:  ## forget everything that was built
	rm -rf $(VENV) build dist docs/_build docs/gallery
