#!/usr/bin/env bash
# From asperities to a lumped model: the commands of examples/identify/asperities, the fit in the gallery, and the table in
# docs/tribometer.md.
command=identify
source "$(dirname "$0")/../support/command.sh"
export BRISTLE

"$root/examples/identify/asperities/lump.sh" lumped >out 2>err || fail "lump.sh: $(cat err)"
[[ $(ls lumped/gfm/recordings/gfm) == $'curve.csv\nloops.csv\nstrokes.csv' ]] || fail "recordings: $(ls lumped/gfm/recordings/gfm)"
grep -q 'no time: .* rows of steady sliding' out || fail "the curve is not read as steady points"
[[ -s lumped/both/index.html ]] || fail "no page with both"

# The gallery shows the same fit.
for key in Fc Fs vs C; do
  new=$(awk -v key="$key" '$1 == key && $2 == "=" { print $3 }' lumped/gms/gms.toml)
  shown=$(awk -v key="$key" '$1 == key && $2 == "=" { print $3 }' "$root/papers/albender2008/identified/gms.toml")
  awk -v a="$new" -v b="$shown" 'BEGIN { d = a - b; exit !(b > 0 && (d < 0 ? -d : d) < 0.02 * b) }' || fail "$key is $new, the gallery has $shown"
done

# The rows of the table in the docs: property, asperities, GMS.
sed -nE 's/^(.*[a-z]) +(yes|no) +[^ ]+(, [a-z]+( [0-9]+)?)? +(yes|no) .*/| \1 | \2 | \5 |/p' out >table
[[ $(wc -l <table) == 12 ]] || fail "the table: $(cat table)"
while IFS= read -r line; do
  grep -qxF -- "$line" "$root/docs/tribometer.md" || fail "not in docs/tribometer.md: $line"
done <table

verdict
