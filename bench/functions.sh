#!/usr/bin/env bash
# Times what works on functions, beside stablebear, one case after the other: norms, evaluation,
# means, functions from diagrams, and arithmetic.
#
#   --quick        a tenth of the functions, to see that all runs
#   --no-peer      pcfdist alone
#   --threads N    default: the cores that this process may use
#
# A full run writes bench/results/functions-DATE.md and .csv, any other bench/work/functions.md
# and .csv. It wants a quiet machine.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=no peer=yes threads=$(nproc 2>/dev/null || echo 2)
while [ $# -gt 0 ]; do
  case $1 in
  --quick) quick=yes ;;
  --no-peer) peer=no ;;
  --threads) threads=$2 && shift ;;
  *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
  esac
  shift
done

work=bench/work/functions
rm -rf $work
mkdir -p $work bench/results
cut -d' ' -f1-3 /proc/loadavg >$work/load 2>/dev/null || echo unknown >$work/load
[ $peer = no ] || bench/venv.sh
python=bench/.venv/bin/python
export BENCH_ROWS=$work/rows.csv

# Runs a command and keeps it for the report.
run() {
  echo "== $*"
  echo "$*" >>$work/commands
  "$@"
}

# stablebear, if it is wanted.
run_peer() {
  [ $peer = no ] || run $python "$@"
}

shrink=1 options=()
[ $quick = no ] || shrink=10 options+=(--quick)
[ $peer = yes ] || options+=(--no-peer)
run Rscript bench/functions.R "$threads" "${options[@]}"

# stablebear's mean takes time that grows with the square of the number of functions.
run Rscript bench/means.R $work/means $((100000 / shrink)) "$threads" 5
if [ $peer = yes ]; then
  run Rscript bench/means.R $work/means $((10000 / shrink)) "$threads" 3 $python
else
  run Rscript bench/means.R $work/means $((10000 / shrink)) "$threads" 3
fi
rm -rf $work/means

run Rscript bench/diagrams.R $((10000 / shrink)) 500 "$threads"
run_peer bench/diagrams-peer.py $((10000 / shrink)) 500 "$threads"

run Rscript bench/algebra.R $work/algebra $((20000 / shrink)) "$threads"
run_peer bench/algebra-peer.py $work/algebra "$threads"
rm -rf $work/algebra

report=bench/work/functions
if [ $quick = no ] && [ $peer = yes ]; then
  report=bench/results/functions-$(date +%Y-%m-%d)
fi
Rscript bench/functions-report.R $work "$threads" $quick "$report"
echo "Written to $report.md and $report.csv"
