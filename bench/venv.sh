#!/usr/bin/env bash
# Makes bench/.venv with stablebear or, with the argument "doors", with scipy and PySpike, unless they
# are there.
set -euo pipefail
cd "$(dirname "$0")/.."

python=bench/.venv/bin/python
modules=stablebear packages=stablebear==0.5.1
if [ "${1:-}" = doors ]; then
  modules=scipy,pyspike packages='scipy==1.17.0 pyspike==0.9.0'
fi
if ! $python -c "import $modules" 2>/dev/null; then
  python3 -m venv bench/.venv
  # shellcheck disable=SC2086 # several packages
  $python -m pip install --quiet $packages
fi
