#!/usr/bin/env bash
# The JSON schema of scenario files: valid; accepts every file that `bristle check` accepts; refuses wrong ones.
command=schema
source "$(dirname "$0")/../support/command.sh"
python=
for p in python3 /usr/bin/python3; do "$p" -W ignore -c 'import tomllib, jsonschema' 2>/dev/null && python=$p && break; done
[[ -n $python ]] || { echo "no python3 with tomllib and jsonschema: skipped"; exit 77; }
run 0
$python -W ignore "$root/tests/support/schema.py" "$BRISTLE" "$root" || fail "the schema"
verdict
