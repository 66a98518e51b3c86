#!/usr/bin/env bash
# Makes bench/.venv with masspcf, unless it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

python=bench/.venv/bin/python
if ! $python -c 'import masspcf' 2>/dev/null; then
  python3 -m venv bench/.venv
  $python -m pip install --quiet masspcf==0.4.1
fi
