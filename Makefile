# The commands that people type. CMake does the work; CMakePresets.json has the variants (dev, sanitize, bench).
#   INSTALL=no   leave the system's packages alone
.DEFAULT_GOAL := help
.PHONY: help demo page measure-page test sanitize sanitize-quick sanitize-threads coverage nightly mutants fuzz build bench bench-peers bench-check bench-python notebooks documents wheels check-wheels free-threaded aarch64 macos windows deb sbom docs format lint clean

INSTALL ?= yes
BUILD := build
SOURCES = find include src cli wasm bench tests examples python -name '*.hpp' -o -name '*.cpp'

define need
@if [ "$(INSTALL)" = yes ]; then bash tools/install_dependencies.sh $(1); fi
endef
# Other libraries, for the tests and the benchmark that compare Catena with them.
define peers
@bash tools/install_peers.sh $(BUILD)/peers $(INSTALL)
endef
# Node.js and Emscripten for the page of `catena report`, and a browser for its tests; all of them are optional.
define need_page
@if [ "$(INSTALL)" = yes ]; then bash tools/install_dependencies.sh page || echo "Without these packages there is no page, or one that does not compute."; fi
endef
# Tests that could not run are listed after the others; unless INSTALL=no they count as failures.
define run_tests
@rm -f $(2)/tests.xml; status=0; ctest $(1) --parallel $$(nproc) --test-output-truncation middle --output-junit $(abspath $(2))/tests.xml || status=$$?; \
python3 tools/not_run.py $(2)/tests.xml $(if $(filter no,$(INSTALL)),--allowed) && exit $$status
endef
# Configures once, without the tests unless `make test` has enabled them; Ninja detects later changes by itself.
define configure
@if [ ! -f $(BUILD)/build.ninja ]; then cmake --preset release -DCATENA_BUILD_TESTS=OFF; fi
endef

help:
	@echo "make demo     robots that move and compute, in one page: out/demo/index.html; torques beside reference numbers"
	@echo "make page     the page that 'catena report' fills (Node.js; Emscripten for one that computes)"
	@echo "make measure-page how fast the page of make demo opens and plays in Chromium without a graphics card"
	@echo "make test     build everything and run the tests; of the longest, a part"
	@echo "make sanitize build everything with AddressSanitizer and UndefinedBehaviorSanitizer and run the same tests"
	@echo "make sanitize-quick the program alone with these sanitizers: every command once over one robot of every kind"
	@echo "make sanitize-threads the tests of what starts threads with ThreadSanitizer"
	@echo "make coverage which lines and branches of the library the tests run: out/coverage.txt"
	@echo "make nightly  everything that takes too long for make test, stage by stage; goes on where it was broken off: docs/reliability.md"
	@echo "make mutants  change the library in small ways, one at a time, and say which changes no test notices: out/mutants.jsonl (hours)"
	@echo "make fuzz     feed the readers and every job with made-up input, SECONDS=60 for each target: docs/reliability.md"
	@echo "make build    the program $(BUILD)/catena and the libraries"
	@echo "make bench    time the formulations on this machine"
	@echo "make bench-peers time Catena against Pinocchio, MuJoCo and KDL: bench/results, docs/benchmarks.md"
	@echo "make bench-check time again and say what got slower against them since"
	@echo "make bench-python time the Python package against Pinocchio's: docs/benchmarks.md"
	@echo "make notebooks run examples/notebooks and keep what they show in them"
	@echo "make documents print the lists and tables in docs/ that the program knows"
	@echo "make wheels   the Python package for CPython 3.10 and later on any Linux, x86-64 and aarch64: out/wheels"
	@echo "make check-wheels the wheels on fresh minimal systems, where there is no compiler (as root)"
	@echo "make free-threaded the Python package with a CPython that has no global lock (minutes to compile one)"
	@echo "make aarch64  the program and the tests of the library, compiled for aarch64, under qemu"
	@echo "make macos    compile and link the libraries and the program for macOS, without optimizing; nothing is run"
	@echo "make windows  the program and the C interface for Windows x64 by MinGW-w64, tested under Wine: out/windows"
	@echo "make deb      Debian packages of the program, the libraries and the Python package, checked and tried out: out/deb"
	@echo "make sbom     what is linked and bundled, with versions and licences, as SPDX: out/catena.spdx.json"
	@echo "make docs     the documentation as a site: out/site"
	@echo "make format   rewrite the C++ sources in the project's layout"
	@echo "make lint     clang-tidy, and say where the layout differs"
	@echo "make clean    remove everything built"
	@echo "All but the last install the Debian packages they miss; INSTALL=no leaves the system alone."

