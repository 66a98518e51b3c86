# Targets for development. R users need none of them: R CMD INSTALL . is enough.
#
#   make help             shows this list
#   make demo             builds the package, and analyses three data sets with it
#   make install          builds the package into .lib/, never into your R library
#   make test             tests configure, the C code and the R code; the last line counts the tests
#   make test-c           runs the C tests alone
#   make test-options     runs the R tests under options and a locale that change how R writes numbers;
#                         the environment variable PCFDIST_TESTS=REGEX chooses topics
#   make test-slurm       tests jobs on a Slurm cluster of one node, which it starts and stops
#   make attack-npy       reads folders of .npy files while they are replaced, and kills who writes
#   make attack-jobs      has another user attack calls with jobs for a minute; as root
#   make test-debian13    runs demo, test and check on Debian 13, which debootstrap sets up in
#                         .debian13/ or in the folder PCFDIST_DEBIAN13; as root
#   make check            runs R CMD check; fails on errors, warnings and notes.
#                         CHECK_ARGS=--no-tests leaves out the tests
#   make check-alone      runs the same with no suggested packages but those of tests and vignettes
#   make sanitize         runs the C tests under gcc's address and undefined behaviour sanitizers
#   make sanitize-threads, make valgrind  the same under gcc's thread sanitizer, or valgrind
#   make test-arm         runs the C tests for 64-bit Arm, under qemu
#   make test-arm-r       installs and tests the package in R for 64-bit Arm, under qemu; as root
#   make test-windows     runs the C tests for Windows under wine, and links a DLL
#   make lint             checks format and spelling, and runs static analysis
#   make format           applies clang-format in place
#   make docs             generates man/, NAMESPACE and configure from their sources
#   make site             builds a website from the help pages and articles, in site/, without using
#                         the network; takes screenshots of three pages, in site-pictures/
#   make check-generated  fails if 'make docs' would change something
#   make everything       runs .ci/run, and all checks that are too slow for it: hours, as root
#   make size             counts lines of code and bytes, and times an installation
#   make golden-bits FILE=F  writes hashes of some thousand results to F (see tools/golden-bits.R)
#   make bench            times distances beside stablebear (see bench/README.md)
#   make bench-functions  times norms, means, diagrams and arithmetic in the same way
#   make clean            removes what these commands have built
#
# Names of targets are relative: make takes a path with spaces for several.

SHELL = /bin/sh
LIB = .lib
JOBS = $(shell nproc 2>/dev/null || echo 2)
# What is installed there is built for tests: without faults to provoke, they fail and are not skipped.
RENV = PCFDIST_TESTING=yes R_LIBS="$(CURDIR)/$(LIB)" MAKEFLAGS=-j$(JOBS)
STAMP = $(LIB)/.installed
SOURCES = DESCRIPTION NAMESPACE configure src/Makevars.in \
	$(wildcard R/*.R man/*.Rd src/*.[ch] src/*/*.[ch] src/*/*.cu src/*/*.cuh)

all: install

help:
	@sed -n 's/^#   //p' Makefile
	@echo
	@echo "Most of them first install the Debian packages that they need and that are missing, with"
	@echo "apt-get, as root or with sudo. They list the packages first."

install: $(STAMP)
	@:

$(STAMP): $(SOURCES)
	@$(RENV) tools/install.sh $(LIB)
	@touch $@

deps-%:
	@tools/install-deps.sh $*

demo: deps-demo
	@echo "builds the package if needed, and analyses three data sets: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) Rscript tools/demo.R demo

test: deps-test
	@echo "compiles, and tests configure, the C code and the R code: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) tools/test.sh

test-c-programs:
	@$(MAKE) --no-print-directory -C tests/c -j$(JOBS)

test-c:
	@$(MAKE) --no-print-directory -C tests/c -j$(JOBS) test

test-arm: deps-arm
	@echo "compiles the C tests for Arm, and runs them under qemu: some minutes"
	@$(MAKE) --no-print-directory -C tests/c -j$(JOBS) CC=aarch64-linux-gnu-gcc \
		CXX=aarch64-linux-gnu-g++ DIR=build/arm LDFLAGS=-static build/arm/run-tests
	@CHECK_QUICK=1 qemu-aarch64 tests/c/build/arm/run-tests

