#!/usr/bin/env bash
# `bristle simulate --plot` and `--report`: files of the right format, complete or absent.
command=simulate
source "$(dirname "$0")/../support/command.sh"
examples=$root/examples
begins() { [[ $(head -c ${#2} "$1" | tr -d '\0') == "$2" ]] || fail "$1 does not begin with $2"; }

# All examples give well-formed figures and reports.
for file in "$examples"/scenarios/*.toml; do
  name=$(basename "$file" .toml)
  run 0 "$file" --plot "$name.svg" --report "$name.html"
  has out "wrote $name.svg"
  begins "$name.svg" '<svg xmlns="http://www.w3.org/2000/svg"'
  begins "$name.html" '<!DOCTYPE html>'
done
has stick_slip.svg 'Friction force F (N)'
has stick_slip.svg 'Drive position'
has roller.svg 'Angular velocity ω (rad/s)'
has presliding.svg 'Position x (µm)'
for part in '<h1>LuGre stick-slip, Canudas de Wit 1995</h1>' '2 of 2 checks hold' 'bristle stiffness' 'work of the drive' \
  'period(slip+)' 'model = &quot;lugre&quot;'; do has stick_slip.html "$part"; done
if command -v python3 >/dev/null; then
  python3 - *.svg *.html <<'PY' || fail "not well-formed"
import sys, xml.dom.minidom
for name in sys.argv[1:]:
    text = open(name, encoding="utf-8").read()
    xml.dom.minidom.parseString(text.removeprefix("<!DOCTYPE html>\n"))
    assert "src=" not in text and "file:" not in text, name
    # Scripts are inline, in a page that may load nothing; a figure alone has none.
    assert "<script" not in text or name.endswith(".html") and "default-src 'none'" in text, name
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace('http-equiv="Content-Security-Policy"', ""), name
    assert name.endswith(".svg") or 'class="panel"' in text and "prefers-color-scheme: dark" in text, name
PY
fi

# The same input gives the same figure.
run 0 "$examples/scenarios/stick_slip.toml" --plot again.svg
cmp -s stick_slip.svg again.svg || fail "two runs give different figures"

# Width, size of the text and legends; one unit more or less is a request that is refused before the run.
run 0 "$examples/scenarios/stick_slip.toml" --plot small.svg --width 85 --font 7 --legend none --quiet
has small.svg 'width="85mm"'
run 0 "$examples/scenarios/stick_slip.toml" --plot shared.svg --legend shared --quiet
run 2 "$examples/scenarios/stick_slip.toml" --plot bad.svg --width 10
run 2 "$examples/scenarios/stick_slip.toml" --plot bad.svg --legend left
run 2 "$examples/scenarios/stick_slip.toml" --font 9
absent bad.svg

# rsvg-convert makes the other formats; without it the command reports an error and writes nothing.
scenario=$examples/scenarios/step_response.toml
if command -v rsvg-convert >/dev/null; then
  run 0 "$scenario" --plot a.png --quiet
  [[ $(head -c 4 a.png | tail -c 3) == PNG ]] || fail "a.png is no PNG"
  run 0 "$scenario" --plot a.pdf --quiet
  begins a.pdf %PDF
fi
mkdir empty
PATH=$work/empty "$BRISTLE" simulate "$scenario" --csv b.csv --plot b.png >out 2>err
[[ $? == 1 ]] || fail "without rsvg-convert: exit status"
has err 'PNG and PDF require the program rsvg-convert'
absent b.csv
absent b.png

# Impossible requests are reported before the run.
complains 2 "--plot a.jpg: must end in .svg, .png or .pdf" "$scenario" --plot a.jpg
complains 2 "--plot picture: must end in .svg, .png or .pdf" "$scenario" --plot picture
complains 1 "nowhere/a.svg: cannot be written: folder nowhere does not exist" "$scenario" --plot nowhere/a.svg
complains 2 "a.svg: is the scenario or the file of another output; each output requires its own file" "$scenario" --plot a.svg --csv a.svg
absent a.svg

# A failed run does not change existing files.
echo old >keep.svg
echo old >keep.html
run 1 "$scenario" --set solver.max_steps=3 --plot keep.svg --report keep.html
[[ $(cat keep.svg keep.html) == $'old\nold' ]] || fail "a failed run changed its output files"
# The report shows a violated expectation.
run 1 "$scenario" --set system.mass=2 --report violated.html
has violated.html '✗ violated'
has violated.html '# --set system.mass=2'

compgen -G '.bristle-*' >/dev/null && fail "a temporary file remains"
verdict
