#!/usr/bin/env bash
# Runs the CUDA device under compute-sanitizer: its tests under memcheck and initcheck, and, since
# racecheck slows kernels down a thousand times, every kernel once on little data under that.
# Needs a GPU and the installed package.
set -uo pipefail
cd "$(dirname "$0")/.."
tests='testthat::test_dir("tests/testthat", filter = "^cuda$", package = "pcfdist",
                          load_package = "installed", reporter = "check")'
kernels='library(pcfdist)
set.seed(1)
x <- pcf(lapply(1:70, function(i) cumsum(sample(3, 12, TRUE))),
         lapply(1:70, function(i) c(rnorm(11), 0)))
# So many breakpoints that sums are flushed.
long <- pcf(lapply(1:40, function(i) cumsum(sample(3, 1200, TRUE))),
            lapply(1:40, function(i) c(rnorm(1199), 0)))
for (kernel in c("sweep", "grid", "split")) {
  options(pcfdist.kernel = kernel)
  for (precision in c("double", "single")) {
    for (p in c(1, 2, 3, 2.7, Inf)) pdist(x, p, device = "cuda", precision = precision)
    l2_kernel(x, device = "cuda", precision = precision)
    cdist(x, x[1:40], to = 9, device = "cuda", precision = precision)
    for (p in c(1, 2.7)) pdist(long, p, device = "cuda", precision = precision)
    l2_kernel(long, device = "cuda", precision = precision)
  }
}'
failed=0
check() {
  echo "== $1"
  local options=()
  # A test makes an impossible launch on purpose: only errors of kernels count.
  [ "$1" = memcheck ] && options=(--report-api-errors no)
  PCFDIST_REQUIRE_CUDA=1 compute-sanitizer --tool "$1" "${options[@]}" \
    --target-processes all --error-exitcode 1 Rscript -e "$2" || failed=1
}
check memcheck "$tests"
check initcheck "$tests"
check racecheck "$kernels"
exit $failed
