#!/usr/bin/env bash
# Runs the tests of configure, of C and of R. Those of C are compiled and run beside the others, and
# shown after them. The last line is the sum: "N passed, N failed, N skipped", counted in tests, not
# in single expectations.
set -uo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
broken=0

make --no-print-directory -s -C tests/c test >"$work/c" 2>&1 &
c_tests=$!
trap 'kill "$c_tests" 2>/dev/null; rm -rf "$work"' EXIT

echo "== tests of configure"
tools/test-configure.sh 2>&1 | tee "$work/configure" || broken=1
read -r passed failed < <(
  sed -n 's/^configure tests: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/configure")

echo "== R tests"
Rscript tools/run-testthat.R "$work/r" || broken=1
read -r r_passed r_failed r_skipped 2>/dev/null <"$work/r" || true
if [ -z "${r_passed:-}" ]; then
  r_passed=0
  r_failed=1
  r_skipped=0
fi

echo "== C tests"
wait "$c_tests" || broken=1
cat "$work/c"
read -r c_passed c_failed < <(
  sed -n 's/^C tests: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/c" | tail -n 1)
c_passed=${c_passed:-0}
c_failed=${c_failed:-1} # did not compile, or crashed

passed=$((${passed:-0} + c_passed + r_passed))
failed=$((${failed:-1} + c_failed + r_failed))
if [ "$broken" -ne 0 ] && [ "$failed" -eq 0 ]; then
  failed=1
fi
echo "$passed passed, $failed failed, $r_skipped skipped"
[ "$failed" -eq 0 ]
