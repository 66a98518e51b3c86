#!/usr/bin/env bash
# Makes bench/.venv with stablebear, unless it is there; with the argument "doors" with scipy and PySpike instead, and
# with "truth" with gmpy2.
set -euo pipefail
cd "$(dirname "$0")/.."

python=bench/.venv/bin/python
case "${1:-}" in
  doors) modules=scipy,pyspike packages='scipy==1.17.0 pyspike==0.9.0' ;;
  truth) modules=gmpy2 packages=gmpy2==2.3.2 ;;
  *) modules=stablebear packages=stablebear==0.5.1 ;;
esac
if ! $python -c "import $modules" 2>/dev/null; then
  python3 -m venv bench/.venv
  # shellcheck disable=SC2086 # several packages
  $python -m pip install --quiet $packages
fi
