#!/usr/bin/env bash
# Installs the package with the CUDA device of the C tests: its runtime is a fake, and the kernels
# run on the processor (tests/c/emulated/cuda.h). What R's tests ask of GPUs is then answered
# without one, slowly.
# Usage: tools/install-emulated.sh LIBRARY
set -euo pipefail
cd "$(dirname "$0")/.."

library=$(mkdir -p "$1" && cd "$1" && pwd)
source=$library/source
trap 'rm -rf "$source"' EXIT
rm -rf "$source"
mkdir "$source"
git ls-files -z | xargs -0 cp --parents -t "$source"

tests=$PWD/tests/c
cd "$source"
for file in src/cuda-kernels/*.cu src/cuda-kernels/*.cuh; do
  perl "$tests/emulated/launches.pl" "$file" >file
  rm "$file"
  mv file "${file%.cu}$(case $file in *.cu) echo .cc ;; esac)"
done

export PCFDIST_TESTING=yes
./configure --with-cuda=no >"$library/install.log"
mkdir src/emulated
cp tests/c/emulated/*.{c,cc} src/emulated
objects=$(cd src && ls cuda*/*.c cuda-kernels/*.cc emulated/*.c emulated/*.cc | grep -v stub | sed 's/\.cc*$/.o/')
sed -i -e "s|cuda-functions/stub.o|$(echo $objects)|" -e '/^cuda-kernels\/.*\.cu$/,+1d' \
  -e "s|^PKG_CPPFLAGS = |&-DFAKE_DEVICES=2 -I$tests/emulated |" \
  -e "s|^PKG_LIBS = |&-lstdc++ |" src/Makevars
cat >>src/Makevars <<'MAKE'
CXX_STD = CXX17
PKG_CXXFLAGS = -include cuda.h -fno-strict-aliasing -ffp-contract=off -Wno-unknown-pragmas
MAKE
rm -f configure cleanup
R CMD INSTALL --no-docs --no-test-load --library="$library" . >>"$library/install.log" 2>&1 || {
  tail -n 40 "$library/install.log"
  exit 1
}
