#!/usr/bin/env bash
# Standard output of every command: lost output is a failure with one line; a reader that stops early is not a failure.
command=
source "$(dirname "$0")/../support/command.sh"
export BRISTLE_PAPERS=$root/papers BRISTLE_EXAMPLES=$root/examples

cat >run.toml <<'END'
[friction]
model = "coulomb"
Fc = 1
[system]
kind = "slider"
mass = 1
stiffness = 100
[drive]
kind = "ramp"
velocity = 1
[solver]
duration = 1
END
awk 'BEGIN { print "v,F"; for (i = 1; i <= 30; ++i) for (s = -1; s < 2; s += 2) printf "%g,%g\n", s * i / 100, s * (2 + i / 20) }' >points.csv

commands=('--help' '--version' 'models' 'models lugre' 'models --json' 'simulate --help' 'simulate run.toml' 'simulate run.toml --json'
  'simulate run.toml --csv out.csv' 'characterize run.toml' 'characterize run.toml --json' 'papers --list' 'papers --list --json'
  'help' 'help drive' 'help --man' 'help --markdown' 'init' 'check run.toml' 'examples' 'schema' 'completion bash' 'simulate run.toml --csv -'
  'papers olsson1993/fig5 -o papers' 'identify points.csv --models coulomb' 'identify points.csv --models coulomb -o fit --json')
lost() { # LINE: what is on stderr, and nothing else
  [[ $got == 1 && $(cat err) == "$1" ]] || fail "$words: exit status $got, said '$(cat err)', not '$1'"
}
for words in "${commands[@]}"; do
  if [[ -w /dev/full ]]; then
    got=0
    "$BRISTLE" $words >/dev/full 2>err || got=$?
    lost 'bristle: standard output: cannot be written: No space left on device'
    got=0
    "$BRISTLE" $words >/dev/full 2>/dev/full || got=$?
    [[ $got == 1 ]] || fail "$words, with nowhere to complain: exit status $got"
  fi
  got=0
  "$BRISTLE" $words >&- 2>err || got=$?
  lost 'bristle: standard output: cannot be written: Bad file descriptor'
  got=$(set -o pipefail; "$BRISTLE" $words 2>err | true; echo $?)
  [[ $got == 0 && ! -s err ]] || fail "$words | true: exit status $got, said '$(cat err)'"
done
[[ $(wc -l <out.csv) == 1002 && -s fit/report.html && -s papers/index.html ]] || fail "incomplete files without standard output"
grep -q wrote out.csv fit/*.toml fit/ranking.csv && fail "the summary went into a file"

# Data on standard output.
words='simulate run.toml --csv /dev/stdout'
got=0
"$BRISTLE" $words >&- 2>err || got=$?
lost 'bristle simulate: /dev/stdout: cannot be written: Bad file descriptor'
got=$(set -o pipefail; "$BRISTLE" simulate run.toml --events /dev/stdout --csv rows.csv --set solver.output_step=1e-5 2>err | true; echo $?)
[[ $got == 0 && ! -s err && $(wc -l <rows.csv) == 100002 ]] || fail "events | true: exit status $got, said '$(cat err)'"

# A command without output does not fail; errors of the input take precedence.
for way in '/dev/full' '&-'; do
  eval "\"$BRISTLE\" simulate run.toml --quiet >$way 2>err" || fail "--quiet >$way: $(cat err)"
  got=0
  eval "\"$BRISTLE\" simulate none.toml >$way 2>err" || got=$?
  [[ $got == 2 && $(cat err) == 'bristle simulate: none.toml: cannot be read: No such file or directory' ]] || fail "none.toml >$way: $got $(cat err)"
done

# Several commands write to one folder: complete files, no errors, no temporary files.
for round in 1 2 3; do
  rm -rf shared same.csv
  pids=()
  for i in 1 2 3 4; do
    "$BRISTLE" papers olsson1993/fig5 -o shared >/dev/null 2>"err$i" && "$BRISTLE" simulate run.toml --quiet --csv same.csv 2>>"err$i" &
    pids+=($!)
    "$BRISTLE" identify points.csv --models coulomb -o shared >/dev/null 2>"fit$i" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || fail "one of several writers failed"; done
  [[ -z $(grep -hv ' left$' err? fit?) ]] || fail "several writers printed '$(cat err? fit?)'"
  cmp -s same.csv out.csv || fail "the CSV of four writers is not that of one"
  [[ $(tail -c 8 shared/index.html) == '</html>' && $(tail -c 8 shared/report.html) == '</html>' ]] || fail "incomplete pages"
done
find . -name '.bristle-*' | grep -q . && fail "a temporary file remains"
verdict
