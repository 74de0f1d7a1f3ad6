#!/usr/bin/env bash
# Commands that explain: help, init, check, examples, completion, the manual page; and '-' as an output.
command=help
source "$(dirname "$0")/../support/command.sh"
export BRISTLE_EXAMPLES=$root/examples BRISTLE_PAPERS=$root/papers
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import tomllib' 2>/dev/null && python=$p && break; done

# help: every topic has a page within 80 columns; commands and models are topics too.
run 0
for topic in scenario friction effects system controller drive load solver figure expect measure tribometer fitted measured; do
  grep -qE "^  $topic +" out || fail "help does not list $topic"
done
topics=$(sed -n '/^  topic/,/^$/p' out | awk 'NR > 1 && /^  [a-z]/ { print $1 }')
for topic in $topics; do
  run 0 "$topic"
  [[ $(wc -l <out) -ge 5 && ! -s err ]] || fail "help $topic: empty page"
  awk 'length($0) > 80 && !/^    / { print FILENAME ": " $0; bad = 1 } END { exit bad }' out || fail "help $topic: lines of more than 80 columns"
done
run 0 drive
for part in 'kind = "sine"' 'amplitude' 'm, m/s, N' 'this or omega' 'soft_start' '>= 0'; do has out "$part"; done
run 0 simulate
has out 'Usage: bristle simulate'
run 0 lugre
has out 'Equations'
complains 2 "unknown topic 'drvie', did you mean 'drive'?" drvie
complains 2 "unknown topic 'xyzzyxyzzy'; 'bristle help' lists the topics" xyzzyxyzzy

# init: every template is without problems, runs, has measures with values and figures; no file is overwritten.
command=init
for kind in slider servo roller rate_state asperities chain; do
  run 0 $kind -o $kind.toml
  [[ $(cat out) == "wrote $kind.toml" ]] || fail "init $kind said '$(cat out)'"
  "$BRISTLE" init $kind | cmp -s - $kind.toml || fail "init $kind: standard output and file differ"
  "$BRISTLE" check $kind.toml >out 2>err || fail "init $kind: $(cat err)"
  [[ $(head -1 out) == "$kind.toml: no problems" ]] || fail "check $kind said '$(cat out)'"
  "$BRISTLE" simulate $kind.toml --plot $kind.svg >out 2>err || fail "init $kind does not run: $(cat err)"
  grep -q '^  measure' out && ! grep -q 'is undefined' out || fail "init $kind: no measures: $(cat out)"
  grep -q '^\[\[figure\]\]' $kind.toml || fail "init $kind has no figure"
done
"$BRISTLE" init >out && cmp -s out slider.toml || fail "init is not init slider"
echo mine >mine.toml
complains 2 "mine.toml: exists already; a file that does not exist is accepted" servo -o mine.toml
[[ $(cat mine.toml) == mine ]] || fail "init overwrote a file"
complains 2 "unknown kind 'sevro', did you mean 'servo'?" sevro

# check: all problems of all files, status 2; friction files and figure files are accepted for what they are.
command=check
printf 'title = "x"\n[friction]\nmodel = "lugre"\nFc = 1\nsigma_0 = 3\n[system]\nkind = "slider"\nmass = -1\n[solver]\nduration = 1\n' >bad.toml
run 2 bad.toml slider.toml
has err "bristle check: bad.toml:5: unknown key 'sigma_0' in [friction], did you mean 'sigma0'?"
has err "bristle check: bad.toml:8: mass = -1 kg must be > 0"
has out "slider.toml: no problems"
grep -q 'bad.toml: no' out && fail "check accepts bad.toml"
run 0 "$root/examples/friction/axis.toml" "$root/examples/characterize/lugre.toml" "$root/papers/olsson1993/fig5.toml"
has out 'friction file, model lugre'
has out 'figure file'
complains 2 "none.toml: cannot be read: No such file or directory" none.toml
run 0 slider.toml
has out 'note      lugre with these parameters can create energy'

# examples: listed with titles; a copy runs, also one that refers to another file; nothing is overwritten.
command=examples
run 0
has out 'stick_slip'
has out 'Positioning with friction'
run 0 --names
[[ $(sort out | uniq -d) == "" ]] || fail "examples with the same name"
run 0 stick_slip -o copies
"$BRISTLE" simulate copies/stick_slip.toml --quiet || fail "the copy of stick_slip does not run"
complains 2 "copies/stick_slip.toml: exists already; a file that does not exist is accepted" stick_slip -o copies
run 0 compensation_file -o copies
"$BRISTLE" check copies/scenarios/compensation_file.toml >/dev/null || fail "the copy of compensation_file lacks its friction file"
run 0 hunting -o copies
"$BRISTLE" papers --from copies/demo --list >/dev/null || fail "the copy of a figure file lacks its paper"
complains 2 "unknown example 'stick_slop', did you mean 'stick_slip'?" stick_slop
BRISTLE_EXAMPLES=$work/nothing run 1 2>/dev/null
has err 'contains no examples'

