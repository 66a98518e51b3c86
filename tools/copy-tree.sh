#!/usr/bin/env bash
# Copies the sources, that is all that git tracks or would track, to a folder.
# Usage: tools/copy-tree.sh FOLDER
set -euo pipefail
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do
      [ ! -e "$file" ] || printf '%s\0' "$file"
    done |
    tar -c --null -T - | tar -x -C "$to"
else
  tar -c --exclude=./.lib --exclude=./.check --exclude=./.debian13 --exclude=./.arm-r . | tar -x -C "$to"
fi
