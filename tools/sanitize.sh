#!/usr/bin/env bash
# The C tests under gcc's sanitizers, then a quick subset under valgrind. The last line says whether
# all passed.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc 2>/dev/null || echo 2)
c_tests() {
  make --no-print-directory -s -C tests/c -j"$jobs" "$@"
}

# Valgrind keeps one core busy for as long as all others take, so it runs beside them.
c_tests
valgrind_log=$(mktemp)
CHECK_QUICK=1 valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite \
  --errors-for-leak-kinds=definite tests/c/build/run-tests >"$valgrind_log" 2>&1 &
valgrind=$!
trap 'kill $valgrind 2>/dev/null || true; rm -f "$valgrind_log"' EXIT

echo "== address and undefined behaviour"
# Frames that are kept after a return are not aligned for vectors of 64 bytes by GCC 13.
ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=0 \
  c_tests test SANITIZE=address,undefined OPTIMISE=-O1

echo "== addresses of the kernels of the CUDA device"
CHECK_QUICK=1 c_tests test-kernels SANITIZE=address,undefined OPTIMISE=-O1

echo "== threads"
# Some kernels place programs where the thread sanitizer does not expect them.
fixed=()
if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then
  fixed=(setarch -R)
fi
c_tests SANITIZE=thread OPTIMISE=-O1
CHECK_QUICK=1 "${fixed[@]}" tests/c/build/san-thread/run-tests

echo "== valgrind"
status=0
wait $valgrind || status=$?
cat "$valgrind_log"
[ "$status" -ne 0 ] || echo "sanitize: no errors of addresses, undefined behaviour, threads or memory"
exit $status
