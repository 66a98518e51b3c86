#!/usr/bin/env bash
# Runs the R tests under options and a locale in which R writes decimals with a comma and all numbers with exponents,
# has another lower case of "I", and sorts in another order. The environment variable PCFDIST_TESTS chooses topics.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

localedef -i tr_TR -f UTF-8 "$work/tr_TR.UTF-8"
env LOCPATH="$work" LC_ALL=tr_TR.UTF-8 TZ=Asia/Kathmandu PCFDIST_ODD_OPTIONS=true Rscript tools/run-testthat.R
