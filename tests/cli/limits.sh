#!/usr/bin/env bash
# Limits at jumps, runs that diverge and bodies that never move, as `bristle simulate` shows them.
command=simulate
source "$(dirname "$0")/../support/command.sh"

# A velocity step of rate and state: F jumps by a ln(v2/v1) = 0.0230259 N between two rows.
cat >step.toml <<'END'
[friction]
model = "rate_state"
mu0 = 0.6
a = 0.01
b = 0.015
Dc = 1e-5
V0 = 1e-6
normal_load = 1
[system]
kind = "prescribed"
[drive]
kind = "sum"
of = "velocity"
terms = [{ kind = "constant", value = 1e-6 }, { kind = "step", at = 20.3, size = 9e-6 }]
[solver]
duration = 40
output_step = 1
[expect]
"max(F) - F(20)" = { value = 0.0230258509, abs = 1e-7 }
END
run 0 step.toml --csv rows.csv --plot step.svg
[[ $(wc -l <rows.csv) == 42 ]] || fail "rows.csv has $(wc -l <rows.csv) lines"
run 0 step.toml --set solver.event_rows=true --csv more.csv
[[ $(wc -l <more.csv) == 44 ]] || fail "more.csv has $(wc -l <more.csv) lines"
jump=$(awk -F, '$1 == 20.3 {print $4}' more.csv | awk 'NR == 1 {a = $1} NR == 2 {print ($1 - a > 0.02302584 && $1 - a < 0.02302586) ? "yes" : $1 - a}')
[[ $jump == yes ]] || fail "jump in more.csv: $jump"
complains 2 "--set solver.event_rows: event_rows = 2 must be true or false" step.toml --set solver.event_rows=2

cat >servo.toml <<'END'
[friction]
model = "coulomb"
Fc = 0.1
[system]
kind = "slider"
mass = 1
[controller]
kp = 100
kd = -3
[drive]
kind = "sine"
amplitude = 0.1
frequency = 1
[solver]
duration = 200
END
run 1 servo.toml --csv none.csv
has err "grows without limit"
absent none.csv
run 0 servo.toml --set controller.kd=3

cat >held.toml <<'END'
[friction]
model = "coulomb"
Fc = 2
[system]
kind = "slider"
mass = 1
stiffness = 1
[drive]
kind = "ramp"
velocity = 0.1
[solver]
duration = 10
END
run 0 held.toml
has out "the body did not move"
run 0 held.toml --json
has out "the body did not move"
run 0 held.toml --set friction.Fc=0.5
grep -q "did not move" out && fail "the body moved: $(cat out)"
verdict
