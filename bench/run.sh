#!/usr/bin/env bash
# Times pcfdist beside stablebear on the same data, cores and minutes.
#
#   --quick        an eighth of the functions and two repeats, to see that all runs
#   --only REGEX   only the cases whose name matches
#   --no-peer      pcfdist alone
#   --threads N    default: the cores that this process may use
#
# A full run writes bench/results/cpu-DATE.md and .csv, any other bench/work/report.md and .csv.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=no only=. peer=yes threads=$(nproc 2>/dev/null || echo 2) repeats=5
while [ $# -gt 0 ]; do
  case $1 in
  --quick) quick=yes ;;
  --only) only=$2 && shift ;;
  --no-peer) peer=no ;;
  --threads) threads=$2 && shift ;;
  *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 2 ;;
  esac
  shift
done

work=bench/work
mkdir -p $work bench/results
rm -f $work/*.csv $work/*.bin
cut -d' ' -f1-3 /proc/loadavg >$work/load 2>/dev/null || echo unknown >$work/load

# The cases of this run.
[ $quick = no ] || repeats=2
if [ $quick = yes ]; then
  awk -F, -v OFS=, 'NR > 1 && $3 > 100 { $3 = int($3 / 8) } { print }' bench/cases.csv
else
  cat bench/cases.csv
fi | awk -F, -v only="$only" 'NR == 1 || $1 ~ only' >$work/cases.csv

python=bench/.venv/bin/python
[ $peer = no ] || bench/venv.sh

export BENCH_ROWS=$work/rows.csv

Rscript bench/workloads.R $work $work/cases.csv
# The instruction set is not the peer's to choose: the first of the cases that share the rest is
# its run for all of them.
declare -A done_by_peer
tail -n +2 $work/cases.csv | while IFS=, read -r case workload n function p precision _ _ missing; do
  echo "$case"
  key="$workload-$n-$function-$p-$precision"
  # The peer knows all functions everywhere.
  if [ $peer = yes ] && [ -z "$missing" ] && [ -z "${done_by_peer[$key]:-}" ]; then
    $python bench/peer.py $work $work/cases.csv "$case" "$threads" "$repeats" </dev/null
    done_by_peer[$key]=yes
  fi
  Rscript bench/pcfdist.R $work $work/cases.csv "$case" "$threads" "$repeats" </dev/null
done

report=$work/report
if [ $quick = no ] && [ "$only" = . ] && [ $peer = yes ]; then
  report=bench/results/cpu-$(date +%Y-%m-%d)
fi
Rscript bench/report.R $work $work/cases.csv "$threads" "$report"
echo "Written to $report.md and $report.csv"
