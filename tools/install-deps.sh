#!/usr/bin/env bash
# Installs what a target needs and what is missing, by apt-get; nothing else. Says what and how
# before: as root, or with sudo.
# Usage: tools/install-deps.sh demo|test|check|bench|windows|arm|site|slurm|debian13|arm-r
set -euo pipefail

level=${1:-test}
case $level in demo | test | check | bench | windows | arm | site | slurm | debian13 | arm-r) ;; *)
  echo "usage: $0 demo|test|check|bench|windows|arm|site|slurm|debian13|arm-r" >&2
  exit 2
  ;;
esac

# What is needed: a command or an R package, then the Debian package that brings it.
commands=(R:r-base-core cc:build-essential make:make)
packages=(cli:r-cran-cli survival:r-cran-survival Matrix:r-cran-matrix cluster:r-cran-cluster
  fastcluster:r-cran-fastcluster)
if [ "$level" != demo ] && [ "$level" != bench ]; then
  packages+=(testthat:r-cran-testthat kernlab:r-cran-kernlab tibble:r-cran-tibble
    dplyr:r-cran-dplyr tidyr:r-cran-tidyr data.table:r-cran-data.table
    ggplot2:r-cran-ggplot2 proxy:r-cran-proxy vegan:r-cran-vegan purrr:r-cran-purrr
    zoo:r-cran-zoo xts:r-cran-xts RSpectra:r-cran-rspectra dbscan:r-cran-dbscan
    igraph:r-cran-igraph uwot:r-cran-uwot Rtsne:r-cran-rtsne
    generics:r-cran-generics genieclust:r-cran-genieclust bigmemory:r-cran-bigmemory
    bit64:r-cran-bit64 future:r-cran-future DelayedArray:r-bioc-delayedarray
    cmprsk:r-cran-cmprsk prodlim:r-cran-prodlim)
fi
if [ "$level" = slurm ] || [ "$level" = check ]; then # R CMD check asks for all that is suggested
  packages+=(future.batchtools:r-cran-future.batchtools batchtools:r-cran-batchtools)
fi
if [ "$level" = slurm ]; then
  commands+=(slurmctld:slurm-wlm munged:munge)
fi
if [ "$level" = check ]; then
  packages+=(knitr:r-cran-knitr rmarkdown:r-cran-rmarkdown roxygen2:r-cran-roxygen2
    lintr:r-cran-lintr spelling:r-cran-spelling)
  commands+=(pandoc:pandoc autoconf:autoconf aclocal:automake clang-format:clang-format
    clang:clang clang-tidy:clang-tidy cppcheck:cppcheck valgrind:valgrind qpdf:qpdf
    tidy:tidy checkbashisms:devscripts)
fi
if [ "$level" = site ]; then
  packages+=(knitr:r-cran-knitr rmarkdown:r-cran-rmarkdown pkgdown:r-cran-pkgdown)
  commands+=(pandoc:pandoc chromium:chromium)
fi
if [ "$level" = bench ]; then
  commands+=(python3:python3)
fi
if [ "$level" = windows ]; then
  commands+=(x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64-posix
    /usr/lib/wine/wine64:wine64)
  packages=()
fi
if [ "$level" = arm ]; then
  commands+=(aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64:qemu-user)
  packages=()
fi
if [ "$level" = arm-r ]; then
  commands+=(aarch64-linux-gnu-g++:g++-aarch64-linux-gnu qemu-aarch64-static:qemu-user-static
    /usr/bin/python3:python3-minimal)
  packages=()
fi
if [ "$level" = debian13 ]; then
  commands+=(debootstrap:debootstrap)
  packages=()
fi

missing=()
for need in "${commands[@]}"; do
  command -v "${need%%:*}" >/dev/null || missing+=("${need##*:}")
done
if [ ! -f "$(R RHOME 2>/dev/null)/etc/Makeconf" ]; then
  missing+=(r-base-core r-base-dev) # R's own headers and make rules
fi
if command -v R >/dev/null; then
  have=" $(Rscript --vanilla -e 'cat(rownames(utils::installed.packages()))') "
else
  have=
fi
for need in "${packages[@]}"; do
  [[ $have == *" ${need%%:*} "* ]] || missing+=("${need##*:}")
done
if [ "$level" = test ] || [ "$level" = check ]; then # to read what write_npy() writes
  /usr/bin/python3 -c 'import numpy' 2>/dev/null || missing+=(python3-numpy)
fi
if [ "$level" = check ] && [ ! -f /usr/share/i18n/locales/tr_TR ]; then # for 'make test-options'
  missing+=(locales)
fi
if [[ $level = arm* ]] && [ ! -f /usr/aarch64-linux-gnu/include/stdio.h ]; then
  missing+=(libc6-dev-arm64-cross)
fi
if [ "$level" = debian13 ] && [ ! -f /usr/share/keyrings/debian-archive-keyring.gpg ]; then
  missing+=(debian-archive-keyring)
fi
if [ "$level" = bench ] && ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  missing+=(python3-venv)
fi
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "pcfdist: please install what is missing here (names of Debian packages): ${missing[*]}" >&2
  exit 1
fi
as_root=()
how="as root"
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "pcfdist: please install what is missing as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
  how="with sudo, which may ask for your password"
fi

shown=("${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}")
echo "pcfdist: installing what 'make $level' needs and is missing here, $how:"
echo "  ${shown[*]}"
echo "pcfdist: if that fails, 'apt-get update' is run, and the installation tried again"
export DEBIAN_FRONTEND=noninteractive
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends "${missing[@]}")
if ! "${install[@]}" </dev/null >/dev/null 2>&1; then
  "${as_root[@]}" apt-get update -qq </dev/null
  "${install[@]}" </dev/null >/dev/null
fi
