#!/usr/bin/env bash
# `bristle simulate`: summary, files, exit status and error messages.
command=simulate
source "$(dirname "$0")/../support/command.sh"
says() { grep -qF -- "$1" out || fail "no '$1' in the output: $(cat out)"; }
silent() { [[ ! -s out && ! -s err ]] || fail "not silent: $(cat out err)"; }
# refused STATUS LINE ARG...: complains, and writes nothing to stdout.
refused() {
  complains "$@"
  [[ ! -s out ]] || fail "simulate ${*:3}: wrote to stdout"
}

cat >good.toml <<'END'
title = "Wall step"
[friction]
model = "dahl"
Fc = 0.981
sigma0 = 98100
[system]
kind = "slider"
mass = 1
stiffness = 100
[drive]
kind = "step"
size = 0.1
[solver]
duration = 1.1
output_step = 0.25
[expect]
"x(1)" = { value = 0.13572119931, rel = 1e-6 }
"count(stick)" = { min = 0 }
END
sed 's/rel = 1e-6/rel = 1e-20/' good.toml >violated.toml

# The summary, shorter and longer.
run 0 good.toml
for part in 'Wall step' dahl method steps rejected evaluations events energy drive kinetic spring damper friction balance \
  'x(1) = 0.135721' ': holds'; do says "$part"; done
[[ ! -s err ]] || fail "a good run wrote to stderr: $(cat err)"
run 0 good.toml --quiet
silent
run 0 good.toml --json
if command -v python3 >/dev/null; then
  python3 - out <<'PY' || fail "wrong content of the JSON summary"
import json, sys
j = json.load(open(sys.argv[1]))
for key in "title models method duration rows columns steps rejected evaluations events energy seconds checks held".split():
    assert key in j, key
assert j["held"] and len(j["checks"]) == 2 and j["checks"][0]["held"] and abs(j["checks"][0]["computed"] - 0.13572) < 1e-5
assert j["models"][0]["model"] == "dahl" and j["columns"] == ["t", "x", "v", "F", "F_app", "drive", "f"] and j["rows"] == 6
assert j["events"]["count"] == j["events"]["stick"] + j["events"]["slip+"] + j["events"]["slip-"]
assert abs(j["energy"]["error"]) < 1e-3 and j["final"]["t"] == 1.1
PY
fi
run 2 good.toml --json --quiet

# Output files.
run 0 good.toml --csv out.csv --events events.csv
says 'wrote out.csv'
says 'wrote events.csv'
[[ $(head -1 out.csv) == t,x,v,F,F_app,drive,f ]] || fail "header of the CSV: $(head -1 out.csv)"
[[ $(cut -d, -f1 out.csv | tr '\n' ' ') == 't 0 0.25 0.5 0.75 1 1.1 ' ]] || fail "times of the rows: $(cut -d, -f1 out.csv | tr '\n' ' ')"
[[ $(head -1 events.csv) == t,event,body ]] || fail "header of the events: $(head -1 events.csv)"
grep -vqE '^[0-9.e+-]+,(stick|slip\+|slip-),1$' <(tail -n +2 events.csv) && fail "events: $(cat events.csv)"
run 0 good.toml --csv /dev/stdout
cmp -s out out.csv || fail "the CSV on stdout is not the one in the file"
run 0 good.toml --csv /dev/null
[[ -c /dev/null ]] || fail "/dev/null was replaced"

# Changes with --set.
run 0 good.toml --set title='Another one' --set system.mass=1 --set system.mass=1.0
says 'Another one'
run 1 good.toml --set system.mass=2
refused 2 "--set system.mas: unknown key 'mas' in [system], did you mean 'mass'?" good.toml --set system.mas=2
refused 2 "--set friction: must be KEY=VALUE, such as friction.Fc=1.2" good.toml --set friction

# A violated expectation is reported with its line; the files are written nevertheless.
run 1 violated.toml --quiet --csv violated.csv
[[ ! -s out ]] || fail "--quiet wrote to stdout"
grep -qE '^bristle simulate: violated\.toml:17: x\(1\) = 0\.1357.*, expected 0\.1357.* within .* %: violated$' err || fail "said '$(cat err)'"
[[ -s violated.csv ]] || fail "no CSV of a run that violates an expectation"

