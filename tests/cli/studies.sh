#!/usr/bin/env bash
# bristle compare and bristle optimize, and the examples of sweeps.
command=compare
source "$(dirname "$0")/../support/command.sh"
examples=$root/examples

run 0 "$examples/scenarios/stick_slip.toml" --set-each drive.velocity=0.1,0.2 --measure 'peak=max(F)' --measure 'T=period(slip-)' \
  --plot c.svg --report c.html --csv traces
for f in c.svg c.html traces/measures.csv traces/velocity_0.1.csv traces/velocity_0.2.csv; do [[ -s $f ]] || fail "no $f: $(ls traces)"; done
has out "T is undefined"
[[ $(head -1 traces/measures.csv) == run,peak,T,status ]] || fail "$(head -1 traces/measures.csv)"
grep -q '^velocity = 0.1,1.4[0-9]*,,done$' traces/measures.csv || fail "$(cat traces/measures.csv)"
run 0 "$examples/scenarios/stick_slip.toml" "$examples/demo/../scenarios/held_load.toml" --json
python3 -c "import json;j=json.load(open('out'));assert len(j['runs'])==2 and j['runs'][1]['differences']['x']['largest']>0" || fail "JSON"
run 0 "$examples/scenarios/stick_slip.toml" --set-each friction.model=lugre,dahl
has out "dahl has no Fs, vs, sigma1: left out"
run 2 "$examples/scenarios/stick_slip.toml" --set-each friction.model=lugre,gms
has err "missing key 'k' in [friction]"
run 2 "$examples/scenarios/stick_slip.toml" --set-each friction.modl=a,b
run 2 "$examples/scenarios/stick_slip.toml" --set-each friction.model
run 2 missing.toml
run 2 "$examples/scenarios/stick_slip.toml" --plot c.txt
run 1 "$examples/scenarios/stick_slip.toml" --report nowhere/c.html
run 1 "$examples/scenarios/stick_slip.toml" --set-each solver.max_steps=1e6,10
has err "max_steps"

command=optimize
servo=$examples/scenarios/step_response.toml
run 0 "$examples/scenarios/servo.toml" --vary controller.kd=20:200 --minimize 'iae(x)' --evaluations 60 -o best --json
python3 -c "import json;j=json.load(open('out'));assert j['runs']<=60 and 20<=j['best']['at']['controller.kd']<=200 and j['best']['unit']=='m s'" || fail "JSON: $(cat out)"
for f in index.html history.csv history.svg; do [[ -s best/$f ]] || fail "no $f"; done
cp out first && run 0 "$examples/scenarios/servo.toml" --vary controller.kd=20:200 --minimize 'iae(x)' --evaluations 60 --json --threads 1
cmp -s out first || fail "another result with one thread"
run 0 "$examples/scenarios/servo.toml" --vary controller.kd=20:200 --minimize 'iae(x)' --evaluations 60
has out "bristle simulate"
run 2 "$servo" --vary controller.kd=20:200 --minimize nothing
run 2 "$servo" --vary controller.kd=20:200 --minimize 'iae(q)'
has err "optimize: iae(q): \"iae(q)\" in [measure]: unknown column 'q'"
run 2 "$servo" --minimize 'iae(x)'
run 2 "$servo" --vary controller.kd=20:200
run 2 "$servo" --vary controller.kd=20:200:5 --minimize 'iae(x)'
run 2 "$servo" --vary controller.kdd=20:200 --minimize 'iae(x)'
run 2 "$servo" --vary controller.kd=0:200:log --minimize 'iae(x)'
run 1 "$examples/scenarios/stick_slip.toml" --vary drive.velocity=0.1:0.2 --minimize 'period(slip-)' --evaluations 16
has err "is undefined in all 16 runs"

command=sweep
run 0 "$examples/sweep/stick_slip_map.toml" --vary drive.velocity=0.05:0.5:4:log --vary system.stiffness=1:100:4:log -o map
run 0 "$examples/sweep/hunting_map.toml" --vary controller.ki=1:4:2 --vary friction.Fs=1:1.5:2 -o hunting
[[ $(grep -c '^[14],1,,,done' hunting/table.csv) == 2 && $(grep -c '^[14],1.5,0' hunting/table.csv) == 2 ]] || fail "$(cat hunting/table.csv)"

verdict