test-arm-r: deps-arm-r
	@echo "installing the package into R for Arm and running the R tests under qemu: an hour"
	@tools/test-arm-r.sh

test-windows: deps-windows
	@echo "compiles the C tests for Windows, and runs them under wine: some minutes"
	@tools/test-windows.sh

test-options: deps-check
	@echo "runs the R tests with other decimals, exponents and another locale: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) tools/test-options.sh

test-slurm: deps-slurm
	@$(MAKE) --no-print-directory install
	@$(RENV) tools/test-slurm.sh

check-kernels: deps-check
	@echo "launches every CUDA kernel on the emulated device: a minute or two"
	@$(RENV) tools/check-kernels.sh

attack-npy:
	@$(MAKE) --no-print-directory install
	@echo "reads folders of .npy files while other processes replace them: a minute or two"
	@$(RENV) Rscript tools/attack-npy.R

attack-jobs: deps-test
	@echo "attacks calls with jobs as another user: a minute"
	@$(MAKE) --no-print-directory install
	@$(RENV) Rscript tools/attack-jobs.R

test-debian13: deps-debian13
	@echo "sets up Debian 13, and runs demo, test and check there: an hour"
	@tools/test-debian13.sh

check: deps-check
	@echo "R CMD check builds, checks and tests the package: some minutes"
	@MAKEFLAGS=-j$(JOBS) tools/check.sh $(CHECK_ARGS)

check-alone: deps-check
	@echo "R CMD check without the packages that are only suggested: some minutes"
	@_R_CHECK_DEPENDS_ONLY_=true _R_CHECK_NO_RECOMMENDED_=true MAKEFLAGS=-j$(JOBS) \
		tools/check.sh $(CHECK_ARGS)

sanitize: deps-check
	@echo "compiles and runs the C tests with sanitizers: some minutes"
	@tools/sanitize.sh address

sanitize-threads: deps-check
	@echo "compiles and runs the C tests with the thread sanitizer: some minutes"
	@tools/sanitize.sh threads

valgrind: deps-check
	@echo "runs the C tests under valgrind: some minutes"
	@tools/sanitize.sh valgrind

everything: deps-check
	@echo "runs all checks, one after the other: hours"
	@tools/everything.sh

lint: deps-check
	@echo "checks format and spelling, and runs static analysis: some minutes"
	@tools/lint.sh

format: deps-check
	clang-format -i $(wildcard src/*.[ch] src/*/*.[ch] src/*/*.cu src/*/*.cuh tests/c/*.[ch] \
		tests/c/emulated/*.[ch] tests/c/emulated/*.cc tests/c/emulated/*/*/*.h tests/c/emulated/*/*/*.cuh)

docs: deps-check
	@tools/docs.sh

site: deps-site
	@echo "builds the website, and runs all examples: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) Rscript tools/site.R
	@tools/look-at-site.sh

check-generated: deps-check
	@tools/check-generated.sh

size:
	@echo "installs the package with one core: a minute or two"
	@tools/size.sh

golden-bits: install
	@echo "computes some thousand results: some minutes"
	@$(RENV) Rscript tools/golden-bits.R $(FILE)

bench: deps-bench
	@echo "installs what is compared, and times it: many minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) bench/run.sh $(BENCH_ARGS)

bench-functions: deps-bench
	@echo "times norms, means, diagrams and arithmetic: some minutes"
	@$(MAKE) --no-print-directory install
	@$(RENV) bench/functions.sh $(BENCH_ARGS)

clean:
	./cleanup
	$(MAKE) -C tests/c clean
	rm -rf .lib .check demo site site-pictures bench/work

.PHONY: all help install demo test test-c test-c-programs check check-alone sanitize lint format docs site check-generated \
	golden-bits bench bench-functions clean test-options test-arm test-arm-r test-windows test-slurm test-debian13 \
	sanitize-threads valgrind everything size check-kernels attack-npy attack-jobs
