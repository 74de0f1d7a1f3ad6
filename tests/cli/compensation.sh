#!/usr/bin/env bash
# The checks of the figures hold, and the tables of docs/compensation.md are theirs.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
python3 "$root/tools/compensation" "$BRISTLE" "$root/docs/compensation.md" --check
