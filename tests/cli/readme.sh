#!/usr/bin/env bash
# The first example of the README runs as printed.
command=simulate
source "$(dirname "$0")/../support/command.sh"

awk '/^```toml/ { inside = 1; next } /^```/ { if (inside) exit } inside' "$root/README.md" >block.toml
run 0 block.toml --quiet
[[ $(wc -l <block.toml) -le 16 ]] || fail "the example of the README is longer than 16 lines"
[[ $(find "$root/examples/demo" -name '*.toml' ! -name paper.toml | wc -l) == 4 ]] || fail "the demo does not have four figures"

verdict
