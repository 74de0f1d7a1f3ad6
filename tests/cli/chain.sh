#!/usr/bin/env bash
# Chains of atoms and faults: refusals, the catalogue, and a stop that keeps it.
command=simulate
source "$(dirname "$0")/../support/command.sh"

cat >fault.toml <<'TOML'
[friction]
model = "velocity_weakening"
Fs = 1.0
drop = 0.01
vw = 0.198
[system]
kind = "chain"
preset = "burridge_knopoff"
blocks = 20
mass = 1.0
stiffness = 1.0
coupling = 100.0
boundary = "periodic"
[system.spread]
offset = 0.01
seed = 1
[drive]
kind = "ramp"
velocity = 1e-6
[solver]
duration = 5e6
rtol = 1e-6
record = [1]
[measure]
events = "slip_events()"
single = "single_fraction()"
TOML
cat >atoms.toml <<'TOML'
[system]
kind = "chain"
preset = "frenkel_kontorova"
blocks = 89
mass = 1.0
coupling = 1.0
damping = 1.0
[system.potential]
U0 = 0.0379954438658766
period = 1.0
[drive]
kind = "constant"
of = "force"
value = 0.0
[solver]
duration = 0.01
record = [1]
[expect]
"depinning()" = { value = 0.005044, rel = 2e-3 }     # 0.021128 x 2 pi U0/a
TOML

# The catalogue has one line per event and agrees with the measures.
run 0 fault.toml --catalogue events.csv --json
[[ $(head -1 events.csv) == t,first,blocks,moment,duration ]] || fail "header: $(head -1 events.csv)"
n=$(($(wc -l <events.csv) - 1))
((n > 20)) || fail "$n events"
python3 - "$n" <<'PY' || fail "measures: $(cat out)"
import csv, json, sys
rows = list(csv.DictReader(open("events.csv")))
m = json.load(open("out"))["measures"]
m = {k: v["value"] if isinstance(v, dict) else v for k, v in (m.items() if isinstance(m, dict) else ((x["name"], x["value"]) for x in m))}
single = sum(r["blocks"] == "1" for r in rows) / len(rows)
sys.exit(not (m["events"] == int(sys.argv[1]) and abs(m["single"] - single) < 1e-9))
PY
run 0 atoms.toml

# Nothing to record: a catalogue without events.
run 0 fault.toml --set solver.duration=10 --set system.spread.offset=1e-6 --catalogue none.csv --quiet
[[ $(wc -l <none.csv) == 1 ]] || fail "catalogue: $(cat none.csv)"

# Ctrl-C keeps the events that were over, and nothing else.
env --default-signal=INT "$BRISTLE" simulate fault.toml --set solver.duration=1e12 --set solver.output_step=1e10 --catalogue kept.csv --csv rows.csv >out 2>err &
sleep 2
kill -INT $!
status=0
wait $! || status=$?
[[ $status == 130 ]] || fail "status $status after Ctrl-C: $(cat err)"
[[ $(head -1 kept.csv) == t,first,blocks,moment,duration ]] || fail "no catalogue after Ctrl-C"
(($(wc -l <kept.csv) > 10)) || fail "$(wc -l <kept.csv) lines kept"
absent rows.csv

# Refusals.
refused() {  # WORDS ARG...
  local words=$1 && shift
  run 2 "$@"
  has err "$words"
}
refused "U0 = -1" atoms.toml --set system.potential.U0=-1
refused "at least 2 blocks" fault.toml --set system.blocks=1
refused 'kT requires method = "fixed"' atoms.toml --set system.kT=1
refused 'preset "frenkel_kontorova" has no stiffness' atoms.toml --set system.stiffness=1
refused 'preset "burridge_knopoff" has no kT' fault.toml --set system.kT=1
refused "U0 = 0.1 in [system.spread] has no effect" fault.toml --set system.spread.U0=0.1
refused "whole number of periods" atoms.toml --set system.spacing=0.6
printf '[friction]\nmodel = "coulomb"\nFc = 1\n[system]\nkind = "slider"\nmass = 1\nstiffness = 1\n[drive]\nkind = "ramp"\nvelocity = 1\n[solver]\nduration = 1\n' >slider.toml
refused 'size_exponent requires kind = "chain"' slider.toml --measure 'b=size_exponent(0.1, 1)'
refused 'requires kind = "chain"' slider.toml --set 'figure.show="sizes"'
run 2 atoms.toml --set system.stiffness=1
[[ $(wc -l <err) == 1 ]] || fail "more than the cause: $(cat err)"
refused "two moments in increasing order" fault.toml --measure 'b=size_exponent(1, 0.1)'
refused "show = \"sizes\"" fault.toml --set 'figure.y="x"' --set 'figure.fit=[1, 2]'
verdict
