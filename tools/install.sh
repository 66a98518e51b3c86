#!/usr/bin/env bash
# Installs the package, built for tests, into a library of the repository. Of the many lines that R and the compilers
# write, shows what configure decided, and warnings; the end of them where it fails. The log has all.
# Usage: tools/install.sh LIBRARY
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

export PCFDIST_TESTING=yes
library=$1
log=$library/install.log
mkdir -p "$library"
echo "pcfdist: building into $library/ (full output: $log)"
R CMD INSTALL --no-test-load --library="$library" . 2>&1 | tee "$log" |
  grep --line-buffered -E '^pcfdist: |[Ww]arning:'
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] || {
  echo "pcfdist: the installation failed; the end of $log:"
  tail -n 40 "$log"
}
exit "$status"
