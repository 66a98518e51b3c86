# Development targets. R users need none of them: R CMD INSTALL . is enough.
#
#   make help             this list
#   make demo             install what is missing, build, run the main job on real data
#   make test             C tests and R tests; the last line counts them
#   make test-slurm       tests of jobs, with a real Slurm of one node
#   make test-debian13    demo, test and check on Debian 13, which debootstrap sets up in .debian13/
#                         or in the folder PCFDIST_DEBIAN13; as root
#   make check            R CMD check; fails on errors, warnings and notes. CHECK_ARGS=--no-tests
#                         leaves out the tests
#   make check-alone      the same with no suggested package but those of tests and vignettes
#   make sanitize         C tests under gcc's sanitizers of addresses and undefined behaviour
#   make sanitize-threads, make valgrind  the same under gcc's thread sanitizer, and valgrind
#   make test-arm         C tests for 64-bit Arm, under qemu
#   make test-arm-r       R for 64-bit Arm installs and tests the package, under qemu; as root
#   make test-windows     C tests for Windows, under wine, and a DLL (mingw-w64, wine64)
#   make lint             format and static analysis
#   make format           clang-format, in place
#   make docs             man/, NAMESPACE and configure from their sources
#   make site             the help pages and articles as a site in site/, without network; pictures
#                         of three pages, by chromium, in site-pictures/
#   make check-generated  fails where 'make docs' would change something
#   make everything       what .ci/run checks, and all that is too slow for that: hours
#   make size             lines of code, compiled text, and the seconds of an install
#   make golden-bits FILE=F  hashes of some thousand results, in F (see tools/golden-bits.R)
#   make bench            timings of distances beside stablebear (see bench/README.md)
#   make bench-functions  the same of norms, means, diagrams and arithmetic
#
# Most of them first install the Debian packages that they need and that are missing, by apt-get,
# as root or with sudo; they say so and name them before.
#
# The package goes into .lib/, never into the user's R library. Names of targets are relative:
# make takes a path with spaces for several.

SHELL = /bin/sh
LIB = .lib
JOBS = $(shell nproc 2>/dev/null || echo 2)
RENV = R_LIBS="$(CURDIR)/$(LIB)" MAKEFLAGS=-j$(JOBS)
STAMP = $(LIB)/.installed
SOURCES = DESCRIPTION NAMESPACE configure src/Makevars.in \
	$(wildcard R/*.R man/*.Rd src/*.[ch] src/*/*.[ch] src/*/*.cu src/*/*.cuh)

all: install

help:
	@sed -n 's/^#   //p' Makefile

install: $(STAMP)
	@:

$(STAMP): $(SOURCES)
	@$(RENV) tools/install.sh $(LIB)
	@touch $@

deps-%:
	@tools/install-deps.sh $*

demo: deps-demo
	@echo "installing the package, unless it is there, and computing on real data: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) Rscript tools/demo.R demo

test: deps-test
	@echo "compiling, and running the tests of configure, C and R: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) tools/test.sh

test-c-programs:
	@$(MAKE) --no-print-directory -C tests/c -j$(JOBS)

test-c:
	@$(MAKE) --no-print-directory -C tests/c -j$(JOBS) test

test-arm: deps-arm
	@echo "compiling the C tests for Arm and running them under qemu: some minutes"
	@$(MAKE) --no-print-directory -C tests/c -j$(JOBS) CC=aarch64-linux-gnu-gcc \
		CXX=aarch64-linux-gnu-g++ DIR=build/arm LDFLAGS=-static build/arm/run-tests
	@CHECK_QUICK=1 qemu-aarch64 tests/c/build/arm/run-tests

test-arm-r: deps-arm-r
	@echo "installing the package into R for Arm and running the R tests under qemu: an hour"
	@tools/test-arm-r.sh

test-windows: deps-windows
	@echo "compiling the C tests for Windows and running them under wine: some minutes"
	@tools/test-windows.sh

test-slurm: deps-slurm
	@$(MAKE) --no-print-directory install
	@$(RENV) tools/test-slurm.sh

test-debian13: deps-debian13
	@echo "setting up Debian 13, and demo, test and check there: an hour"
	@tools/test-debian13.sh

check: deps-check
	@echo "R CMD check builds, checks and tests the package: some minutes"
	@MAKEFLAGS=-j$(JOBS) tools/check.sh $(CHECK_ARGS)

check-alone: deps-check
	@echo "R CMD check without the packages that are only suggested: some minutes"
	@_R_CHECK_DEPENDS_ONLY_=true _R_CHECK_NO_RECOMMENDED_=true MAKEFLAGS=-j$(JOBS) \
		tools/check.sh $(CHECK_ARGS)

sanitize: deps-check
	@echo "compiling and running the C tests with sanitizers: some minutes"
	@tools/sanitize.sh address

sanitize-threads: deps-check
	@echo "compiling and running the C tests with the thread sanitizer: some minutes"
	@tools/sanitize.sh threads

valgrind: deps-check
	@echo "running the C tests under valgrind: some minutes"
	@tools/sanitize.sh valgrind

everything: deps-check
	@echo "all checks, one after the other: hours"
	@tools/everything.sh

lint: deps-check
	@echo "looking through all code: some minutes"
	@tools/lint.sh

format: deps-check
	clang-format -i $(wildcard src/*.[ch] src/*/*.[ch] src/*/*.cu src/*/*.cuh tests/c/*.[ch] \
		tests/c/emulated/*.[ch] tests/c/emulated/*.cc tests/c/emulated/*/*/*.h tests/c/emulated/*/*/*.cuh)

docs: deps-check
	@tools/docs.sh

site: deps-site
	@echo "making the pages of the site, with all examples run: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) Rscript tools/site.R
	@tools/look-at-site.sh

check-generated: deps-check
	@tools/check-generated.sh

size:
	@echo "installing the package with one core: a minute or two"
	@tools/size.sh

golden-bits: install
	@echo "computing some thousand results: some minutes"
	@$(RENV) Rscript tools/golden-bits.R $(FILE)

bench: deps-bench
	@echo "installing what is compared, and timing it: many minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) bench/run.sh $(BENCH_ARGS)

bench-functions: deps-bench
	@echo "timing single functions: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) bench/functions.sh $(BENCH_ARGS)

clean:
	./cleanup
	$(MAKE) -C tests/c clean
	rm -rf .lib .check demo site site-pictures bench/work

.PHONY: all help install demo test test-c test-c-programs check check-alone sanitize lint format docs site check-generated \
	golden-bits bench bench-functions clean test-arm test-arm-r test-windows test-slurm test-debian13 \
	sanitize-threads valgrind everything size
