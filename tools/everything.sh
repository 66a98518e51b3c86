#!/usr/bin/env bash
# .ci/run, and the checks that are too slow for every change. As root, since two of them set up
# services and other systems. It takes some hours on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/steps.sh

step .ci/run
step goal sanitize-threads
step goal valgrind
step goal check-kernels
step goal attack-npy
step goal test-options
step goal test-slurm
step goal attack-jobs
step goal site
step goal test-arm
step goal test-arm-r
step goal test-windows
step goal test-debian13
sum_up
