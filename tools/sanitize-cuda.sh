#!/usr/bin/env bash
# Runs the tests of the CUDA device under compute-sanitizer. Needs a GPU and the installed package.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
for tool in ${*:-memcheck racecheck initcheck}; do
  echo "== $tool"
  PCFDIST_REQUIRE_CUDA=1 compute-sanitizer --tool "$tool" --target-processes all \
    --error-exitcode 1 Rscript -e '
      testthat::test_dir("tests/testthat", filter = "^cuda$", package = "pcfdist",
                         load_package = "installed", reporter = "check")' || failed=1
done
exit $failed
