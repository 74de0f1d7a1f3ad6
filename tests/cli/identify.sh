#!/usr/bin/env bash
# `bristle identify`: formats of recordings, the ranking, friction files that run, exit status and error messages.
command=identify
source "$(dirname "$0")/../support/command.sh"
example=$root/examples/identify

# near FILE KEY VALUE PART: the number after `KEY = ` equals VALUE within the relative tolerance PART.
near() {
  awk -v key="$2" -v want="$3" -v part="$4" '$1 == key && $2 == "=" { got = $3; seen = 1 }
    END { d = got - want; exit !(seen && (d < 0 ? -d : d) <= part * want) }' "$1" || fail "$2 is not $3 in $1: $(grep "^$2 " "$1")"
}

# A simulated recording of a known law: the example.
"$BRISTLE" simulate "$example/bench.toml" --quiet --csv bench.csv || fail "the example does not run"
run 0 bench.csv --models coulomb,stribeck,viscous -o fit
has out 't = t, x = x, v = v, F = F; not used: F_app, drive'
has out 'recommended: stribeck'
has out 'wrote fit/report.html'
[[ $(ls fit) == $'coulomb.toml\nranking.csv\nreport.html\nstribeck.toml\nviscous.toml' ]] || fail "wrote $(ls fit)"
[[ $(head -c 60 fit/ranking.csv) == model,parameters,rmse,relative_percent,bic,held_out_rmse* ]] || fail "$(head -1 fit/ranking.csv)"
[[ $(wc -l <fit/ranking.csv) == 4 ]] || fail "lines of ranking.csv"
has fit/ranking.csv ,yes,
near fit/stribeck.toml Fc 20 0.02
near fit/stribeck.toml Fs 30 0.05
near fit/stribeck.toml vs 0.01 0.1
near fit/stribeck.toml kv 40 0.05
has fit/stribeck.toml '95 %:'

