# Shortcuts; CMake does the building (see CMakeLists.txt for its options).
JOBS   ?= $(shell nproc)
BUILD  ?= build
CMAKE_ARGS ?=
PYTHON := .venv/bin/python
# where make install puts things
PREFIX ?= /usr/local
# --cuda: also the wheel for GPUs
WHEEL_ARGS ?=
# device of the validation report: cpu, or cuda if there is a GPU
VALIDATE_DEVICE ?= cpu

.PHONY: help build install wheels demo docs check validate bench fuzz coverage races tidy format clean
.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory

help:
	@echo 'make build     library, command and (with a GPU and nvcc) the CUDA backend, in $(BUILD)/'
	@echo 'make install   install what was built (PREFIX=/usr/local, DESTDIR)'
	@echo 'make wheels    build wheels and try them in bare systems (as root); WHEEL_ARGS=--cuda for GPUs'
	@echo 'make demo      install what is missing, build, observe a molecular core and a Lyman alpha halo: out/*.png, *.fits'
	@echo 'make docs      the documentation as a site: out/docs/index.html (installs what is missing; needs no compiler)'
	@echo 'make check     everything a change must pass: tests, sanitizers, format, layers, symbols'
	@echo 'make validate  the long physics tests, then the validation report: docs/validation.md'
	@echo 'make bench     timed cases, compared with the last time: a table, and all runs in out/bench.jsonl'
	@echo 'make fuzz      ten minutes of broken input for the readers of files (make check: one minute)'
	@echo 'make coverage  which lines of src/ the quick tests run, in a build of its own (build-coverage)'
	@echo 'make races     runs with threads, ranks and several devices under ThreadSanitizer (build-races)'
	@echo 'make tidy      clang-tidy over the C sources'
	@echo 'make format    rewrite the C and CUDA sources with clang-format'
	@echo 'make clean     remove build*/ and out/'
	@echo "CMAKE_ARGS='-DLINERAD_CUDA=OFF' and other options of CMakeLists.txt work with all targets that build"

# says what it builds, since the folder remembers the options of an earlier target
build:
	cmake -S . -B $(BUILD) -DLINERAD_NATIVE=OFF -DLINERAD_FEWER_LOOPS=OFF -DLINERAD_TESTS=ON -DLINERAD_CUDA=AUTO $(CMAKE_ARGS)
	cmake --build $(BUILD) -j$(JOBS)

# Installs what was built last; DESTDIR=/stage puts it below another root.
install:
	@[ -e $(BUILD)/cmake_install.cmake ] || { echo "make install: nothing is built; run 'make build' first" >&2; exit 2; }
	cmake --install $(BUILD) --prefix $(PREFIX)

wheels:
	tools/install-deps packages
	tools/build-wheels $(WHEEL_ARGS)
	tools/test-wheels

# A molecular core in three lines, not in LTE, and a Lyman alpha halo: half a minute on two cores. Builds no tests,
# kernels only for the processor and the GPU present, and half of the loops; Python modules are fetched meanwhile.
demo:
	tools/install-deps packages
	@tools/install-deps run & \
	 $(MAKE) build CMAKE_ARGS='-DLINERAD_TESTS=OFF -DLINERAD_NATIVE=ON -DLINERAD_FEWER_LOOPS=ON $(CMAKE_ARGS)' && wait $$!
	@mkdir -p out
	@export LINERAD_LIBRARY=$(BUILD)/liblinerad.so LINERAD_PYTHON=$(PYTHON); \
	 set -ex; \
	 $(PYTHON) examples/core.py -o out/core_gas.h5; \
	 $(BUILD)/linerad run examples/core.yaml --set snapshot=out/core_gas.h5 -o out/core.h5; \
	 $(BUILD)/linerad plot out/core_co.h5 out/core_13co.h5 out/core_c18o.h5 --velocities -0.75 0.05 0.75 --stretch linear \
	     -o out/core.png; \
	 $(PYTHON) examples/halo.py -o out/halo_gas.h5; \
	 $(BUILD)/linerad run examples/halo.yaml --set snapshot=out/halo_gas.h5 -o out/halo.h5; \
	 $(PYTHON) examples/wind_plot.py out/halo.h5 -o out/halo.png
	@echo; echo 'A turbulent core in CO, 13CO and C18O'
	@echo '  picture  out/core.png'
	@echo '  cubes    out/core_co_front.fits  out/core_13co_front.fits  out/core_c18o_front.fits   (K, 40 channels)'
	@echo '  results  out/core_co.h5  out/core_13co.h5  out/core_c18o.h5'
	@echo '  look at  $(BUILD)/linerad view out/core_co.h5 --open'
	@echo 'Lyman alpha from a galaxy with a wind'
	@echo '  picture  out/halo.png'
	@echo '  cubes    out/halo_face-on.fits  out/halo_edge-on.fits   (photons/s/cm2/sr/Hz, 60 channels)'
	@echo '  result   out/halo.h5'
	@echo "This build was made quickly; 'make build' makes one for long runs, which follows packets up to 30 % faster."

docs:
	tools/install-deps docs
	tools/check docs

check:
	tools/install-deps check
	JOBS=$(JOBS) tools/check

validate:
	tools/install-deps check
	$(MAKE) build CMAKE_ARGS='$(CMAKE_ARGS) -DLINERAD_PYTHON=$(CURDIR)/$(PYTHON)'
	ctest --test-dir $(BUILD) -L validate --output-on-failure --no-tests=error
	LINERAD_BIN=$(BUILD)/linerad $(PYTHON) tools/validate --device $(VALIDATE_DEVICE)

bench: build
	bench/run

fuzz: build
	tools/install-deps check
	JOBS=$(JOBS) tests/fuzz/run 600

coverage:
	tools/install-deps check
	JOBS=$(JOBS) tools/coverage

races:
	tools/install-deps check
	JOBS=$(JOBS) $(PYTHON) tools/races

tidy:
	cmake -S . -B $(BUILD) $(CMAKE_ARGS)
	clang-tidy -p $(BUILD) --quiet $(shell find src -name '*.c' ! -name 'cpu_transport.c')

format:
	tools/check format --fix

clean:
	rm -rf build build-* out
