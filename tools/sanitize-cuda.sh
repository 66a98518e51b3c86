#!/usr/bin/env bash
# Runs the CUDA device under compute-sanitizer: its tests under memcheck and initcheck, and every
# kernel once on little data under racecheck. Needs a GPU and the installed package.
set -uo pipefail
cd "$(dirname "$0")/.."
tests='testthat::test_dir("tests/testthat", filter = "cuda", package = "pcfdist",
                          load_package = "installed", reporter = "check")'
failed=0
check() {
  local tool=$1 options=()
  shift
  echo "== $tool"
  # A test makes an impossible launch on purpose: only errors of kernels count.
  [ "$tool" = memcheck ] && options=(--report-api-errors no)
  PCFDIST_REQUIRE_CUDA=1 compute-sanitizer --tool "$tool" "${options[@]}" \
    --target-processes all --error-exitcode 1 Rscript "$@" || failed=1
}
check memcheck -e "$tests"
check initcheck -e "$tests"
check racecheck tools/cuda-kernels.R
exit $failed
