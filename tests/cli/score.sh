#!/usr/bin/env bash
# `bristle score`: errors of a friction file on recordings; a fitted joint simulated with one `file =` line.
command=score
source "$(dirname "$0")/../support/command.sh"

# joint FREQUENCY: a pendulum with a known law; friction and body are left out if FREQUENCY is followed by a file.
joint() {
  printf 'units = "rotational"\n[system]\nkind = "slider"\nx0 = 0.2\n'
  [[ $# == 2 ]] || printf 'mass = 0.12\ngravity = 3\ngravity_phase = 0.4\n'
  if [[ $# == 2 ]]; then printf '[friction]\nfile = "%s"\n' "$2"; else
    printf '[friction]\nmodel = "coulomb"\nFc = 0.5\nkv = 0.2\n[friction.effects]\noffset = 0.15\n'
  fi
  printf '[drive]\nof = "force"\nkind = "sum"\nterms = [{ kind = "sine", amplitude = 4, frequency = %s }, { kind = "sine", amplitude = 2, frequency = 1.9 }]\n' "$1"
  printf '[solver]\nduration = 6\noutput_step = 0.002\n'
}
columns=(--column F=none --column u=drive --column 'x=x [rad]')
joint 0.7 >joint.toml
joint 0.9 >other.toml
for name in joint other; do "$BRISTLE" simulate $name.toml --quiet --csv $name.csv || fail "$name does not run"; done

# From motion and torque to the file, and from the file to the same motion.
"$BRISTLE" identify joint.csv "${columns[@]}" --gravity sine --models coulomb --validate other.csv -o fit >out || fail "identify"
has out 'validation, predicted by coulomb:'
awk '$1 == "other.csv" && NF == 6 { ok = $2 > 2500 && $5 < 3 && $6 > 0.99 } END { exit !ok }' out || fail "errors per file: $(cat out)"
for key in mass offset gravity gravity_phase units role; do
  grep -qE "^$key = " fit/coulomb.toml || fail "no $key in $(cat fit/coulomb.toml)"
done
joint 0.7 fit/coulomb.toml >again.toml
"$BRISTLE" simulate again.toml --csv again.csv >out || fail "a fitted joint"
has out 'taken from [fitted]: mass = 0.12'
paste -d, joint.csv again.csv | awk -F, 'NR > 1 { d = $2 - $8; if (d < 0) d = -d; if (d > most) most = d; if ($2 > high) high = $2; if ($2 < low) low = $2 }
  END { exit !(NR > 3000 && high - low > 2 && most < 1e-4 * (high - low)) }' || fail "the fitted joint moves differently"
grep -q 'leaves the range' out && fail "the same motion is within the measured range"

"$BRISTLE" characterize fit/coulomb.toml >out || fail "characterize does not accept a fitted file"

# A run outside of the measured range says so once, also with --json.
"$BRISTLE" simulate again.toml --set drive.terms.0.amplitude=20 >out || fail "a faster run"
[[ $(grep -c 'leaves the range of the measurements' out) == 1 ]] || fail "no note: $(cat out)"
"$BRISTLE" simulate again.toml --set drive.terms.0.amplitude=20 --json | grep -q 'leaves the range of the measurements' || fail "no note in --json"

# Errors: those of identify --validate, per file and of all files.
run 0 fit/coulomb.toml other.csv "${columns[@]}" --plot plot.svg --report page.html
has out 'actuator torque, predicted by coulomb of fit/coulomb.toml:'
awk '$1 == "file" { seen = /rows +rmse \(N m\) +MAE \(N m\) +percent +R²/ } END { exit !seen }' out || fail "head of the table: $(cat out)"
[[ $(grep -c '<svg' plot.svg) == 1 ]] || fail "no plot"
has page.html 'Errors per recording'
has page.html 'Predicted over measured'
run 0 fit/coulomb.toml joint.csv other.csv "${columns[@]}" --json
if command -v python3 >/dev/null; then
  "$BRISTLE" identify joint.csv "${columns[@]}" --gravity sine --models coulomb --validate other.csv --json >fit.json
  python3 - <<'PY' || fail "numbers of score"
import json, math
j = json.load(open("out"))
one, two = j["files"]
assert one["file"] == "joint.csv" and two["file"] == "other.csv" and j["unit"] == "N m" and j["model"] == "coulomb"
assert j["rows"] == one["rows"] + two["rows"]
assert math.isclose(j["rmse"] ** 2 * j["rows"], one["rmse"] ** 2 * one["rows"] + two["rmse"] ** 2 * two["rows"], rel_tol=1e-9)
assert math.isclose(j["mean_absolute"] * j["rows"], sum(f["mean_absolute"] * f["rows"] for f in (one, two)), rel_tol=1e-9)
assert 0.99 < j["r_squared"] < 1 and 0 < j["percent"] < 3
v = json.load(open("fit.json"))["fits"][0]["validation"]
for key in ("rows", "rmse", "percent", "mean_absolute", "r_squared"):
    assert math.isclose(v["files"][0][key], two[key], rel_tol=1e-12) and v[key] == v["files"][0][key], key
PY
fi

# A known error: twice the friction of a recording without noise is an error of the size of friction.
awk 'BEGIN { print "t,x,v,F"; for (i = 0; i <= 2000; ++i) { t = i / 500; v = 0.1 * cos(3 * t + 0.7); printf "%.6f,%.9f,%.9f,%g\n", t, sin(3 * t + 0.7) / 30, v, (v > 0) ? 2 : -2 } }' >square.csv
printf '[friction]\nmodel = "coulomb"\nFc = 3\n' >three.toml
run 0 three.toml square.csv
awk '$1 == "square.csv" && NF == 6 { ok = $3 == 1 && $4 == 1 && $5 == "50.00" && $6 > 0.74 && $6 < 0.76 } END { exit !ok }' out || fail "errors: $(cat out)"
run 0 three.toml square.csv --set friction.Fc=2
awk '$1 == "square.csv" && NF == 6 { ok = $3 < 1e-12 && $6 == 1 } END { exit !ok }' out || fail "errors with --set: $(cat out)"
run 0 three.toml square.csv square.csv square.csv square.csv
[[ $(grep -c '^square.csv ' out) == 4 ]] || fail "errors per file: $(cat out)"
has out '4 files: 8004 rows, 16 s'
grep -q '^all ' out || fail "no errors of all files"
printf 'model = "coulomb"\nFc = 2\n' >bare.toml
run 0 bare.toml square.csv

# Terms of the user: the same errors as in the fit, and none is left out silently.
awk -F, 'NR == 1 { print "t,x,v,q2,F" } NR > 1 { q = sin(7 * $1); printf "%s,%s,%s,%.9f,%.9f\n", $1, $2, $3, q, $4 + 0.8 * sin(q) }' square.csv >elbow.csv
"$BRISTLE" identify elbow.csv --models coulomb --effects none --with 'elbow=sin(q2)' -o elbow >out || fail "a term of the user"
has elbow/coulomb.toml '[fitted.terms]'
run 0 elbow/coulomb.toml elbow.csv --with 'elbow=sin(q2)'
awk '$1 == "elbow.csv" && NF == 6 { ok = $5 < 1 } END { exit !ok }' out || fail "errors with a term: $(cat out)"
complains 2 'elbow: the term elbow of [fitted.terms] in elbow/coulomb.toml is missing; --with elbow=EXPRESSION is accepted' elbow/coulomb.toml elbow.csv
complains 2 '--with hip: bare.toml has no factor of this term; --set fitted.terms.hip=VALUE sets it' bare.toml elbow.csv --with hip=q2

# A simulated motion, with the fitted values in place of those of the scenario.
joint 0.7 >rig.toml
motion=(--column u=drive --column 'x=x [rad]' --column 'v=v' --scenario rig.toml)
run 0 fit/coulomb.toml joint.csv "${motion[@]}"
awk '$1 == "joint.csv" && NF == 6 { ok = $5 < 1 } END { exit !ok }' out || fail "a simulated motion: $(cat out)"
run 0 fit/coulomb.toml joint.csv "${motion[@]}" --set fitted.mass=0.3
awk '$1 == "joint.csv" && NF == 6 { ok = $5 > 5 } END { exit !ok }' out || fail "the fitted mass has no effect: $(cat out)"

# Refusals.
complains 2 'other: the force u of an actuator also accelerates a mass, and three.toml has no mass in [fitted]; --set fitted.mass=VALUE, or --column F=COLUMN for measured friction' \
  three.toml other.csv "${columns[@]}"
complains 2 'square: is a linear motion, but fit/coulomb.toml has units = "rotational"; --column '"'x=COLUMN [rad]'"' sets the unit of a column' fit/coulomb.toml square.csv
complains 2 'square: has a friction coefficient, but three.toml describes a force; --column F=COLUMN, or --set fitted.role=mu for a file of coefficients' \
  three.toml square.csv --column F=none --column mu=F
complains 2 'square: has a force, but three.toml describes a friction coefficient; --column mu=F/N sets a coefficient' three.toml square.csv --set fitted.role=mu
complains 2 'none.toml: cannot be read: No such file or directory' none.toml square.csv
complains 2 "--set friction.model: unknown model 'coulom', did you mean 'coulomb'?" three.toml square.csv --set friction.model=coulom
printf '[friction]\nmodel = "gfm"\n' >gfm.toml
complains 2 'gfm.toml: gfm is a population of asperities; its lumped counterpart gms is accepted' gfm.toml square.csv square.csv
run 0 bare.toml square.csv --set friction.effects.noise=1
has out 'warning: noise of the friction file not used: no seed reproduces a measurement'
awk '$1 == "square.csv" && NF == 6 { ok = $3 < 1e-12 } END { exit !ok }' out || fail "noise in a prediction: $(cat out)"
printf '[friction]\nmodel = "coulomb"\nFc = -3\n[fitted]\nweight = 2\n' >wrong.toml
run 2 wrong.toml square.csv
has err 'wrong.toml:3: Fc = -3 N must be >= 0'
has err "wrong.toml:5: unknown key 'weight' in [fitted]"
complains 2 '--plot plot.gif: must end in .svg, .png or .pdf' three.toml square.csv --plot plot.gif
absent plot.gif
run 2 three.toml
has err DATA

verdict
