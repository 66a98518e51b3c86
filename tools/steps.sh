# For scripts that run several goals of the Makefile, each whatever became of the others: sourced.
export LC_ALL=C.UTF-8
export R_PROFILE_USER=/dev/null # nobody's own settings
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/failed"

# Runs a command, and says how long it took.
step() {
  echo
  echo "==== $*"
  local start=$SECONDS
  "$@" </dev/null || echo "$*" >>"$work/failed"
  echo "==== $* took $((SECONDS - start)) s" | tee -a "$work/seconds"
}

goal() { make --no-print-directory "$@"; }

# What took how long, and what failed. Its status is that of all steps together.
sum_up() {
  echo
  cat "$work/seconds"
  sed 's/^/FAILED: /' "$work/failed"
  [ ! -s "$work/failed" ]
}
