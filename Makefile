# Each target is a preset or a script that can also be run by hand.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CLANG_FORMAT ?= clang-format-19
FUZZ_SECONDS ?= 60
sources = find include src export studio tests examples bench python -name '*.[ch]pp' -print0

.PHONY: help deps test-deps configure build test demo install package docs docs-api bench bench-peers bench-mechanisms bench-fit trust \
        bench-python wheel check-python-quick count lint format fuzz consumer clean check-all studio \
        check-python check-ship check-arm check-studio check-gpu check-figures check-sanitizers

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

deps: ## install the packages that are missing
	@tools/install-deps

configure: deps
	@tools/configure release

build: configure ## build the library and the command, build/bin/bristle
	@cmake --build --preset release --target bristle bristle_cli

test-deps:
	@tools/install-deps test || echo "test: continues without the packages that could not be installed"

test: test-deps configure ## build everything, run the tests, print a summary with the reason of each failure
	@cmake --build --preset release
	@ctest --preset release -j $(JOBS) --output-junit Testing/tests.xml; status=$$?; tools/slowest; exit $$status

demo: ## build, compute four figures of friction, write build/demo/index.html
	@tools/demo

install: build ## install into PREFIX (default /usr/local)
	@tools/install "$(PREFIX)"

package: build ## build/package: a .deb, and a tarball that runs from any folder
	@tools/package

studio: ## the page of `bristle studio`: WebAssembly core and page, in the resources of the command
	@tools/install-deps studio
	@tools/studio build

docs: build ## write docs/models, docs/properties.md and docs/scenario.md from the model headers, the tribometer and the readers
	@tools/docs build/bin/bristle docs/models
	@tools/properties build/bin/bristle docs/properties.md
	@build/bin/bristle help --markdown >docs/scenario.md

docs-api: ## reference of the C++ interface in build/docs-api/html (Doxygen); names without a text of their own are listed
	@tools/install-deps docs
	@tools/docs-api

bench: ## time per sample of every model, compared with hand-written loops and NumPy; writes docs/benchmarks.md
	@tools/install-deps bench
	@tools/configure bench
	@cmake --build --preset bench --target models_bench mechanism_bench control_bench
	@/usr/bin/python3 tools/bench build/bench/bench/models_bench build/bench/bench/mechanism_bench \
	  build/bench/bench/control_bench docs/benchmarks.md

bench-peers: configure ## solver time compared with CVODE, SciPy, Octave and Simbody at equal error; writes docs/speed.md
	@tools/install-deps bench
	@tools/install-deps peers || echo "bench-peers: continues with the peers that are installed"
	@tools/peer-sundials build/peers/sundials || echo "bench-peers: continues without an optimised CVODE"
	@tools/configure bench -D BRISTLE_PEER_SUNDIALS="$(CURDIR)/build/peers/sundials"
	@cmake --build --preset bench --target peers
	@cmake --build --preset release --target bristle_cli
	@/usr/bin/python3 tools/bench-peers $(BENCH_PEERS)

bench-mechanisms: configure ## mechanisms compared with Simbody and IDA, and the growth of cost with their bodies; writes docs/mechanisms.md
	@tools/install-deps bench
	@tools/install-deps peers || echo "bench-mechanisms: continues with the peers that are installed"
	@tools/configure bench
	@cmake --build --preset bench --target mechanism_peers
	@/usr/bin/python3 tools/bench-mechanisms build/bench/bench/peers/peer_our_mechanisms build/bench/bench/peers/peer_simbody_mechanisms build/bench/bench/peers/peer_ida_mechanisms docs/mechanisms.md

bench-fit: ## time of a LuGre fit compared with SciPy, and of the ranking of all models; writes docs/fit_speed.md
	@tools/install-deps bench
	@tools/install-deps peers || echo "bench-fit: continues with the packages that are installed"
	@tools/configure bench
	@cmake --build --preset bench --target fit_bench
	@/usr/bin/python3 tools/bench-fit build/bench/bench/fit/fit_bench docs/fit_speed.md

trust: ## coverage of the intervals and confusion of models, on simulated recordings; writes docs/trust.md (20 minutes)
	@tools/install-deps bench
	@tools/configure bench
	@cmake --build --preset bench --target fit_study
	@tools/trust build/bench/bench/fit/fit_study docs/trust.md

bench-python: build ## time of the Python package compared with SciPy, NumPy and numba; writes docs/python_speed.md
	@tools/python bench

wheel: ## Python wheels that contain everything, in build/wheels
	@tools/python wheel

check-python-quick: build ## the Python module and its quick tests, as in .ci/run
	@tools/python quick

count: build ## compare the instruction counts of fixed jobs with the recorded ones (tools/count --record "reason")
	@tools/count

lint: ## check the format, the includes between rooms and the wording; run clang-tidy
	@tools/install-deps lint
	@$(sources) | xargs -0 $(CLANG_FORMAT) --dry-run -Werror
	@bash tests/rooms.sh
	@tools/words
	@tools/tidy $(TIDY)

format: ## format all C++ files
	@tools/install-deps lint
	@$(sources) | xargs -0 $(CLANG_FORMAT) -i

fuzz: ## fuzz the readers of scenarios and recordings for FUZZ_SECONDS (default 60)
	@tools/install-deps lint
	@tools/fuzz "$(FUZZ_SECONDS)"

# Too long for every change; `make check-all` before a release.
parts = python ship arm studio gpu figures sanitizers
check-all: test lint consumer $(parts:%=check-%) ## all checks: test, lint, consumer and every check-PART

check-python: ## the Python package
check-ship: ## the exports
check-arm: ## the header core compiled for Cortex-M
check-studio: ## the page: its core compared with the command, then in a browser
check-gpu: ## the GPU code
check-figures: ## all figures of the papers, including the slow ones
check-sanitizers: ## tests under the address, undefined-behaviour and thread sanitizers
$(parts:%=check-%):
	@tools/check $(@:check-%=%)

consumer: build ## build a small project against the installed package and the source tree
	@tools/consumer

clean: ## remove build/
	@rm -rf build
