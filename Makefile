# Each target is a preset or a script that can also be run by hand.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CLANG_FORMAT ?= clang-format-19
FUZZ_SECONDS ?= 60
sources = find include src tests examples bench -name '*.[ch]pp' -print0

.PHONY: help deps test-deps configure build test demo install docs bench bench-peers bench-fit trust count lint format fuzz consumer clean check-all \
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

test: test-deps configure ## build everything, run the tests, list the ten slowest
	@cmake --build --preset release
	@ctest --preset release -j $(JOBS); status=$$?; tools/slowest; exit $$status

demo: ## build, compute four figures of friction, write build/demo/index.html
	@tools/demo

install: build ## install into PREFIX (default /usr/local)
	@tools/install "$(PREFIX)"

docs: build ## write docs/models, docs/properties.md and docs/scenario.md from the model headers, the tribometer and the readers
	@tools/docs build/bin/bristle docs/models
	@tools/properties build/bin/bristle docs/properties.md
	@build/bin/bristle help --markdown >docs/scenario.md

bench: ## time per sample of every model, compared with hand-written loops and NumPy; writes docs/benchmarks.md
	@tools/install-deps bench
	@tools/configure bench
	@cmake --build --preset bench --target models_bench mechanism_bench
	@/usr/bin/python3 tools/bench build/bench/bench/models_bench build/bench/bench/mechanism_bench docs/benchmarks.md

bench-peers: configure ## solver time compared with CVODE, SciPy, Octave and Simbody at equal error; writes docs/speed.md
	@tools/install-deps bench
	@tools/install-deps peers || echo "bench-peers: continues with the peers that are installed"
	@tools/peer-sundials build/peers/sundials || echo "bench-peers: continues without an optimised CVODE"
	@tools/configure bench -D BRISTLE_PEER_SUNDIALS="$(CURDIR)/build/peers/sundials"
	@cmake --build --preset bench --target peers
	@cmake --build --preset release --target bristle_cli
	@/usr/bin/python3 tools/bench-peers $(BENCH_PEERS)

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

count: build ## compare the instruction counts of fixed jobs with the recorded ones (tools/count --record "reason")
	@tools/count

lint: ## check the format, the includes between rooms and the wording; run clang-tidy
	@tools/install-deps lint
	@$(sources) | xargs -0 $(CLANG_FORMAT) --dry-run -Werror
	@tools/rooms
	@tools/words
	@tools/tidy

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
check-studio: ## the page in the browser
check-gpu: ## the GPU code
check-figures: ## all figures of the papers, including the slow ones
check-sanitizers: ## tests under the address, undefined-behaviour and thread sanitizers
$(parts:%=check-%):
	@tools/check $(@:check-%=%)

consumer: build ## build a small project against the installed package and the source tree
	@tools/consumer

clean: ## remove build/
	@rm -rf build
