#!/usr/bin/env bash
# `bristle characterize`: table, files, page, exit status and error messages.
command=characterize
source "$(dirname "$0")/../support/command.sh"
examples=$root/examples/characterize

cat >dry.toml <<'END'
[friction]
model = "coulomb"
Fc = 1
END
cat >soft.toml <<'END'
model = "coulomb_tanh"
Fc = 1
k_tanh = 1000
[tribometer]
mass = 1
END

# Prints the table and writes no file.
run 0 dry.toml soft.toml
grep -qE '^stiction +yes 0 +no  0\.549 ' out || fail "the table: $(cat out)"
[[ $(ls) == $'dry.toml\nerr\nout\nsoft.toml' ]] || fail "wrote $(ls)"

# All output files, with the same numbers.
run 0 dry.toml soft.toml -o all
has out 'wrote all/index.html'
for file in index.html properties.csv quantities.csv properties.json loops.svg curve.svg lag.svg steps.svg hold.svg \
  breakaway.svg dwell.svg reversal.svg drift.svg stick_slip.svg cycles.svg data/loops-dry.csv data/curve_forward-soft.csv; do
  [[ -s all/$file ]] || fail "no $file"
done
[[ $(head -1 all/data/loops-dry.csv) == x,F ]] || fail "header of the CSV"
has all/properties.csv 'contact,model,property,holds,number,threshold,declared,rule'
has all/properties.csv 'dry,coulomb,stiction,yes,0,1e-09,yes,'
has all/properties.csv 'soft,coulomb_tanh,stiction,no,0.549'
if command -v python3 >/dev/null; then
  python3 - all <<'PY' || fail "wrong content of the files"
import csv, json, pathlib, sys, xml.dom.minidom
root = pathlib.Path(sys.argv[1])
page = xml.dom.minidom.parseString((root / "index.html").read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>\n"))
ids = [a.getAttribute("id") for a in page.getElementsByTagName("article")]
assert ids[0] == "loops" and len(ids) == 12, ids
assert len(page.getElementsByTagName("svg")) == 11  # neither contact releases energy
for link in page.getElementsByTagName("a"):
    assert link.getAttribute("href")[1:] in ids
j = json.load(open(root / "properties.json"))
assert [c["contact"] for c in j] == ["dry", "soft"]
rows = list(csv.DictReader(open(root / "properties.csv")))
assert len(rows) == 24
for r in rows:
    p = next(c for c in j if c["contact"] == r["contact"])["properties"][r["property"]]
    assert p["holds"] == (r["holds"] == "yes") and p["number"] == float(r["number"]), r
    assert r["declared"] == "" or r["declared"] == r["holds"], r
assert abs(j[0]["experiments"]["breakaway"]["quantities"]["breakaway_1"]["value"] - 1) < 1e-9
PY
  run 0 dry.toml --json
  python3 -c 'import json; j = json.load(open("out")); assert j[0]["properties"]["set_valued"]["holds"]' || fail "--json"
fi

# Rotational units, also from a friction file; all files must have the same units.
printf 'units = "rotational"\n' | cat - dry.toml >joint.toml
printf '[friction]\nfile = "joint.toml"\n' >fitted.toml
for file in joint fitted; do
  run 0 $file.toml -o $file
  has $file/quantities.csv "$file,coulomb,loops,height,2,N m,"
  has $file/quantities.csv ',N m,'
  has $file/properties.json '"unit": "N m"'
  has $file/index.html 'N m'
  [[ $(head -1 $file/recordings/$file/loops.csv) == t_s,x_rad,v_rad_s,friction_Nm ]] || fail "units of the recordings"
done
has all/quantities.csv "dry,coulomb,loops,height,2,N,"
complains 2 'dry.toml: units = "linear", but fitted.toml has units = "rotational"; all files must have the same units, --set units=... sets them' \
  fitted.toml dry.toml -o mixed
absent mixed
run 0 fitted.toml dry.toml --set units=linear

# Settings: in the file, with --set; the scales of the first file unless --own.
run 0 dry.toml soft.toml --set tribometer.velocity=0.5 --set tribometer.breakaway.rates=[2] -o set
has set/quantities.csv 'soft,coulomb_tanh,breakaway,rate_1,2,N/s'
run 0 soft.toml dry.toml -o same
[[ $(grep -c '"velocity": 0.001,' same/properties.json) == 2 ]] || fail "not the scales of the first file"
run 0 dry.toml soft.toml --set tribometer.velocity=1 --own # a setting of the files holds for both
run 2 dry.toml soft.toml --own --same
mkdir -p other && cp dry.toml other/
run 0 dry.toml other/dry.toml -o twice
[[ -s twice/data/loops-dry.csv && -s twice/data/loops-dry-2.csv ]] || fail "two files of the same name"
for file in "$examples"/*.toml; do # they are only read here, the documents show them
  run 2 "$file" --set friction.nothing=1
  [[ $(wc -l <err) == 1 ]] || fail "$file: $(cat err)"
done

# Invalid input: all problems are reported, no file is written.
sed 's/Fc = 1/Fc = -1/' dry.toml >wrong.toml
printf '[tribometer.lag]\nomgea = [1]\n' >>wrong.toml
run 2 wrong.toml missing.toml -o wrong
[[ $(cat err) == "bristle characterize: wrong.toml:3: Fc = -1 N must be >= 0
bristle characterize: wrong.toml:5: unknown key 'omgea' in [tribometer.lag], did you mean 'omega'?
bristle characterize: missing.toml: cannot be read: No such file or directory" ]] || fail "said '$(cat err)'"
absent wrong
echo file >taken
complains 1 "taken: cannot be written: Not a directory" dry.toml -o taken
run 2
has err 'FILE'

# Ctrl-C: status 130, no file is written.
got=0
env --default-signal=INT "$BRISTLE" characterize dry.toml --set tribometer.energy.tries=1000000 -o stopped >out 2>err &
interrupt $! || got=$?
[[ $got == 130 ]] || fail "after Ctrl-C the exit status is $got: $(cat err)"
[[ $(cat err) == "bristle characterize: stopped" ]] || fail "message after Ctrl-C: '$(cat err)'"
absent stopped/index.html
if command -v script >/dev/null; then
  shows_bar characterize "$examples"/*.toml "$examples"/*.toml "$examples"/*.toml
fi

find . -name '.bristle-*' | grep -q . && fail "a temporary file remains"
verdict