# The friction files run unchanged and in another scenario.
for file in fit/*.toml; do
  "$BRISTLE" simulate "$file" --quiet 2>err || fail "$file does not run: $(cat err)"
done
cat >own.toml <<'END'
[friction]
file = "fit/stribeck.toml"
[system]
kind = "slider"
mass = 1
stiffness = 100
[drive]
kind = "ramp"
velocity = 0.1
[solver]
duration = 1
END
"$BRISTLE" simulate own.toml --quiet || fail "a friction file in a scenario"

# The friction file of a pendulum sets rotational units.
awk -F, 'NR == 1 { print "t,angle_rad,torque_Nm" } NR > 1 { print $1 "," $2 "," $4 }' bench.csv >turning.csv
run 0 turning.csv --models coulomb --column F=torque_Nm -o turning
has turning/coulomb.toml 'units = "rotational"'
has fit/stribeck.toml 'units = "linear"'
sed 's/fit\/stribeck/turning\/coulomb/' own.toml >pendulum.toml
"$BRISTLE" simulate pendulum.toml --quiet --plot pendulum.svg --report pendulum.html || fail "a friction file of a rotation"
has pendulum.svg 'Friction torque'
has pendulum.html 'N m'
"$BRISTLE" simulate pendulum.toml --set units=linear --plot pendulum.svg >out || fail "units of one's own"
has out 'note      turning/coulomb.toml has units = "rotational"; units = "linear" of this file is used'
grep -q 'Friction torque' pendulum.svg && fail "the units of the scenario do not hold"

# An implausible number is reported with its cell.
awk -F, -v OFS=, 'NR == 500 { $4 = "1e300" } { print }' bench.csv >huge.csv
complains 2 'huge.csv:500: 1e+300 in column F must be at most 1e+30 in size; an empty cell is accepted for a missing value' \
  huge.csv --models coulomb -o wrong
absent wrong

# A vendor's export, lines to skip, columns by number, JSON, one signal per file: the same law.
{
  printf 'Bench 7\nOperator: X\n\n[Data]\nZeit;Weg;Reibkraft\n[ms];[mm];[N]\n'
  awk -F, 'NR > 1 { printf "%.6f;%.9f;%.9f;\n", $1 * 1000, $2 * 1000, $4 }' bench.csv | tr . ,
  printf '\nEnde der Messung\n'
} >vendor.csv
run 0 vendor.csv --models stribeck -o vendor
has out 't = Zeit, x = Weg, F = Reibkraft'
has out 'units: t in ms, x in mm, F in N'
near vendor/stribeck.toml Fc 20 0.02
{
  printf 'a,b,c\n1,2,3\n'
  awk -F, 'NR == 1 { print "p,q1,r,s" } NR > 1 { print $1 "," $2 "," $3 "," $4 }' bench.csv
} >late.csv
run 0 late.csv --models stribeck -o late --skip 2 --column 't=$1' --column 'x=$2' --column 'v=$3' --column 'F=$4'
near late/stribeck.toml Fc 20 0.02
awk -F, 'NR > 1 { printf "%s{\"t\":%s,\"x\":%s,\"friction\":%s}", NR == 2 ? "[" : ",\n", $1, $2, $4 } END { print "]" }' bench.csv >bench.json
run 0 bench.json --models stribeck -o json
near json/stribeck.toml Fc 20 0.02
complains 2 'bench.json: --skip 1: JSON files have no lines to skip; text files are accepted' bench.json --skip 1
awk -F, 'NR > 1 { print $2 }' bench.csv >pos.txt
awk -F, 'NR > 1 { print $4 }' bench.csv >friction.txt
run 0 --join pos.txt friction.txt --column t=row/1000 --models stribeck -o joined
has out 'pos.txt + friction.txt'
has out 't = row/1000, x = pos, F = friction'
head -n 100 friction.txt >torque.txt
complains 2 "torque.txt: 100 rows, but pos.txt has 10,001; equal numbers of rows, or a time in each file, are required" --join pos.txt torque.txt

# Other formats: column names, units, decimal commas, no header, steady points.
awk -F, 'NR > 1 { printf "%.6f;%.6f;%.6f\n", $1 * 1000, $2 * 1000, -$4 }' bench.csv | tr . , >bare.csv
run 0 bare.csv --models stribeck -o bare --column 't=$1 [ms]' --column 'x=$2 [mm]' --column 'F=-$3'
has out 'decimal commas'
near bare/stribeck.toml Fc 20 0.05
printf 'speed [mm/s]\tfriction (mN)\n' >points.csv
awk 'BEGIN { for (i = 1; i <= 30; ++i) { v = i * i / 10; for (s = -1; s < 2; s += 2) printf "%g\t%.1f\n", s * v, s * (2000 + 5 * v) + (i % 3 - 1) } }' >>points.csv
run 0 points.csv --models coulomb,stribeck -o points
has out 'no time: 60 rows of steady sliding'
has out 'recommended: coulomb'
run 0 points.csv --models coulomb --rate 5
has out 'warning: --rate ignored: steady points have no time'
near points/coulomb.toml Fc 2 0.01
near points/coulomb.toml kv 5 0.01
run 0 bench.csv bench.csv --models coulomb --rate 100
has out 'zero-phase filter at 40 Hz, 1000 Hz to 100 Hz, 1,001 rows'
run 0 bench.csv --models stribeck --fix vs=0.02 --loss squares --starts 2 --threads 1 -o fixed
near fixed/stribeck.toml vs 0.02 0

# Validation: the rest of a recording, and other recordings.
run 0 bench.csv --models coulomb,stribeck --train 0.5 --validate bench.csv -o unseen
has out 'bench.csv (not fitted)'
awk '$1 == "model" { seen = /rest \(N\) +rest % +validation \(N\) +validation %/ } END { exit !seen }' out || fail "no columns of the validation errors: $(cat out)"
awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } $1 == "stribeck" { ok = $at["rest_percent"] > 0 && $at["rest_percent"] < 5 && $at["validation_percent"] > 0 && $at["validation_percent"] < 5 && $at["r_squared"] > 0.99 }
  END { exit !ok }' unseen/ranking.csv || fail "$(cat unseen/ranking.csv)"
has unseen/report.html 'Measured and fitted, predicted after 5.001 s'
has unseen/report.html 'Measured and predicted: bench'

# Of many recordings: one summary line, and warnings together.
for i in 1 2 3 4 5; do cut -d, -f1-4 bench.csv | head -$((i < 3 ? 40 : 900)) >part$i.csv; done
run 0 part?.csv --models coulomb
has out '5 files: 2775 rows, 2.77 s; t = t, x = x, v = v, F = F'
[[ $(grep -c '^part' out) == 0 && $(grep -c 'warning: part1.csv, part2.csv: ' out) -ge 1 ]] || fail "findings of many files: $(cat out)"

if command -v python3 >/dev/null; then
  python3 - fit <<'PY' || fail "wrong content of the files"
import csv, pathlib, sys, xml.dom.minidom
root = pathlib.Path(sys.argv[1])
page = xml.dom.minidom.parseString((root / "report.html").read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>\n"))
assert len(page.getElementsByTagName("svg")) == 7
assert page.getElementsByTagName("h1")[0].firstChild.data == "Friction identified: stribeck"
rows = list(csv.DictReader(open(root / "ranking.csv")))
errors = [float(r["held_out_rmse"]) for r in rows]
assert errors == sorted(errors) and [r["model"] for r in rows if r["recommended"] == "yes"] == ["stribeck"]
PY
  run 0 bench.csv --models coulomb --json
  python3 - <<'PY' || fail "--json"
import json
j = json.load(open("out"))
assert j["recommended"] == "coulomb" and j["data"][0]["rows"] > 1000
fc = j["fits"][0]["friction"][0]
assert fc["name"] == "Fc" and fc["unit"] == "N" and fc["low"] < fc["value"] < fc["high"]
PY
fi

# A model whose values are all given is evaluated; noise is explained by none.
run 0 bench.csv --models coulomb --fix Fc=1 --fix kv=0
grep -q '^coulomb  *0 ' out || fail "nothing to fit: $(cat out)"
awk -F, 'NR == 1 { print "t,x,F" } NR > 1 { print $1 "," $2 "," sin(NR * NR) }' bench.csv >noise.csv
run 1 noise.csv --models coulomb,stribeck -o noise
has err 'no model explains the data'
has noise/ranking.csv ,no,

# Invalid input: all problems are reported, no file is written.
complains 2 "none.csv: cannot be read: No such file or directory" none.csv -o wrong
complains 2 "--models: unknown name 'lugra'; did you mean 'lugre'?" bench.csv --models lugra -o wrong
complains 2 "bench.csv: --column F=-FF: unknown column 'FF', did you mean 'F'?" bench.csv --column F=-FF -o wrong
complains 2 "--column G=F: unknown role 'G'; accepted: t, x, v, F, mu, u, N, T, sigma, ref, on, load" bench.csv bench.csv --column G=F -o wrong
complains 2 "--column F: must be ROLE=EXPRESSION, such as F=-torque_Nm" bench.csv --column F -o wrong
complains 2 "--train 1.5: must be > 0 and < 1" bench.csv --train 1.5 -o wrong
complains 2 "--train 0: must be > 0 and < 1" bench.csv --train 0 -o wrong
run 2 bench.csv --train half -o wrong
complains 2 "bench: train = 1e-06 keeps 1 of $(($(wc -l <bench.csv) - 1)) rows; must keep at least 8 and leave at least one" bench.csv --train 1e-6 -o wrong
sed '1s/.*/t,x_rad,v_radps,torque_Nm,a,b/' bench.csv | cut -d, -f1-6 >angles.csv
complains 2 "angles: has u, but bench has F; all recordings must have the same" bench.csv --validate angles.csv -o wrong
sed '1s/.*/t,x_rad,v_radps,friction_Nm,a,b/' bench.csv | cut -d, -f1-6 >angles.csv
complains 2 "angles: has other units than bench; all recordings must have the same" bench.csv --validate angles.csv -o wrong
complains 2 "nowhere.csv: cannot be read: No such file or directory" bench.csv --validate nowhere.csv -o wrong
complains 2 "--effects auto,offset: auto cannot be combined with other effects; auto alone or a list of effects" bench.csv --effects auto,offset -o wrong
complains 2 "--gravity up: must be one of none, constant, sine, auto" bench.csv --gravity up -o wrong
run 2 bench.csv --models stribeck,lugre --fix Fc=-1 -o wrong
has err "Fc = -1 cannot be fixed; must be > 0"
complains 2 "--fix vs: must be NAME=NUMBER, such as vs=0.01" bench.csv --fix vs -o wrong
complains 2 "--elements 0: must be whole numbers from 1 to 64, such as 1,2,4,8" bench.csv --elements 0 -o wrong
awk 'NR == 50 { print "0.001,0,0,0,0,0"; next } { print }' bench.csv | cut -d, -f1-6 >back.csv
run 2 back.csv -o wrong
[[ $(cat err) == "bristle identify: back.csv:50: t = 0.001 s follows "*"; time must not decrease" ]] || fail "said '$(cat err)'"
printf 't,x,F\n1,2,3\n2,a,4\n' >bad.csv
complains 2 "bad.csv:3: 'a' in column x must be a number; line 1 is taken for the header (t, x, F): --skip N skips lines, --column 'ROLE=\$2' takes a column by its number" bad.csv -o wrong
printf 'a,b,c\n1,2,3\n' >unknown.csv
run 2 unknown.csv -o wrong
[[ $(wc -l <err) == 2 ]] || fail "said '$(cat err)'"
has err 'no column for friction F, coefficient mu or actuator force u; --column F=COLUMN is accepted, columns: a, b, c'
absent wrong
echo file >taken
complains 1 "taken: cannot be written: Not a directory" points.csv --models coulomb -o taken
run 2
has err 'DATA'

