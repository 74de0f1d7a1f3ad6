#!/usr/bin/env bash
# The committed documents of the models and of scenario files agree with the command; `make docs` updates them.
set -euo pipefail
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 0; }
root=$(cd "$(dirname "$0")/../.." && pwd)
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
python3 "$root/tools/docs" "$BRISTLE" "$new/models"
diff -r "$new/models" "$root/docs/models" || { echo "docs/models is not up to date: run make docs"; exit 1; }
python3 "$root/tools/properties" "$BRISTLE" "$new/properties.md"
diff "$new/properties.md" "$root/docs/properties.md" || { echo "docs/properties.md is not up to date: run make docs"; exit 1; }
"$BRISTLE" help --markdown >"$new/scenario.md"
diff "$new/scenario.md" "$root/docs/scenario.md" || { echo "docs/scenario.md is not up to date: run make docs"; exit 1; }
