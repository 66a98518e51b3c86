#!/usr/bin/env bash
# The package for Windows, made by mingw-w64 and tried under wine: the C tests, a DLL that links
# by src/Makevars.win, and object code that is safe on a stack of Windows. R itself is not run.
# The last line is "N passed, N failed, 0 skipped".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

prefix=x86_64-w64-mingw32
cc=$prefix-gcc-posix
cxx=$prefix-g++-posix
jobs=$(nproc 2>/dev/null || echo 2)
build=tests/c/build/windows
work=$(mktemp -d)
export WINEPREFIX=$work/wine WINEDEBUG=-all
wine=/usr/lib/wine
trap '"$wine/wineserver64" -k; rm -rf "$work"' EXIT
passed=0
failed=0

check() { # SENTENCE COMMAND...
  if "${@:2}"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "not true: $1"
  fi
}

c_tests() {
  local p f
  make --no-print-directory -C tests/c -j"$jobs" CC="$cc" CXX="$cxx" DIR=build/windows \
    LDFLAGS=-static build/windows/run-tests >"$work/make" || grep -vE "^($cc|$cxx)" "$work/make"
  "$wine/wine64" wineboot -i >/dev/null 2>&1 # makes the folder
  CHECK_QUICK=1 "$wine/wine64" $build/run-tests.exe 2>&1 | tr -d '\r' | tee "$work/c"
  read -r p f < <(
    sed -n 's/^C tests: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/c" | tail -n 1)
  passed=$((passed + ${p:-0}))
  failed=$((failed + ${f:-1})) # where they do not compile, or crash
}

# The DLL is made in a copy, apart from the objects of this system.
dll() {
  mkdir -p $build/package
  tools/copy-tree.sh $build/package
  make --no-print-directory -C $build/package/src -j"$jobs" -f Makevars.win \
    -f ../../../../../../tools/windows.mk CC="$cc" SHLIB=pcfdist.dll \
    R_CPPFLAGS="$(R CMD config --cppflags)" LIBR="$(R RHOME)/lib/libR.so" \
    >"$work/make" 2>&1 || ! grep -v "^$cc" "$work/make"
}

exports() {
  $prefix-objdump -p $build/package/src/pcfdist.dll |
    sed -n '/Ordinal\/Name Pointer/,/^$/s/^[[:space:]][[:space:]]*\[.*\] //p'
}

exports_one() { [ "$(exports)" = R_init_pcfdist ]; }

# Moves of vectors wider than 16 bytes to or from memory that fault where it is not aligned.
aligned_moves() { # FILES...
  $prefix-objdump -d --no-show-raw-insn "$@" |
    grep -cE '\<vmov(ap[sd]|dqa|dqa32|dqa64)\>.*(\).*%[yz]mm|%[yz]mm.*\()'
}

no_aligned_moves() { [ "$(aligned_moves $build/src/*/*.o)" -eq 0 ]; }

# Debian's gcc makes no such moves for Windows in any case, and so cannot show what others would
# do. Its gcc for Linux does.
moves_are_replaced() {
  local file=src/instructions/avx512.c o=$work/kernels.o
  gcc -O2 -Isrc -c $file -o "$o" && [ "$(aligned_moves "$o")" -gt 0 ] &&
    gcc -O2 -DPCF_UNALIGNED_MOVES -Isrc -c $file -o "$o" && [ "$(aligned_moves "$o")" -eq 0 ]
}

echo "== C tests, under wine"
c_tests
echo "== the DLL"
check "src/Makevars.win makes pcfdist.dll" dll
check "the DLL exports what R calls, and nothing else" exports_one
echo "== object code"
check "no vector of 32 or 64 bytes is moved by an aligned move" no_aligned_moves
if [ "$(uname -m)" = x86_64 ]; then
  check "gcc's aligned moves are replaced where they are" moves_are_replaced
fi
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