# completion in bash
command=completion
run 0 bash
bash -n out || fail "the completion of bash is not a script"
bash -c '
  source out
  compopt() { :; }
  ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bristle; echo "${COMPREPLY[*]}"; }
  [[ $(ask bristle sim) == simulate ]] || { echo "FAILED: sim completes to $(ask bristle sim)"; exit 1; }
  [[ $(ask bristle models lug) == lugre ]] || { echo "FAILED: models lug: $(ask bristle models lug)"; exit 1; }
  [[ $(ask bristle identify --models gms,lug) == gms,lugre ]] || { echo "FAILED: --models gms,lug: $(ask bristle identify --models gms,lug)"; exit 1; }
  [[ $(ask bristle simulate --ev) == --events ]] || { echo "FAILED: --ev"; exit 1; }
  [[ $(ask bristle help contr) == controller ]] || { echo "FAILED: help contr: $(ask bristle help contr)"; exit 1; }
  [[ $(ask bristle init ser) == servo ]] || { echo "FAILED: init ser"; exit 1; }
  [[ $(ask bristle simulate slid) == slider.toml ]] || { echo "FAILED: files: $(ask bristle simulate slid)"; exit 1; }
  [[ $(ask bristle simulate x.toml --set solver.dur) == solver.duration= ]] || { echo "FAILED: --set"; exit 1; }
  [[ $(ask "$BRISTLE" examples stick_sl) == stick_slip ]] || { echo "FAILED: examples: $(ask "$BRISTLE" examples stick_sl)"; exit 1; }
' || fail "completion in bash"
run 0 zsh
if command -v zsh >/dev/null; then zsh -n out || fail "the completion of zsh is not a script"; fi
complains 2 "unknown shell 'fish'; accepted: bash, zsh" fish

# The manual page has every command, and no mistakes that its reader knows.
command=help
run 0 --man
for c in simulate identify papers init check examples schema; do has out ".SS bristle $c"; done
if command -v mandoc >/dev/null; then
  mandoc -Tlint out 2>&1 | grep -E 'ERROR|WARNING: (skipping|unknown)' && fail "mistakes in the manual page"
fi

# '-' is standard output, with nothing else on it.
command=simulate
run 0 slider.toml --csv rows.csv --events events.csv
run 0 slider.toml --csv -
cmp -s out rows.csv && [[ ! -s err ]] || fail "--csv - differs from the file"
run 0 slider.toml --events - --csv again.csv
cmp -s out events.csv && cmp -s again.csv rows.csv || fail "--events - differs from the file"
complains 2 "two outputs to '-', standard output; one is accepted, the others require a file" slider.toml --csv - --events -
complains 2 "'-' as an output and --json both write to standard output; one of them is accepted" slider.toml --csv - --json
echo before >appended
"$BRISTLE" simulate slider.toml --csv - >>appended
[[ $(head -1 appended) == before && $(wc -l <appended) == $(($(wc -l <rows.csv) + 1)) ]] || fail "--csv - replaced a file"

# Options of identify are in groups.
command=identify
run 0 --help
for group in Recordings: Models: Search: Output:; do has out "$group"; done

# Colours and the time left: on a terminal only, without NO_COLOR and TERM=dumb.
if [[ -n $python ]]; then
  cat >terminal.py <<'PY'
import os, pty, sys
def run(env, *words):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(env)
        os.execv(os.environ["BRISTLE"], ["bristle", *words])
    out = b""
    try:
        while True:
            piece = os.read(fd, 65536)
            if not piece: break
            out += piece
    except OSError: pass
    os.waitpid(pid, 0)
    return out.decode()
plain = {"TERM": "xterm", "NO_COLOR": ""}
assert "\033[" in run(plain, "check", "slider.toml"), "no colour of a result"
assert "\033[1;31mbristle check:" in run(plain, "check", "bad.toml"), "no colour of an error"
for env in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb", "NO_COLOR": ""}):
    for file in ("slider.toml", "bad.toml"):
        assert "\033[" not in run(env, "check", file), f"colours with {env}"
out = run(plain, "simulate", "slider.toml", "--set", "solver.duration=2e5", "--set", "solver.output_step=100", "--set", "solver.rtol=1e-10")
assert " left" in out and "%" in out, "no time left: " + out[-300:]
PY
  $python terminal.py || fail "colours or the time left on a terminal"
fi
verdict
