#!/usr/bin/env bash
# The commands of docs/measured.md on the public measurements in $BRISTLE_DATA; skipped without this folder.
command=identify
if [[ ! -d ${BRISTLE_DATA:-} ]]; then
  echo "skipped: no measurements, BRISTLE_DATA is not a folder"
  exit 77
fi
source "$(dirname "$0")/../support/command.sh"
# Other work on the machine must not shorten a search: the time of the processor is limited, not that of the clock.
ulimit -S -t 300
fit() { run 0 "$@" --seconds 3000; }

# cell FILE MODEL COLUMN: a value of a ranking; MODEL may be "recommended".
cell() {
  awk -F, -v model="$2" -v column="$3" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    model == "recommended" ? $at["recommended"] == "yes" : $1 == model { print $at[column]; exit }' "$1"
}
# within WHAT VALUE LOW HIGH
within() {
  awk -v x="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(x != "" && x >= low && x <= high) }' || fail "$1 is $2, not within $3 and $4"
}
# estimate NAME: value, low and high of a parameter of the recommended model, from the printed table.
estimate() { awk -v name="$1" '$1 == name { for (i = 3; i <= NF; ++i) if ($i == "to") print $2, $(i - 1), $(i + 1); exit }' out; }

# Rock, velocity step. Published with one state variable and the slip law: a 0.0159, b -0.0075, Dc 287 um.
fit "$BRISTLE_DATA/rock_velocity_step/sepiolite.csv" --models rate_state --rate 1 -o rock
within "R2 of the rock" "$(cell rock/ranking.csv recommended r_squared)" 0.998 1
[[ $(cell rock/ranking.csv recommended model) == rate_state_slip ]] || fail "the law: $(cat rock/ranking.csv)"
for published in "a 0.0159" "b -0.0075" "Dc 287e-6"; do
  read -r name value <<<"$published"
  read -r _ low high <<<"$(estimate "$name")"
  within "published $name" "$value" "$low" "$high"
done

# Micro-tribometer: fit of the first half, prediction of the rest.
fit "$BRISTLE_DATA/micro_tribometer/reciprocating.csv" --models dahl,lugre,maxwell_slip --effects none --train 0.5 -o micro
[[ $(cell micro/ranking.csv recommended model) == maxwell_slip ]] || fail "recommended: $(cat micro/ranking.csv)"
within "rest of the micro-tribometer, %" "$(cell micro/ranking.csv maxwell_slip rest_percent)" 1 5
within "the same with dahl" "$(cell micro/ranking.csv dahl rest_percent)" 10 15

# Screw drives: friction of one falls with speed, that of the other does not, if the two directions may differ.
for drive in "1 stribeck" "2 coulomb"; do
  read -r number model <<<"$drive"
  fit "$BRISTLE_DATA/screw_drives/drive${number}_curve.csv" --effects auto -o "drive$number"
  [[ $(cell "drive$number/ranking.csv" recommended model) == "$model" ]] || fail "drive $number: $(head -3 "drive$number/ranking.csv")"
done
within "drive 1 held out" "$(cell drive1/ranking.csv stribeck held_out_rmse)" 3e-5 6e-5

# EMPS: published 4.08 % on the run that was fitted, 5.98 % on the one with pulses.
fit "$BRISTLE_DATA/emps/train.csv" --column x=q_meas_m --column u=force_N --rate 20 --effects auto --models stribeck \
  --validate "$BRISTLE_DATA/emps/pulses.csv" -o emps
within "EMPS, %" "$(cell emps/ranking.csv stribeck relative_percent)" 1 2.9
within "EMPS with pulses, %" "$(cell emps/ranking.csv stribeck validation_percent)" 1 5.27
fit "$BRISTLE_DATA/emps/train.csv" --column x=q_meas_m --column u=force_N --effects auto --models stribeck -o whole
read -r period low high <<<"$(estimate cogging_period)"
within "half the pitch of the screw" 0.0025 "$(awk -v x="$low" 'BEGIN { print 0.999 * x }')" "$high"

verdict
