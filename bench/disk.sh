#!/usr/bin/env bash
# Distances into a file that is larger than the memory may be: time and memory, beside computing
# alone and dd alone. Needs 2 N * N bytes of disk, in bench/work or in FOLDER.
#
#   bench/disk.sh [N [THREADS [MEGABYTES [FOLDER]]]]
#
# With MEGABYTES, as root and where control groups are to be had, the call that writes runs in
# one with so much memory, the pages of its files among it.
set -euo pipefail
cd "$(dirname "$0")/.."

n=${1:-100000}
threads=${2:-2}
megabytes=${3:-}
folder=${4:-bench/work/disk}
mkdir -p "$folder"
file=$folder/d
trap 'rm -f "$file" "$file".* "$folder"/zeros' EXIT
rm -f "$file" "$file".*

limited() {
  [ -n "$megabytes" ] || { "$@" && return; }
  local group=/sys/fs/cgroup/memory/pcfdist-bench limit=memory.limit_in_bytes
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    group=/sys/fs/cgroup/pcfdist-bench limit=memory.max
  fi
  mkdir -p "$group"
  echo $((megabytes << 20)) >"$group/$limit"
  (echo "$BASHPID" >"$group/cgroup.procs" && exec "$@")
  rmdir "$group" || true
}

echo "## $n functions of 3 breakpoints, single precision, $threads threads"
Rscript --vanilla bench/disk.R compute "$n" "$threads"
limited Rscript --vanilla bench/disk.R write "$n" "$threads" "$file"
rm -f "$file" "$file".*
pairs=$((n * (n - 1) / 2))
blocks=$((pairs * 4 >> 20))
fallocate -l $((blocks << 20)) "$folder/zeros"
sync
start=$(date +%s%N)
dd if=/dev/zero of="$folder/zeros" bs=1M count=$blocks conv=notrunc,fsync status=none
milliseconds=$((($(date +%s%N) - start) / 1000000))
echo "dd of as many bytes, into a file that has its size: $milliseconds ms"