# A velocity step on rate and state friction, simulated and read back: both laws are ranked, one can be chosen.
cat >step.toml <<'END'
[friction]
model = "rate_state"
law = "slip"
mu0 = 0.6
a = 0.008
b = 0.012
Dc = 1e-5
V0 = 1e-6
normal_load = 1
[system]
kind = "prescribed"
[drive]
kind = "sum"
of = "velocity"
terms = [{ kind = "constant", value = 1e-6 }, { kind = "step", at = 50.25, size = 9e-6 }]
[solver]
duration = 100
output_step = 0.5
END
"$BRISTLE" simulate step.toml --quiet --csv step.csv || fail "the velocity step does not run"
step=(step.csv --column F=none --column mu=F --starts 1)
run 0 "${step[@]}" --models rate_state -o step
[[ $(cut -d, -f1 step/ranking.csv | paste -sd' ') == "model rate_state_slip rate_state_ageing" ]] || fail "$(cat step/ranking.csv)"
has step/rate_state_slip.toml 'model = "rate_state"'
has step/rate_state_slip.toml 'law = "slip"'
near step/rate_state_slip.toml a 0.008 0.001
near step/rate_state_slip.toml b 0.012 0.001
"$BRISTLE" simulate step/rate_state_ageing.toml --quiet 2>err || fail "the fitted law does not run: $(cat err)"
for one in "--models rate_state_ageing" "--models rate_state --fix law=ageing"; do
  # shellcheck disable=SC2086
  run 0 "${step[@]}" $one -o one
  [[ $(cut -d, -f1 one/ranking.csv | paste -sd' ') == "model rate_state_ageing" ]] || fail "$one: $(cat one/ranking.csv)"
