#!/usr/bin/env bash
# Builds bench/cuda-kernel.c for the GPU of this machine and runs it with the given arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
cuda=$(cd "$(dirname "$nvcc")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for part in sweep bands grid; do
  "$nvcc" -std=c++17 -O3 -arch=native -Isrc -c "src/cuda-kernels/$part.cu" -o "$work/$part.o" &
done
wait
"${CC:-cc}" -std=gnu11 -O2 -Isrc -I"$cuda/include" bench/cuda-kernel.c "$work"/*.o \
  -o "$work/cuda-kernel" -L"$cuda/lib64" -L"$cuda/lib" -lcudart_static -lrt -lpthread -ldl \
  -lstdc++ -lm
"$work/cuda-kernel" "$@"
