# Shortcuts; CMake does the building (see CMakeLists.txt for its options).
JOBS   ?= $(shell nproc)
BUILD  ?= build
CMAKE_ARGS ?=
PYTHON := .venv/bin/python
# packets of the demo on a CPU, which should take less than a minute on two cores
DEMO_PACKETS ?= 500000
# device of the validation report: cpu, or cuda if there is a GPU
VALIDATE_DEVICE ?= cpu

.PHONY: help build demo check validate bench fuzz tidy format clean
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory

help:
	@echo 'make build     library, command and (with nvcc) the CUDA backend, in $(BUILD)/'
	@echo 'make demo      install what is missing, build, make channel maps of a molecular cloud: cubes and a figure in out/'
	@echo 'make check     everything a change must pass: tests, sanitizers, format, layers, symbols'
	@echo 'make validate  the long physics tests, then the validation report: docs/validation.md'
	@echo 'make bench     timed cases; results under out/'
	@echo 'make fuzz      ten minutes of broken input for the readers of files (make check: one minute)'
	@echo 'make tidy      clang-tidy over the C sources'
	@echo 'make format    rewrite the C and CUDA sources with clang-format'
	@echo 'make clean     remove build*/ and out/'
	@echo "CMAKE_ARGS='-DLINERAD_CUDA=OFF' and other options of CMakeLists.txt work with all targets that build"

build:
	cmake -S . -B $(BUILD) $(CMAKE_ARGS)
	cmake --build $(BUILD) -j$(JOBS)

# A molecular cloud in OH and CO: 128^3 cells if there is a working GPU, otherwise 64^3 and fewer packets. Builds no
# tests, and the CUDA backend only for the GPU present.
demo:
	tools/install-deps run
	@if nvidia-smi -L 2>/dev/null | grep -q GPU; then gpu=AUTO; else gpu=OFF; fi; \
	 $(MAKE) build CMAKE_ARGS="-DLINERAD_TESTS=OFF -DLINERAD_CUDA=$$gpu $(CMAKE_ARGS)"
	@mkdir -p out
	@if $(BUILD)/linerad info | grep -q '^cuda:'; then cells=128; packets=2000000; else cells=64; packets=$(DEMO_PACKETS); fi; \
	 set -ex; \
	 $(BUILD)/linerad cloud --cells $$cells -o out/gas.h5; \
	 $(BUILD)/linerad run examples/cloud.yaml --set snapshot=out/gas.h5 --packets $$packets -o out/cloud.h5
	LINERAD_PYTHON=$(PYTHON) $(BUILD)/linerad plot out/cloud_oh.h5 out/cloud_co.h5 --velocities -1 0 1 -o out/cloud.png
	@echo; echo 'Picture: out/cloud.png'
	@echo 'Cubes:   out/cloud_oh_x.fits  out/cloud_co_x.fits   (K, five channels of 1 km/s)'
	@echo 'Results: out/cloud_oh.h5  out/cloud_co.h5'

check:
	tools/install-deps check
	JOBS=$(JOBS) tools/check

validate:
	tools/install-deps check
	$(MAKE) build CMAKE_ARGS='$(CMAKE_ARGS) -DLINERAD_PYTHON=$(CURDIR)/$(PYTHON)'
	ctest --test-dir $(BUILD) -L validate --output-on-failure --no-tests=error
	LINERAD_BIN=$(BUILD)/linerad $(PYTHON) tools/validate --device $(VALIDATE_DEVICE)

bench: build
	@mkdir -p out
	bench/run | tee out/bench.jsonl

fuzz: build
	tools/install-deps check
	JOBS=$(JOBS) tests/fuzz/run 600

tidy:
	cmake -S . -B $(BUILD) $(CMAKE_ARGS)
	clang-tidy -p $(BUILD) --quiet $(shell find src -name '*.c' ! -name 'cpu_transport.c')

format:
	tools/check format --fix

clean:
	rm -rf build build-* out
