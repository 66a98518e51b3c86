#!/usr/bin/env bash
# R CMD build and R CMD check --as-cran, with further arguments for the latter. Fails on any error,
# warning or note.
set -euo pipefail
cd "$(dirname "$0")/.."

export LC_ALL=C.UTF-8 # R checks UTF-8 sources in this locale, or asks for en_US.UTF-8
export R_CHECK_ENVIRON=$PWD/tools/check.Renviron
work=$PWD/.check
rm -rf "$work"
mkdir -p "$work/pcfdist"
tools/copy-tree.sh "$work/pcfdist" # no objects, nothing that git ignores
cd "$work"

# An empty repository, so that the check asks no server for an index.
mkdir -p empty/src/contrib
: >empty/src/contrib/PACKAGES
echo "options(repos = c(CRAN = 'file://$work/empty'))" >profile.R
export R_PROFILE=$work/profile.R

# Without CUDA, whose static runtime brings symbols that R objects to. Without debugging
# information, which would count as size, but with the symbols that the check looks for.
unset PCFDIST_TESTING
export PCFDIST_CUDA=no R_STRIP_SHARED_LIB="strip --strip-debug"
R CMD build pcfdist
status=0
R CMD check --as-cran --no-manual --install-args=--strip "$@" pcfdist_*.tar.gz || status=$?
if grep -aoE 'ffi_(fail_at|provoke_file|cuda_provoke)|on request of a test' pcfdist.Rcheck/pcfdist/libs/pcfdist.so; then
  echo "what only tests may use is in the package"
  status=1
fi
awk -F '\t' 'NR > 1 && $2 + $3 > 5 { print "the example " $1 " takes " $2 + $3 " s"; slow = 1 } END { exit slow }' \
  pcfdist.Rcheck/pcfdist-Ex.timings || status=1
summary=$(sed -n 's/^Status: //p' pcfdist.Rcheck/00check.log)
echo "R CMD check: ${summary:-did not finish}"
[ "$status" -eq 0 ] && [ "$summary" = OK ]