# Compiles only a few of the library's files: `make build` builds the program and the rest.
demo:
	$(call need,build)
	$(need_page)
	$(configure)
	@cmake -DCATENA_BUILD_PAGE=ON $(BUILD) >/dev/null
	cmake --build $(BUILD) --target stanford_demo free_fall demo catena_page
	@echo
	@$(BUILD)/examples/free_fall
	@$(BUILD)/examples/stanford_demo out/demo/stanford_torques.csv
	@$(BUILD)/examples/demo out/demo $(BUILD)/page/page.html $(wildcard bench/results/*.json)
	@echo "make build makes the program build/catena"

measure-page: demo
	@PAGE_BUILD=$(BUILD)/page node tools/measure_page.mjs out/demo/index.html

page:
	$(call need,build)
	$(need_page)
	$(configure)
	@rm -f $(BUILD)/page/page.stamp
	cmake -DCATENA_BUILD_PAGE=ON $(BUILD)
	cmake --build $(BUILD) --target catena_page
	@if [ -f $(BUILD)/page/page.html ]; then echo "$(BUILD)/page/page.html"; fi

test:
	$(call need,build test)
	$(need_page)
	$(peers)
	cmake --preset release -DCATENA_BUILD_TESTS=ON
	cmake --build $(BUILD)
	$(call run_tests,--preset release,$(BUILD))

sanitize:
	$(call need,build test fuzz)
	$(peers)
	cmake --preset sanitize -DCATENA_BUILD_TESTS=ON
	cmake --build --preset sanitize
	$(call run_tests,--preset sanitize,$(BUILD)/sanitize)

sanitize-quick:
	$(call need,build test fuzz)
	cmake --preset sanitize -DCATENA_BUILD_TESTS=ON
	cmake --build --preset sanitize --target catena_cli
	ctest --preset sanitize -R '^walk_quick$$'

# Where a process maps its memory by chance, the thread sanitizer of GCC 12 may find its own place taken.
placed := $(shell setarch -R true 2>/dev/null && echo setarch -R)
sanitize-threads:
	$(call need,build test)
	cmake --preset sanitize-threads
	$(placed) cmake --build --preset sanitize-threads
	$(placed) ctest --preset sanitize-threads --parallel $$(nproc)

coverage:
	$(call need,build test)
	cmake --preset coverage
	cmake --build --preset coverage
	python3 tools/covered_lines.py $(BUILD)/coverage out/coverage.txt --least 95

# Stage by stage; what has passed on these sources does not run again. NIGHTLY=--list, NIGHTLY='--only coverage,fuzz' choose.
NIGHTLY ?=
nightly:
	$(call need,build test compilers fuzz cross)
	$(need_page)
	$(peers)
	python3 tools/nightly.py $(NIGHTLY)

# MUTANTS='--count 200 --seed 2 --only src/sim' chooses others; tools/mutants/mutants.py --help.
MUTANTS ?=
mutants:
	$(call need,build test)
	python3 tools/mutants/mutants.py --jobs $$(nproc) $(MUTANTS)

# FUZZ='--only toml,jobs --jobs 2' chooses; tools/fuzz.py --help. What was learned stays in build/fuzz/corpora.
SECONDS ?= 60
FUZZ ?=
fuzz:
	$(call need,build fuzz)
	cmake --preset fuzz -B $(BUILD)/fuzz
	cmake --build $(BUILD)/fuzz --target fuzz
	python3 tools/fuzz.py --build $(BUILD)/fuzz --seconds $(SECONDS) $(FUZZ)

build:
	$(call need,build)
	$(configure)
	cmake --build $(BUILD)

bench:
	$(call need,build bench)
	cmake --preset bench
	cmake --build --preset bench
	@$(BUILD)/bench/bench/catena_bench --benchmark_enable_random_interleaving=true
	@$(BUILD)/bench/bench/catena_c_interface
	@$(BUILD)/bench/bench/catena_worst_case

# Catena as built by `make build`; clang++, where available, also compiles the generated code and Pinocchio's headers.
define build_peers
$(call need,build peers)
$(peers)
$(configure)
cmake -DCATENA_BUILD_PEERS=ON $(BUILD)
cmake --build $(BUILD) --target catena_peers
endef

bench-peers:
	$(build_peers)
	python3 tools/bench_peers.py measure $(BUILD)/bench/peers/catena_peers

bench-check:
	$(build_peers)
	python3 tools/bench_peers.py check $(BUILD)/bench/peers/catena_peers

# Beside Pinocchio's package; the machine should do nothing else. And what the notebooks show, kept in them.
bench-python notebooks: build
	$(call need,test)
	$(peers)
	python3 tools/check_python.py install --build $(abspath $(BUILD)) --source $(abspath .)
	python3 tools/check_python.py $(@:bench-python=bench) --build $(abspath $(BUILD)) --source $(abspath .)

documents: build
	python3 tools/print_documents.py --catena $(BUILD)/catena

# For other machines: tools/cross.py compiles Catena and what it needs, in build/cross. WHEELS=linux-x86_64 makes one of them.
WHEELS ?= linux-x86_64 linux-aarch64
wheels: page
	$(call need,build cross)
	python3 tools/make_wheels.py out/wheels $(WHEELS)

check-wheels:
	$(call need,build cross strangers)
	python3 tools/check_wheels.py out/wheels

aarch64:
	$(call need,build test cross)
	python3 tools/check_aarch64.py

macos:
	$(call need,build cross)
	python3 tools/cross.py build macos-aarch64 -DCMAKE_BUILD_TYPE=Debug

# The program of this machine is what the other one is compared with.
WINDOWS := $(BUILD)/cross/windows-x86_64/build
windows: build
	$(call need,windows)
	python3 tools/cross.py build windows-x86_64 -DCATENA_BUILD_TESTS=ON
	python3 tests/windows/check.py --build $(WINDOWS) --linux $(BUILD)/catena --zip out/windows

# A Python without the global lock is compiled where none is there.
free-threaded: build
	$(call need,build test free-threaded)
	python3 tools/check_free_threaded.py --build $(BUILD)

# Packages of what `make build` makes, the page included. Tried out over a copy of this system: your own stays as it is.
deb:
	$(call need,build deb)
	$(need_page)
	$(configure)
	cmake --build $(BUILD)
	python3 tools/make_deb.py out/deb $(BUILD) --python
	python3 tools/check_deb.py folder out/deb --build $(BUILD)

sbom:
	$(call need,build)
	python3 tools/sbom.py out/catena.spdx.json

docs:
	$(call need,test)
	python3 tools/make_site.py out/site

format:
	$(call need,lint)
	$(SOURCES) | xargs clang-format -i

lint:
	$(call need,build lint)
	cmake --preset release -B $(BUILD)/lint -DCATENA_BUILD_TESTS=OFF -DCATENA_LEVELS=OFF
	$(SOURCES) | xargs clang-format --dry-run -Werror
	run-clang-tidy -quiet -p $(BUILD)/lint '^$(CURDIR)/($(BUILD)/lint/)?(src|cli)/(?!.*/instances/|.*catena_on_|.*cmake_pch)'

clean:
	rm -rf $(BUILD) out
