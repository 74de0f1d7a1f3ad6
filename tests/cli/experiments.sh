#!/usr/bin/env bash
# `bristle identify`: experiments in recordings, weights of recordings, groups of files.
command=identify
source "$(dirname "$0")/../support/command.sh"

# Strokes at 0.05 and 0.2 m/s in both directions with pauses: strokes FILE FC SEED, friction FC + 10 v.
strokes() {
  awk -v Fc="$2" -v seed="$3" 'BEGIN {
    srand(seed); print "t,x,F"; x = 0; split("0.05 -0.05 0.2 -0.2 0.05 -0.05", speeds, " ")
    for (k = 1; k <= 6; ++k) for (i = 0; i < 500; ++i) {
      v = i < 400 ? speeds[k] : 0; x += v * 0.002; s = speeds[k] > 0 ? 1 : -1
      printf "%.4f,%.9f,%.6f\n", t, x, s * Fc + 10 * v + 0.02 * (rand() + rand() - 1); t += 0.002 } }' >"$1"
}
# number FILE EXPERIMENT NAME: value, low, high of the first such number in JSON.
number() {
  awk -v experiment="\"$2\"," -v name="\"$3\"," '$1 == "\"experiment\":" { on = $0 ~ experiment; named = 0 }
    $1 == "\"name\":" { named = $0 ~ name } on && named && ($1 == "\"value\":" || $1 == "\"low\":" || $1 == "\"high\":") {
    gsub(",", "", $2); print $2; if (++n == 3) exit }' "$1" | tr '\n' ' '
}
# brackets WHAT TRUTH VALUE LOW HIGH
brackets() {
  awk -v x="$2" -v low="${4:-nan}" -v high="${5:-nan}" 'BEGIN { exit !(low != "nan" && x >= low && x <= high) }' ||
    fail "$1: $2 is not within $4 and $5"
}

strokes joint1_run.csv 3 1
strokes joint1_again.csv 3 2
strokes joint2_run.csv 8 3
run 0 joint1_run.csv --models coulomb -o one
has out 'constant speed'
grep -Eq 'constant speed +friction +0.0(5|50..|499.) m/s' out || fail "$(grep constant out)"
has one/report.html 'Experiments'
has one/experiments.csv 'constant speed,friction,'
run 0 one/steady.csv --models coulomb -o curve # the steady points are a recording again
awk '$1 == "Fc" && $2 == "=" { d = $3 - 3 } END { exit !(d > -0.05 && d < 0.05) }' curve/coulomb.toml || fail "$(grep Fc curve/coulomb.toml)"
run 0 joint1_run.csv --models coulomb --json
read -r value low high <<<"$(number out 'constant speed' friction)"
brackets "friction at 0.05 m/s" 3.5 "$value" "$low" "$high"

# A force ramp of the simulation, as an actuator force with noise.
cat >ramp.toml <<'END'
[friction]
model = "stribeck"
Fc = 4
Fs = 5
vs = 0.01
kv = 20
[system]
kind = "slider"
mass = 1
[drive]
kind = "triangle"
of = "force"
amplitude = 6
frequency = 0.05
[solver]
duration = 40
output_step = 0.01
END
"$BRISTLE" simulate ramp.toml --quiet --csv ramp.csv || fail "the ramp does not run"
run 1 ramp.csv --column F=none --column u=drive --models coulomb --json
read -r value low high <<<"$(number out 'force ramp' 'break-away friction')"
brackets "break-away" 5 "$value" "$low" "$high"

# Recordings of different joints: a note without --group, separate fits with it.
run 1 joint1_run.csv joint2_run.csv --models coulomb
has out 'the recordings disagree'
run 0 joint1_run.csv joint2_run.csv joint1_again.csv --models coulomb --group auto -o joints
has out 'group joint1'
grep -Eq '^joint2 +1 +coulomb' out || fail "table: $(tail -4 out)"
for joint in "joint1 3" "joint2 8"; do
  read -r name Fc <<<"$joint"
  awk -v want="$Fc" '$1 == "Fc" && $2 == "=" { d = $3 - want } END { exit !(d > -0.05 && d < 0.05 && NR > 0) }' "joints/$name/coulomb.toml" ||
    fail "$name: $(grep Fc "joints/$name/coulomb.toml")"
done
run 0 joint1_run.csv joint2_run.csv --models coulomb --group a='*1_*' --group b='*2_*' --json
has out '"group": "b"'
complains 2 '--group: joint2_run.csv belongs to no group; every file must belong to one group' \
  joint1_run.csv joint2_run.csv --group 'a=joint1*'
complains 2 '--group: joint1_run.csv belongs to a and b; every file must belong to one group' \
  joint1_run.csv --group 'a=joint1*' --group 'b=*_run*'
complains 2 '--group joint1: must be NAME=PATTERN, such as joint1=joint1_*, or auto' joint1_run.csv --group joint1

verdict
