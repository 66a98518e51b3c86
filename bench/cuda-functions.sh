#!/usr/bin/env bash
# Builds bench/cuda-functions.cu for the GPU of this machine and runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++17 -O3 "-arch=${ARCH:-native}" -Isrc)
for part in sparse-kernels norms-kernels evaluate-kernels; do
  "$nvcc" "${flags[@]}" -fmad=false -c "src/cuda-kernels/$part.cu" -o "$work/$part.o" &
done
"$nvcc" "${flags[@]}" -c bench/cuda-functions.cu -o "$work/cuda-functions.o" &
wait
"$nvcc" "-arch=${ARCH:-native}" "$work"/*.o -o "$work/cuda-functions"
[ -n "${BUILD_ONLY:-}" ] || "$work/cuda-functions" "$@"
