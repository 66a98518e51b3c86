#!/usr/bin/env bash
# Tests of jobs with a real Slurm, which it starts and ends; those with further R processes are among
# the others. Where Slurm cannot be started, they are skipped, and it says why. The last line counts
# the tests.
set -uo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'tools/slurm.sh stop "$work/slurm" 2>/dev/null; rm -rf "$work"' EXIT

if [ "$(id -u)" -ne 0 ]; then
  echo "test-slurm: Slurm was not started, since that needs root"
elif ! timeout 60 tools/slurm.sh start "$work/slurm" >"$work/log" 2>&1 </dev/null; then
  echo "test-slurm: Slurm cannot be started here:"
  tail -n 8 "$work/log"
else
  export SLURM_CONF=$work/slurm/slurm.conf PCFDIST_SLURM_TEMPLATE=$PWD/tools/slurm.tmpl
fi

export PCFDIST_TESTS='^pairs-slurm$'
status=0
timeout 900 Rscript tools/run-testthat.R "$work/r" || status=1 # so that nothing waits for ever
if ! read -r passed failed skipped <"$work/r"; then
  passed=0 failed=1 skipped=0
fi
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
