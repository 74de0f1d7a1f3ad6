#!/usr/bin/env bash
# All example scenarios run, and their expectations hold.
set -u
: "${BRISTLE:?path of the bristle command}"
folder=$(cd "$(dirname "$0")/../../examples/scenarios" && pwd)
failures=0
for file in "$folder"/*.toml; do
  grep -q '^\[expect\]' "$file" || { echo "FAILED: $file expects nothing"; failures=$((failures + 1)); }
  "$BRISTLE" simulate "$file" --quiet || { echo "FAILED: $file"; failures=$((failures + 1)); }
done
if ((failures)); then exit 1; fi
echo "all passed"
