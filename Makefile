# The short way in; CMake does the building (see CMakeLists.txt for its options).
JOBS   ?= $(shell nproc)
BUILD  ?= build
CMAKE_ARGS ?=
PYTHON := .venv/bin/python
# mean depth of the demo's slab: Neufeld's solution is the limit of a thick one
SLAB_DEPTH := 8000

.PHONY: help build demo check validate bench tidy format clean
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory

help:
	@echo 'make build     library, command and (with nvcc) the CUDA backend, in $(BUILD)/'
	@echo 'make demo      install what is missing, build, run two examples: spectra, FITS cubes and pictures in out/'
	@echo 'make check     everything a change must pass: tests, sanitizers, format, layers, symbols'
	@echo 'make validate  the long physics tests'
	@echo 'make bench     timed cases; results under out/'
	@echo 'make tidy      clang-tidy over the C sources'
	@echo 'make format    rewrite the C and CUDA sources with clang-format'
	@echo 'make clean     remove build*/ and out/'

build:
	cmake -S . -B $(BUILD) $(CMAKE_ARGS)
	cmake --build $(BUILD) -j$(JOBS)

demo:
	tools/install-deps run
	$(MAKE) build
	@mkdir -p out
	$(BUILD)/linerad run examples/neufeld_slab.yaml --set medium.tau_mean=$(SLAB_DEPTH) -o out/neufeld_slab.h5
	$(BUILD)/linerad run examples/clumpy_box.yaml -o out/clumpy_box.h5
	$(PYTHON) tools/plot_spectrum.py out/neufeld_slab.h5 -o out/neufeld_slab.png --neufeld 0.149 $(SLAB_DEPTH) \
	    --title 'Slab with a central source'
	$(PYTHON) tools/plot_channels.py out/clumpy_box.h5 -o out/clumpy_box.png --camera corner
	@echo; echo 'Pictures: out/neufeld_slab.png  out/clumpy_box.png'
	@echo 'Results:  out/neufeld_slab.h5   out/clumpy_box.h5'
	@echo 'Cubes:    out/clumpy_box_*.fits   (other ones: $(BUILD)/linerad image out/clumpy_box.h5 --help)'

check:
	tools/install-deps check
	JOBS=$(JOBS) tools/check

validate:
	tools/install-deps check
	$(MAKE) build CMAKE_ARGS='$(CMAKE_ARGS) -DLINERAD_PYTHON=$(CURDIR)/$(PYTHON)'
	ctest --test-dir $(BUILD) -L validate --output-on-failure --no-tests=error

bench: build
	@mkdir -p out
	bench/run | tee out/bench.jsonl

tidy:
	cmake -S . -B $(BUILD) $(CMAKE_ARGS)
	clang-tidy -p $(BUILD) --quiet $(shell find src -name '*.c' ! -name 'cpu_transport.c')

format:
	tools/check format --fix

clean:
	rm -rf build build-* out
