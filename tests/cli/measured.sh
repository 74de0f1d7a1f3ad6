#!/usr/bin/env bash
# The command lines of docs/measured.md on public measurements, found through $BRISTLE_DATA; skipped without them.
set -u
: "${BRISTLE:?path of the bristle command}"
if [[ ! -d ${BRISTLE_DATA:-} ]]; then
  echo "skipped: no measurements, BRISTLE_DATA is not a folder"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
run() { # ARG...
  "$BRISTLE" identify "$@" >out 2>err || fail "identify $*: $(cat err)"
}
# cell FILE MODEL COLUMN: of a ranking; MODEL may be "recommended".
cell() {
  awk -F, -v model="$2" -v column="$3" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    model == "recommended" ? $at["recommended"] == "yes" : $1 == model { print $at[column]; exit }' "$1"
}
# within WHAT VALUE LOW HIGH
within() {
  awk -v x="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(x != "" && x >= low && x <= high) }' || fail "$1 is $2, not within $3 and $4"
}
# estimate NAME: of the recommended model, from what was printed: value, low, high.
estimate() { awk -v name="$1" '$1 == name { for (i = 3; i <= NF; ++i) if ($i == "to") print $2, $(i - 1), $(i + 1); exit }' out; }

# Rock, velocity step. Published with one state variable and the slip law: a 0.0159, b -0.0075, Dc 287 um.
run "$BRISTLE_DATA/rock_velocity_step/sepiolite.csv" --models rate_state --rate 1 -o rock
within "R2 of the rock" "$(cell rock/ranking.csv rate_state r_squared)" 0.998 1
grep -q '^law = "slip"' rock/rate_state.toml || fail "the law: $(grep law rock/rate_state.toml)"
for published in "a 0.0159" "b -0.0075" "Dc 287e-6"; do
  read -r name value <<<"$published"
  read -r _ low high <<<"$(estimate "$name")"
  within "published $name" "$value" "$low" "$high"
done

# Micro-tribometer: the first half fitted, the rest predicted.
run "$BRISTLE_DATA/micro_tribometer/reciprocating.csv" --models dahl,lugre,maxwell_slip --train 0.5 -o micro
[[ $(cell micro/ranking.csv recommended model) == maxwell_slip ]] || fail "recommended: $(cat micro/ranking.csv)"
within "rest of the micro-tribometer, %" "$(cell micro/ranking.csv maxwell_slip rest_percent)" 1 5
within "the same with dahl" "$(cell micro/ranking.csv dahl rest_percent)" 10 15

if ((failures)); then
  echo "$failures failures"
  exit 1
fi
echo "all passed"
