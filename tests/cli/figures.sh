#!/usr/bin/env bash
# Every figure file of the papers and of the examples runs, checks something, and what it checks holds; and so does the
# first example of the README. Figures marked "# slow: not run with the tests" are read only.
set -u
: "${BRISTLE:?path of the bristle command}"
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
"$BRISTLE" papers --from "$root/papers" --list >/dev/null || fail "not all figure files can be read"
cp -r "$root/papers" "$work/quick"
grep -rlx '# slow: not run with the tests' "$work/quick" | xargs -r rm
for folder in "$work/quick" "$root"/examples/*/; do
  [[ $folder == "$work/quick" || -e $folder/paper.toml ]] || continue
  "$BRISTLE" papers --from "$folder" -o "$work/out-$(basename "$folder")" >"$work/out" || fail "$folder"
  grep 'no checks' "$work/out" && fail "figures of $folder that check nothing"
  found=$(find "$folder" -name '*.toml' ! -name paper.toml | wc -l) ran=$(grep -c 'checks' "$work/out")
  [[ $found == "$ran" ]] || fail "$folder has $found figure files, $ran were run"
done
[[ $(find "$work/out-demo" -name '*.svg' | wc -l) == 4 ]] || fail "the demo has four pictures"

awk '/^```toml/ { inside = 1; next } /^```/ { if (inside) exit } inside' "$root/README.md" >"$work/block.toml"
"$BRISTLE" simulate "$work/block.toml" --quiet || fail "the example of the README"
[[ $(wc -l <"$work/block.toml") -le 16 ]] || fail "the example of the README has grown"

if ((failures)); then exit 1; fi
echo "all passed"
