#!/usr/bin/env bash
# Makes bench/.venv with stablebear, unless it is there.
set -euo pipefail
cd "$(dirname "$0")/.."

python=bench/.venv/bin/python
if ! $python -c 'import stablebear' 2>/dev/null; then
  python3 -m venv bench/.venv
  $python -m pip install --quiet stablebear==0.5.1
fi
