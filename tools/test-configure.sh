#!/usr/bin/env bash
# What configure decides about CUDA, with a stand-in for nvcc that knows one architecture and makes
# nothing, and one for CUDA's runtime that finds the GPUs that it is told of. The last line is "configure tests: N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/package" "$work/bin"
cp -R configure DESCRIPTION src "$work/package"
cat >"$work/bin/nvcc" <<'END'
#!/bin/sh
[ "$1" != --list-gpu-code ] || echo sm_90
[ $# -eq 1 ] || echo "$*" >"${0%/*}/arguments"
END
chmod +x "$work/bin/nvcc"
mkdir "$work/include"
gpus() { # CAPABILITY...: those that the runtime finds
  cat >"$work/include/cuda_runtime_api.h" <<END
enum { cudaSuccess, cudaDevAttrComputeCapabilityMajor = 10, cudaDevAttrComputeCapabilityMinor = 1 };
static const int found[] = {$(printf '%s, ' "$@") 0};
static int cudaGetDeviceCount(int *count) { return *count = $#, $# == 0; }
static int cudaDeviceGetAttribute(int *value, int what, int k) {
  return *value = what == cudaDevAttrComputeCapabilityMajor ? found[k] / 10 : found[k] % 10, 0;
}
END
}
passed=0
failed=0

# The last line that configure prints of itself or, with `lines`, the last that matches that.
says() { # SENTENCE VARIABLE=VALUE... [-- ARGUMENT...]
  local sentence=$1 settings=() said
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    settings+=("$1")
    shift
  done
  [ $# -eq 0 ] || shift
  said=$(cd "$work/package" && env -u PCFDIST_CUDA -u PCFDIST_CUDA_ARCH -u PCFDIST_TESTING -u R_LIBRARY_DIR \
    PATH="$work/bin:$PATH" "${settings[@]}" ./configure "$@" 2>&1 |
    grep -E "${lines:-^pcfdist: |error:}" | tail -n 1)
  if [[ $said == *"$sentence"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "configure ${settings[*]} $* said: $said"
    echo "  and not: $sentence"
  fi
}

is() { # WHAT WANTED
  if [ "$1" = "$2" ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "it was: $1"
    echo "  and not: $2"
  fi
}

only="pcfdist: building for CPU only"
useless="$work/bin/nvcc cannot compile and link a kernel"
building=R_LIBRARY_DIR=/tmp/RtmpAbc123/Rinst4d5e6f

# No GPU: only what is asked for by name is built.
gpus
says "$only (no GPU of compute capability 8.0 or newer here; for those of other machines: --with-cuda=yes"
says "$only (no GPU of" PCFDIST_CUDA=auto
says "$only (--with-cuda=no)" PCFDIST_CUDA=yes -- --with-cuda=no
says "$only (PCFDIST_CUDA=no)" PCFDIST_CUDA=no
says "$only (PCFDIST_CUDA=0)" PCFDIST_CUDA=0
says "$only (--with-cuda=0)" PCFDIST_CUDA=yes -- --with-cuda=0
says "$only (no GPU of" PCFDIST_CUDA=
says "error: PCFDIST_CUDA=yes: $useless" PCFDIST_CUDA=yes
says "error: PCFDIST_CUDA=1: $useless" PCFDIST_CUDA=1
says "error: PCFDIST_CUDA=$work: $useless" PCFDIST_CUDA="$work"
says "error: PCFDIST_CUDA=/none: there is no /none/bin/nvcc" PCFDIST_CUDA=/none
for unknown in false 2 NO; do
  says "error: PCFDIST_CUDA=$unknown is unknown: it must be auto, yes (or 1), no (or 0), or the path" PCFDIST_CUDA=$unknown
done
says "error: --with-cuda=yes: $useless" PCFDIST_CUDA=no -- --with-cuda=yes
says "$only ($useless" PCFDIST_CUDA_ARCH=90
says "$only ($work/bin/nvcc builds for none of: 10)" PCFDIST_CUDA_ARCH=10
says "$only (R CMD build needs no GPU)" "$building"
says "error: PCFDIST_CUDA=yes: $useless" "$building" PCFDIST_CUDA=yes

# A GPU that is too old, one that nvcc knows, and one that is newer.
gpus 75
says "$only (no GPU of"
gpus 90
says "$only ($useless"
says "$only ($useless" R_LIBRARY_DIR=/usr/lib/R/site-library
says "$only (PCFDIST_CUDA=no)" PCFDIST_CUDA=no
gpus 130
says "$only ($useless"
gpus 90 80
lines='^checking for GPUs' says "checking for GPUs in this machine... 80 90"

# nvcc gets the compiler without what is in front of it and behind it.
for cxx in g++ 'ccache g++' '/usr/bin/sccache  g++ -std=gnu++17' 'g++ -I ccache x'; do
  echo "CXX = $cxx" >"$work/Makevars"
  says "error: PCFDIST_CUDA=yes: $useless" PCFDIST_CUDA=yes R_MAKEVARS_USER="$work/Makevars"
  is "$(grep -o -e '-ccbin [^ ]*' "$work/bin/arguments")" "-ccbin g++"
done

# What lets steps fail is in builds for tests alone.
testing() { grep -oE 'PCF_TESTING|glue/r-testing\.o|testing/[a-z-]*\.o' "$work/package/src/Makevars" | tr '\n' ' '; }
says "$only (--with-cuda=no)" -- --with-cuda=no
is "$(testing)" ""
touch "$work/package/src/old.o"
says "$only (--with-cuda=no)" PCFDIST_TESTING=no -- --with-cuda=no
is "$(testing)" ""
is "$(basename "$work/package/src/"*.o)" old.o
says "pcfdist: building for tests" PCFDIST_TESTING=yes -- --with-cuda=no
is "$(testing)" "glue/r-testing.o testing/device-failing.o PCF_TESTING "
is "$(ls "$work/package/src/"*.o 2>/dev/null)" ""

echo "configure tests: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
