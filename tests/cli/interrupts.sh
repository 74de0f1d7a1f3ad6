#!/usr/bin/env bash
# Ctrl-C ends `bristle simulate` within a second in every phase, with status 130 and without files; and the memory of a chain of
# many blocks.
command=simulate
source "$(dirname "$0")/../support/command.sh"

scenario() { # FRICTION SYSTEM DRIVE SOLVER
  printf '[friction]\n%b\n[system]\nkind = %b\n[drive]\n%b\n[solver]\nmax_steps = 1e12\n%b\n' "$@"
}
lugre='model = "lugre"\nFc = 1\nFs = 1.5\nvs = 0.001\nsigma0 = 1e5\nsigma1 = 300'
chain='"chain"\nblocks = 100000\ncoupling = 10\nmass = 1\nstiffness = 2'
ramp='kind = "ramp"\nvelocity = 1'
fast='kind = "triangle"\namplitude = 1e-6\nfrequency = 1e9'

# stops NAME ARG...: within a second, with a margin for a busy machine.
stops() {
  local name=$1 got=0 took && shift
  env --default-signal=INT "$BRISTLE" simulate "$@" --csv "$name.csv" --plot "$name.svg" >out 2>err &
  interrupt $! || got=$?
  [[ $got == 130 ]] || fail "$name: after Ctrl-C the exit status is $got: $(cat err)"
  ((took < 2000)) || fail "$name: took $took ms to stop"
  [[ $(cat err) == "bristle simulate: stopped" && ! -s out ]] || fail "$name: message after Ctrl-C: '$(cat out err)'"
  absent "$name.csv"
  absent "$name.svg"
}
scenario "$lugre" "$chain" "$ramp" 'duration = 1000\nrecord = [1, 50]' >chain.toml
scenario 'model = "stribeck"\nFc = 1\nFs = 1.5\nvs = 0.001' "$chain\\npulled = \"all\"" "$ramp" 'duration = 1000\nrecord = [7]' >dry.toml
scenario 'model = "gfm"' '"prescribed"' "$fast" 'duration = 10\noutput_step = 10' >asperities.toml
scenario "$lugre\\n[friction.effects]\\nnoise = 0.1\\nnoise_frequency = 1e9" '"slider"\nmass = 1\nstiffness = 2' "$ramp" 'duration = 10' >noise.toml
scenario "$lugre" '"prescribed"' "$fast" 'duration = 10' >prescribed.toml
scenario "$lugre" '"slider"\nmass = 1\nstiffness = 2' "$fast" 'duration = 10\nmethod = "cvode"' >cvode.toml
for name in chain dry asperities noise prescribed cvode; do stops $name $name.toml; done
stops fixed noise.toml --set solver.method=fixed --set solver.step=1e-9

# Ten million rows of a body at rest: one step, then a long phase of writing and drawing.
scenario 'model = "coulomb"\nFc = 1' '"slider"\nmass = 1\nstiffness = 1' 'kind = "constant"\nvalue = 0' \
  'duration = 1000\noutput_step = 1e-4' >rows.toml
stops rows rows.toml

# A hundred thousand blocks in less than 2 GB of memory, with the columns of some of them.
(
  ulimit -v 2000000
  run 0 chain.toml --set solver.duration=0.02 --csv chain.csv
  exit $failures
) || fail "100000 blocks do not fit in 2 GB"
[[ $(head -1 chain.csv) == t,x,v,F,F_app,drive,z,x50,v50,F50,z50 ]] || fail "header: $(head -1 chain.csv)"
[[ $(wc -l <chain.csv) == 1002 ]] || fail "$(wc -l <chain.csv) lines"
run 0 dry.toml --set solver.duration=0.02 --csv dry.csv --report dry.html --plot dry.svg
[[ $(head -1 dry.csv) == t,drive,x7,v7,F7 ]] || fail "header: $(head -1 dry.csv)"
complains 2 "--set solver.output_step: 16000001 rows of 19 columns require 2.43 GB; at most 2 GB are accepted: choose a larger output_step, or record fewer blocks" \
  chain.toml --set 'solver.record=[1,2,3,4]' --set solver.output_step=6.25e-5
complains 2 "--set solver.record: record = [100001] in [solver]: block 100001 does not exist; blocks 1 to 100000 are accepted" \
  chain.toml --set 'solver.record=[100001]'

compgen -G '.bristle-*' >/dev/null && fail "a temporary file remains"
verdict
