#!/usr/bin/env bash
# FMUs of three models in FMPy, an importer, if tools/install-ship has installed it; make check-ship takes all models.
set -euo pipefail
python=$(dirname "$0")/../../build/ship/bin/python
if ! "$python" -c "import fmpy" 2>/dev/null; then
  echo "skipped: FMPy is not installed; tools/install-ship installs it"
  exit 77
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! "$python" "$(dirname "$0")/../ship/fmu_check.py" "$BRISTLE" coulomb lugre gms >"$log" 2>&1; then
  grep -v "^\[20" "$log"
  exit 1
fi