# Invalid input: status 2, one message per problem, with file and line.
printf '[friction]\nmodel = "dahl"\nFc = -1\nsigma_0 = 1\n[system]\nkind = "slider"\nmass = 1\n[solver]\nduration = 1\n' >bad.toml
run 2 bad.toml --csv bad.csv
[[ ! -s out && $(wc -l <err) == 2 ]] || fail "bad.toml: $(cat out err)"
grep -qF 'bad.toml:3: Fc = -1 N must be > 0' err || fail "said '$(cat err)'"
grep -qF "bad.toml:4: unknown key 'sigma_0' in [friction], did you mean 'sigma0'?" err || fail "said '$(cat err)'"
absent bad.csv
refused 2 "none.toml: cannot be read: No such file or directory" none.toml
refused 2 ".: cannot be read: Is a directory" .
run 2
run 2 good.toml --frobnicate

# Outputs that cannot be written: status 1, before the run, and none of the others appears.
refused 1 "none/out.csv: cannot be written: folder none does not exist" good.toml --csv none/out.csv --events e.csv
absent e.csv
refused 1 ".: cannot be written: Is a directory" good.toml --csv .
refused 2 "./a.csv: is the scenario or the file of another output; each output requires its own file" good.toml --csv a.csv --events ./a.csv
absent a.csv
refused 2 "good.toml: is the scenario or the file of another output; each output requires its own file" good.toml --csv good.toml
[[ $(head -1 good.toml) == title* ]] || fail "the scenario was overwritten"
if [[ -w /dev/full ]]; then
  refused 1 "/dev/full: cannot be written: No space left on device" good.toml --events e.csv --csv /dev/full
  absent e.csv
fi
if ((EUID)); then
  mkdir sealed && chmod a-w sealed
  refused 1 "sealed/a.csv: cannot be written: folder sealed: Permission denied" good.toml --csv sealed/a.csv
fi

# Ctrl-C: status 130, one line, no file. (Child processes of a script may ignore the signal by default.)
long=(good.toml --set solver.duration=1e7 --set solver.output_step=1e4 --set solver.max_steps=1e12 --set friction.model=lugre
  --set friction.Fs=1.5 --set friction.vs=0.001 --set friction.sigma1=10 --set 'drive={kind="ramp",velocity=0.1}')
got=0
env --default-signal=INT "$BRISTLE" simulate "${long[@]}" --csv long.csv >out 2>err &
interrupt $! || got=$?
[[ $got == 130 ]] || fail "after Ctrl-C the exit status is $got: $(cat err)"
[[ $(cat err) == "bristle simulate: stopped" && ! -s out ]] || fail "message after Ctrl-C: '$(cat out err)'"
absent long.csv

# Without motion the balances compare nothing, and do not claim to be exact.
cat >rest.toml <<'END'
[friction]
model = "dahl"
Fc = 1
sigma0 = 1e5
[system]
kind = "slider"
mass = 1
[drive]
kind = "constant"
value = 0
of = "force"
[solver]
duration = 1
END
for still in '' 'system={kind="prescribed"}'; do
  run 0 rest.toml ${still:+--set "$still" --set 'drive={kind="constant",value=0}'} --report rest.html
  if grep -F "off by" out; then fail "a balance of zeros is exact: $(cat out)"; fi
done
says "no motion, no work of friction"

# The ledger of point masses, in J: the friction of the run is among its works, and nothing is missing.
cat >asperities.toml <<'END'
[friction]
model = "generic2010"
asperities = 200
settle = 5
scale_force = 3
scale_length = 2e-3
[system]
kind = "prescribed"
[drive]
kind = "ramp"
velocity = 1e-3
[solver]
duration = 2
END
run 0 asperities.toml --csv plain.csv --quiet
run 0 asperities.toml --csv kept.csv
cmp -s plain.csv kept.csv || fail "the ledger changes the run"
says "asperity  friction"
says "asperity  works off by"
if command -v python3 >/dev/null; then
  run 0 asperities.toml --json
  python3 - out <<'PY' || fail "wrong ledger: $(cat out)"
import json, sys
energy = json.load(open(sys.argv[1]))["energy"]
w = energy["asperities"]
lost = w["stored"] + w["kinetic"] + w["plastic"] + w["damper"] + w["adhesion"]
assert abs(w["friction"] - energy["friction"]) < 1e-3 * energy["friction"], energy
assert abs(w["friction"] + w["normal"] - lost) < 5e-3 * w["friction"] and w["error"] < 5e-3, w
assert min(w["plastic"], w["damper"], w["adhesion"]) > 0, w
PY
fi
# The progress bar appears on terminals only.
if command -v script >/dev/null; then
  shows_bar simulate "${long[@]}"
fi

compgen -G '.bristle-*' >/dev/null && fail "a temporary file remains"
verdict