done
run 2 "${step[@]}" --models rate_state --fix law=fast
has err "law = fast cannot be fixed; one of ageing, slip is accepted"

# Ctrl-C: status 130; the files of finished fits are complete, or absent.
got=0
env --default-signal=INT "$BRISTLE" identify bench.csv bench.csv bench.csv -o stopped >out 2>err &
interrupt $! || got=$?
[[ $got == 130 ]] || fail "after Ctrl-C the exit status is $got: $(cat err)"
[[ $(tail -1 err) == "bristle identify: stopped" ]] || fail "message after Ctrl-C: '$(cat err)'"
if [[ -e stopped/ranking.csv ]]; then [[ -s stopped/report.html ]] || fail "incomplete files after Ctrl-C"; fi
if command -v script >/dev/null; then
  shows_bar identify bench.csv bench.csv bench.csv
fi

find . -name '.bristle-*' | grep -q . && fail "a temporary file remains"
# Fit by simulation: a driven pendulum of which only the angle is compared.
pendulum() { # FC
  printf 'units = "rotational"\n[system]\nkind = "slider"\nmass = 0.1\ngravity = 5\n[solver]\nduration = 4\n'
  printf 'output_step = 0.01\n[friction]\nmodel = "coulomb"\nkv = 0.2\nFc = %s\n' "$1"
}
{
  pendulum 0.5
  printf '[drive]\nof = "force"\nkind = "sine"\namplitude = 4\nfrequency = 0.7\n'
} >truth.toml
"$BRISTLE" simulate truth.toml --quiet --csv swing.csv || fail "the pendulum does not run"
pendulum 0.3 >start.toml
sed 's/frequency = 0.7/frequency = 0.5/' truth.toml >other.toml
"$BRISTLE" simulate other.toml --quiet --csv other.csv || fail "the other pendulum does not run"
simulated=(swing.csv --scenario start.toml --column x=x --column v=v --column u=drive)
run 0 "${simulated[@]}" --free gravity --starts 1 --validate other.csv -o swing
has out 'mean absolute error'
has out 'other.csv (not fitted)'
awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } $1 == "coulomb" { ok = $at["validation_percent"] > 0 && $at["validation_percent"] < 1 }
  END { exit !ok }' swing/ranking.csv || fail "$(cat swing/ranking.csv)"
