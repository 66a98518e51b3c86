#!/usr/bin/env bash
# Fails where files of src/ include each other in a circle, a file and its header counted as one, where
# a room includes one that stands after it in this order, or R's headers if it is not the glue.
set -euo pipefail
cd "$(dirname "$0")/../src"
rooms="base arithmetic arrays blocks collections summaries algebra reductions diagrams drawing disk integrals kernels pairs products depth clusters sinks pruning
  instructions cuda-kernels cuda functions cuda-functions testing glue"

seeing=$(grep -lE '^ *#include <(R|Rinternals|Rmath|R_ext/.*)(\.h)?>' ./*/*.[ch] | grep -v '^\./glue/' || true)
if [ -n "$seeing" ]; then
  echo "only files in src/glue/ may include R's headers:"
  echo "$seeing"
  exit 1
fi

# "FILE INCLUDED", without extensions.
arrows=$(grep -HoE '^ *#include "[^"]+"' ./*.[ch] ./*/*.[ch] ./*/*.cu ./*/*.cuh |
  sed -E 's,^\./([^:]+):.*"(.+)",\1 \2,; s,\.(c|h|cu|cuh)( |$),\2,g' |
  awk '$1 != $2' | sort -u)

upward=$(awk -v rooms="$rooms" '
  BEGIN { n = split(rooms, names); for (k = 1; k <= n; k++) place[names[k]] = k }
  function room(file) { return file ~ /\// ? substr(file, 1, index(file, "/") - 1) : "" }
  {
    from = room($1); to = room($2)
    if (from != "" && !(from in place)) print $1 ": tools/arrows.sh does not list its folder"
    else if (from != "" && place[to] > place[from]) print $1 " includes " $2
  }' <<<"$arrows")
if [ -n "$upward" ]; then
  echo "files include a folder above their own (the order is in tools/arrows.sh):"
  echo "$upward"
  exit 1
fi
if ! circle=$(tsort <<<"$arrows" 2>&1 >/dev/null); then
  echo "files include each other in a circle:"
  echo "$circle"
  exit 1
fi
