#!/usr/bin/env bash
# The C tests under a sanitizer of gcc, or under valgrind.
# Usage: tools/sanitize.sh address|threads|valgrind
set -euo pipefail
cd "$(dirname "$0")/.."

c_tests() {
  make --no-print-directory -s -C tests/c -j"$(nproc 2>/dev/null || echo 2)" "$@"
}

export CHECK_QUICK=1
case ${1:-} in
address)
  # Frames that are kept after a return are not aligned for vectors of 64 bytes by GCC 13.
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=0
  c_tests test SANITIZE=address,undefined OPTIMISE=-O1
  ;;
threads)
  # Some kernels place programs where the thread sanitizer does not expect them.
  fixed=()
  if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then
    fixed=(setarch -R)
  fi
  c_tests SANITIZE=thread OPTIMISE=-O1
  "${fixed[@]}" tests/c/build/san-thread/run-tests
  ;;
valgrind)
  c_tests
  # With the stacks of emulated GPUs it takes hours: tests of their kernels run under the sanitizers.
  mapfile -t launching < <(CHECK_TIMES=0 tests/c/build/run-tests |
    sed -n '/, 0 launches: /!s/.* launches: //p')
  echo "without ${#launching[@]} tests that launch kernels"
  [ "${#launching[@]}" -gt 0 ]
  valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite \
    --errors-for-leak-kinds=definite tests/c/build/run-tests "" "${launching[@]}"
  ;;
*)
  echo "usage: $0 address|threads|valgrind" >&2
  exit 2
  ;;
esac
echo "$1: nothing found"
