# A thin front: each target is a preset or a script, and all of them can be run by hand.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CLANG_FORMAT ?= clang-format-19
FUZZ_SECONDS ?= 60
sources = find include src tests examples bench -name '*.[ch]pp' -print0

.PHONY: help deps build test demo install docs bench bench-peers bench-fit trust count lint format fuzz consumer clean check-all \
        check-python check-ship check-arm check-studio check-gpu check-figures check-sanitizers

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

deps: ## install the packages that are missing
	@tools/install-deps

build/build.ninja: CMakePresets.json | deps # CMake itself watches its other files
	@cmake --preset release

build: build/build.ninja ## build the library and the command, build/bin/bristle
	@cmake --build --preset release --target bristle bristle_cli

test: build/build.ninja ## build all and run the tests
	@cmake --build --preset release
	@ctest --preset release -j $(JOBS)

demo: build ## build, compute four pictures of friction, write build/demo/index.html
	@tools/demo

install: build ## install into PREFIX (default /usr/local)
	@tools/install "$(PREFIX)"

docs: build ## write docs/models and docs/properties.md anew from the model headers and the tribometer
	@tools/docs build/bin/bristle docs/models
	@tools/properties build/bin/bristle docs/properties.md

bench: ## measure every model, beside hand-written loops and NumPy; writes docs/benchmarks.md
	@tools/install-deps bench
	@cmake --preset bench
	@cmake --build --preset bench --target models_bench
	@/usr/bin/python3 tools/bench build/bench/bench/models_bench docs/benchmarks.md

bench-peers: build/build.ninja ## our solver against CVODE, SciPy, Octave and Simbody at equal error; writes docs/speed.md
	@tools/install-deps bench
	@tools/install-deps peers || echo "bench-peers: goes on with the peers that are here"
	@tools/peer-sundials build/peers/sundials || echo "bench-peers: goes on without an optimised CVODE"
	@cmake --preset bench -D BRISTLE_PEER_SUNDIALS="$(CURDIR)/build/peers/sundials"
	@cmake --build --preset bench --target peers
	@cmake --build --preset release --target bristle_cli
	@/usr/bin/python3 tools/bench-peers $(BENCH_PEERS)

bench-fit: ## six LuGre parameters beside SciPy, and the ranking of all models; writes docs/fit_speed.md
	@tools/install-deps bench
	@tools/install-deps peers || echo "bench-fit: goes on with what is here"
	@cmake --preset bench
	@cmake --build --preset bench --target fit_bench
	@/usr/bin/python3 tools/bench-fit build/bench/bench/fit/fit_bench docs/fit_speed.md

trust: ## how often intervals hold and models are confused, on recordings of known truth; writes docs/trust.md (an hour)
	@tools/install-deps bench
	@cmake --preset bench
	@cmake --build --preset bench --target fit_study
	@tools/trust build/bench/bench/fit/fit_study docs/trust.md

count: build ## compare the instructions of fixed jobs with the recorded numbers (tools/count --record "why")
	@tools/count

lint: ## check format, includes between rooms and wording, and run clang-tidy
	@tools/install-deps lint
	@$(sources) | xargs -0 $(CLANG_FORMAT) --dry-run -Werror
	@tools/rooms
	@tools/words
	@tools/tidy

format: ## format all C++ files
	@tools/install-deps lint
	@$(sources) | xargs -0 $(CLANG_FORMAT) -i

fuzz: ## feed the readers with nonsense for FUZZ_SECONDS (default 60)
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
check-figures: ## every figure of the papers, also the slow ones
check-sanitizers: ## tests under the address, undefined-behaviour and thread sanitizers
$(parts:%=check-%):
	@tools/check $(@:check-%=%)

consumer: build ## build a small project against the installed package and the source tree
	@tools/consumer

clean: ## remove build/
	@rm -rf build