has swing/report.html 'Measured minus simulated'
near swing/coulomb.toml Fc 0.5 0.05
has swing/coulomb.toml 'gravity = '
{
  sed '/mass\|gravity/d; /\[friction\]/,$d' start.toml
  sed -n '/\[drive\]/,$p' truth.toml
  printf '[friction]\nfile = "swing/coulomb.toml"\n'
} >swing.toml
# The fit simulates with steps of 10 ms: 1 % of the range.
"$BRISTLE" simulate swing.toml --quiet --csv again.csv || fail "a body fitted by simulation"
paste -d, swing.csv again.csv | awk -F, 'NR > 1 { d = $2 - $8; if (d < 0) d = -d; if (d > most) most = d } END { exit !(NR > 400 && most < 0.1) }' || fail "the fitted pendulum moves differently"
complains 2 'nowhere.toml: cannot be read: No such file or directory' swing.csv --scenario nowhere.toml
complains 2 '--free kp: requires a [controller] in start.toml' "${simulated[@]}" --free kp
complains 2 '--rate: a simulation requires every sample of its input; --rate and --scenario exclude each other' "${simulated[@]}" --rate 50
complains 2 "'mass' cannot be fitted; a parameter of a fitted model is required" bench.csv --models coulomb --free mass

# A stiff joint with a coarse encoder: a few rows at the reversals have errors as large as friction. They may not decide that
# the fall of friction, which all other rows show, is left out.
awk 'BEGIN {
  srand(3); pi = atan2(0, -1); w1 = 0.6 * pi; w2 = 1.42 * pi; print "t_s,angle_deg,torque_Nm"
  for (i = 0; i < 4000; ++i) {
    t = 0.005 * i; q = 0.9 * sin(w1 * t) + 0.4 * sin(w2 * t + 1); v = 0.9 * w1 * cos(w1 * t) + 0.4 * w2 * cos(w2 * t + 1)
    a = -0.9 * w1 * w1 * sin(w1 * t) - 0.4 * w2 * w2 * sin(w2 * t + 1)
    F = (0.35 + 0.2 * exp(-(v / 0.15) ^ 2)) * (v > 0 ? 1 : -1) + 0.06 * v
    u = 0.02 * a + F + 1.3 * sin(q) + 0.01 * sqrt(-2 * log(1 - rand())) * cos(2 * pi * rand())
    printf "%.3f,%.4f,%.5f\n", t, 0.088 * int(q * 180 / pi / 0.088 + 1000.5) - 88, u
  }
}' >joint.csv
run 0 joint.csv --models lugre -o joint
for bounds in "Fc 0.34 0.36" "Fs 0.53 0.57"; do
  read -r name low high <<<"$bounds"
  awk -v name="$name" -v low="$low" -v high="$high" '$1 == name && $3 > low && $3 < high { found = 1 } END { exit !found }' \
    joint/lugre.toml || fail "$name of the joint: $(grep "^$name" joint/lugre.toml)"
done

verdict
