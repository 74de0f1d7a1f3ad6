#!/usr/bin/env bash
# bristle studio: the page from the resources of the command, the file in it, statuses and messages. A small page stands for the built one.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() { echo "$1" >&2 && exit 1; }
says() { # STATUS PATTERN COMMAND...
  local status=0 want=$1 pattern=$2 text
  shift 2
  text=$("$@" 2>&1) || status=$?
  [[ $status == "$want" ]] || fail "status $status instead of $want: $*: $text"
  [[ $text =~ $pattern ]] || fail "'$pattern' is not in: $text"
}
unset DISPLAY WAYLAND_DISPLAY

# Without the page.
export BRISTLE_RESOURCES=$tmp/none
says 1 "built without the page; 'make studio' builds it" "$BRISTLE" studio
[[ ! -e bristle-studio.html ]] || fail "a page was written without its resources"

export BRISTLE_RESOURCES=$tmp/resources
mkdir -p resources/studio
cat >resources/studio/page.html <<'HTML'
<!doctype html>
<script type="application/json" id="state">null</script>
<script type="text/plain" id="core"></script>
HTML
head -c 1000 /dev/urandom >resources/studio/core.wasm.gz

# The core comes back as it was, for every length of the last group.
for size in 1000 999 998 1 2 3; do
  head -c "$size" /dev/urandom >resources/studio/core.wasm.gz
  says 0 "wrote $tmp/bristle-studio.html" "$BRISTLE" studio
  sed -n 's/.*id="core">\(.*\)<.script>/\1/p' bristle-studio.html | base64 -d | cmp - resources/studio/core.wasm.gz || fail "core of $size bytes"
done
grep -q 'id="state">null<' bristle-studio.html || fail "a page without a file has a state"

# A hostile file: nothing of it ends the script element, all of it comes back.
cat >evil.toml <<'TOML'
title = "</script><script>alert(1)</script><!-- <SCRIPT> \u0000 "
[friction]
model = "lugre" # é ∑ 
TOML
printf '\xff\xfe</SCRIPT\n' >>evil.toml
says 0 "wrote $tmp/page.html" "$BRISTLE" studio evil.toml -o page.html --no-open
[[ $(grep -ci '</script' page.html) == 2 && $(grep -c '<!--' page.html) == 0 ]] || fail "text of the file ends an element"
python3 - evil.toml page.html <<'PY' || fail "the file is not in the page"
import json, re, sys
given = open(sys.argv[1], "rb").read().decode("utf-8", "replace")
state = json.loads(re.search(r'id="state">(.*)</script>', open(sys.argv[2], encoding="utf-8").read())[1])
assert state["name"] == "evil.toml" and state["text"].replace("�", "") == given.replace("�", ""), state
PY

# A scenario brings the files that it refers to.
cat >block.toml <<'TOML'
[friction]
model = "stribeck"
Fc = 1.0
Fs = 1.5
vs = 0.001
TOML
cat >run.toml <<'TOML'
[friction]
file = "block.toml"
[system]
kind = "slider"
mass = 1.0
stiffness = 2.0
[drive]
kind = "ramp"
velocity = 0.1
[solver]
duration = 5
TOML
says 0 'wrote' "$BRISTLE" studio run.toml -o run.html --no-open
grep -q '"files":\[{"name":"block.toml"' run.html || fail "the friction file of the scenario is missing"

says 2 'absent.toml: cannot be read' "$BRISTLE" studio absent.toml
says 2 'is the scenario' "$BRISTLE" studio run.toml -o run.toml
says 1 'folder .* does not exist' "$BRISTLE" studio -o absent/page.html
echo '<p>another page</p>' >resources/studio/page.html
says 1 "'make studio' builds it" "$BRISTLE" studio -o other.html
[[ ! -e other.html ]] || fail "a page that does not fit was written"
