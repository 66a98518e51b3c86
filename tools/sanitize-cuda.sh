#!/usr/bin/env bash
# Runs the CUDA device under compute-sanitizer: every kernel once on little data under racecheck,
# memcheck and initcheck, and its tests under the latter two. Needs a GPU and the installed
# package; takes about half an hour.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
tests='testthat::test_dir("tests/testthat", filter = "cuda", package = "pcfdist",
                          load_package = "installed", reporter = "check")'
failed=0
check() { # TOOL ARGUMENT...
  local tool=$1 options=()
  shift
  # A test makes an impossible launch on purpose: only errors of kernels count.
  [ "$tool" = memcheck ] && options=(--report-api-errors no)
  PCFDIST_REQUIRE_CUDA=1 compute-sanitizer --tool "$tool" "${options[@]}" \
    --target-processes all --error-exitcode 1 Rscript "$@"
}

echo "== racecheck, in parts that run side by side"
parts=()
for part in complete partial lines partial_lines bounds; do
  check racecheck tools/cuda-kernels.R "$part" &
  parts+=($!)
done
for part in "${parts[@]}"; do wait "$part" || failed=1; done
for tool in memcheck initcheck; do
  echo "== $tool"
  check "$tool" tools/cuda-kernels.R || failed=1
  check "$tool" -e "$tests" || failed=1
done
exit $failed
