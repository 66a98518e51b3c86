#!/usr/bin/env bash
# How large the package is: lines, compiled text, and the seconds of one core that an install takes.
# Usage: tools/size.sh [--no-install]
set -euo pipefail
cd "$(dirname "$0")/.."

lines() { git ls-files -z -- "$@" | xargs -0 -r cat | wc -l; }
row() { printf '%-60s %10s\n' "$@"; }
# How many pointers to functions a struct has. Usage: entries FILE STRUCT
entries() { sed -n "/^struct $2 {/,/^};/p" "$1" | grep -c '(\*'; }

row "lines of C, headers and CUDA in src/" \
  "$(lines 'src/*.c' 'src/*.h' 'src/*.cu' 'src/*.cuh')"
row "lines of R in R/" "$(lines 'R/*.R')"
row "R: files in circles, arrows up" "$(Rscript --vanilla tools/arrows.R --count)"
row "lines of R and C tests, without snapshots" \
  "$(lines 'tests/*.R' 'tests/*.c' 'tests/*.h' 'tests/*.cc' 'tests/*.cuh')"
row "functions that a sink implements" "$(entries src/blocks/sink.h pcf_sink_type)"
row "functions that a backend implements" "$(entries src/blocks/device.h pcf_backend)"

[ "${1:-}" != --no-install ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pcfdist" "$work/library"
tools/copy-tree.sh "$work/pcfdist"
export PCFDIST_CUDA=no MAKEFLAGS=-j1 TIMEFORMAT=%U
PATH=${PATH//\/usr\/lib\/ccache:/} # compiles anew
seconds=$( { time R CMD INSTALL --library="$work/library" "$work/pcfdist" \
  >"$work/log" 2>&1 || cat "$work/log" >&2; } 2>&1)
row "seconds of an installation without CUDA, on one core" "$seconds"
row "bytes of code in pcfdist.so (text segment)" \
  "$(size "$work/library/pcfdist/libs/pcfdist.so" | awk 'NR == 2 { print $1 }')"
