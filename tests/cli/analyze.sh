#!/usr/bin/env bash
# bristle analyze: files, closed forms in JSON, the same bytes for any number of threads, maps that resume, bad input.
command=analyze
source "$(dirname "$0")/../support/command.sh"
examples=$root/examples/analyze
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }

# Rate-and-state: k_c = (b - a) N/Dc (1 + m V^2/(N a Dc)) and its frequency.
run 0 "$examples/rate_state_slider.toml" --what stability,limit_cycle -o rs --json
python3 - <<'PY' || fail "JSON of rate and state: $(cat out)"
import json, math
s = json.load(open("out"))["stability"]
a, b, N, Dc, V, m = 0.010, 0.015, 100, 1e-5, 1e-4, 1
kc = (b - a) * N / Dc * (1 + m * V**2 / (N * a * Dc))
assert abs(s["critical_stiffness"] / kc - 1) < 1e-9, s
assert abs(s["critical_frequency"] / (V / Dc * math.sqrt((b - a) / a) / 2 / math.pi) - 1) < 1e-9, s
assert s["stable"] is False and s["growth_rate"] > 0 and len(s["eigenvalues"]) == 3
PY
for f in index.html stability.csv limit_cycle.csv stability.svg limit_cycle.svg; do [[ -s rs/$f ]] || fail "no rs/$f"; done
absent rs/describing.csv
absent rs/map.csv

# A cycle that grows out of a smooth start: deviations of 1e-9 of the velocity need a long time.
cat >smooth.toml <<'TOML'
[friction]
model = "lugre"
Fc = 1e-6
Fs = 1.4e-6
vs = 6.283185e-7
sigma0 = 1e4
sigma1 = 0.07957747
[system]
kind = "slider"
mass = 6.332574e-6
stiffness = 1500.0
[drive]
kind = "ramp"
velocity = 1e-7
[solver]
duration = 0.02
TOML
run 0 smooth.toml --what stability,limit_cycle -o smooth --json
python3 - <<'PY' || fail "JSON of a smooth start: $(cat out)"
import json
r = json.load(open("out"))
assert r["stability"]["stable"] is False and abs(r["limit_cycle"]["v_most"] / 1.957e-7 - 1) < 0.01, r
PY

# One key: the cycle is continued until it ends; onset, end and hysteresis.
run 0 "$examples/stick_slip_branch.toml" --what stability,limit_cycle --vary drive.velocity=0.1:0.4:7 -o branch --json
python3 - <<'PY' || fail "JSON of a branch: $(cat out)"
import json
b = json.load(open("out"))["branch"]
(end,), (onset,), ((lo, hi),) = b["ends"], b["onsets"], b["hysteresis"]
assert 0.15 < onset < end["at"] < 0.4 and lo == onset and hi == end["at"] and len(b["points"]) == 7
assert b["points"][-1]["period"] is None and b["points"][-1]["reason"]
PY
[[ $(head -1 branch/limit_cycle.csv) == drive.velocity,growth_rate,period,* ]] || fail "$(head -1 branch/limit_cycle.csv)"
[[ $(tail -1 branch/limit_cycle.csv) == 0.4,-*,,,,,,,,*"no cycle",,,, ]] || fail "an undefined cycle: $(tail -1 branch/limit_cycle.csv)"
[[ -s branch/branch.svg && $(wc -l <branch/map.csv) == 8 ]] || fail "no branch"

# Maps: columns, resume, threads.
vary=(--vary drive.velocity=1e-5:1e-2:6:log --vary system.stiffness=1e3:1e6:7:log)
run 0 "$examples/rate_state_slider.toml" --what stability "${vary[@]}" -o map
[[ $(head -1 map/map.csv) == drive.velocity,system.stiffness,damping_ratio,growth_rate,frequency,critical_stiffness,status,message ]] ||
  fail "$(head -1 map/map.csv)"
[[ $(wc -l <map/map.csv) == 43 ]] || fail "$(wc -l <map/map.csv) lines"
grep -q 'mV²' map/map_damping_ratio.svg || fail "no closed form over the map"
run 0 "$examples/rate_state_slider.toml" --what stability "${vary[@]}" -o one --threads 1
for f in map.csv index.html stability.csv; do same one/$f map/$f; done
run 2 "$examples/rate_state_slider.toml" --what stability "${vary[@]}" -o map
has err "--resume continues it"
run 0 "$examples/rate_state_slider.toml" --what stability "${vary[@]}" -o map --resume
same one/map.csv map/map.csv
run 2 "$examples/rate_state_slider.toml" --what stability,limit_cycle "${vary[@]}" -o map --resume
has err "another analysis"

# A servo: hunting from simulation, harmonic balance besides it; nothing undefined is 0.
run 0 "$examples/servo_hunting.toml" -o servo --json
python3 -c "
import json
j = json.load(open('out'))
assert j['limit_cycle']['hunting'] and 8 < j['limit_cycle']['period'] < 14, j
assert j['describing']['cycles'] == [] and j['describing']['reason'], j" || fail "$(cat out)"
run 0 "$examples/servo_hunting.toml" --what limit_cycle --set controller.ki=0 -o still --json
grep -q '"period": null' out || fail "$(cat out)"

# Bad input: one line each, status 2, nothing written.
wrong() { # message, then the arguments
  local text=$1
  shift
  run 2 "$@" -o nothing
  has err "$text"
  absent nothing
}
wrong "unknown part 'cycles'" "$examples/rate_state_slider.toml" --what stability,cycles
wrong "unknown key 'Fx' in [friction]" "$examples/stick_slip_branch.toml" --vary friction.Fx=1:2:3
wrong "number of points" "$examples/stick_slip_branch.toml" --vary drive.velocity=1:2
wrong "kind must be slider" "$root/examples/init/rate_state.toml"
wrong "population of asperities" "$root/examples/init/asperities.toml" --set system.kind='"slider"' --set system.mass=1 --set system.stiffness=1
wrong "kind slider" "$root/examples/init/chain.toml"
wrong "servo" "$examples/stick_slip_branch.toml" --set system.stiffness=0
wrong "effects of position" "$examples/stick_slip_branch.toml" --set 'friction.effects={ ripple = 0.1, ripple_period = 1 }'
wrong "not of force" "$examples/stick_slip_branch.toml" --set 'drive={ kind = "constant", of = "force", value = 1 }'
wrong "velocity is constant" "$examples/stick_slip_branch.toml" --set 'drive={ kind = "sine", amplitude = 1, frequency = 1 }'
wrong "requires a map; --vary" "$examples/stick_slip_branch.toml" --resume
verdict
