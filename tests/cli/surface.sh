#!/usr/bin/env bash
# bristle surface: files, numbers, refusals.
set -uo pipefail
bristle=${BRISTLE:?}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failures=0
fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}
refuses() { # status, part of the message, arguments
  local status=$1 part=$2
  shift 2
  "$bristle" surface "$@" >out.txt 2>err.txt
  local got=$?
  [[ $got == "$status" ]] || fail "surface $*: status $got instead of $status: $(head -c 300 err.txt)"
  grep -qF -- "$part" err.txt || fail "surface $*: no '$part' in: $(head -c 300 err.txt)"
  [[ $(wc -l <err.txt) -ge 1 ]] || fail "surface $*: no message"
}
value() { awk -F, -v name="$1" '$1 == name { print $2 }' "$2"; }
near() { # value, expected, relative tolerance
  awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(a != "" && d <= r * b) }' ||
    fail "$1 is not $2 within $3"
}

# A profile of three waves.
awk 'BEGIN { pi = atan2(0, -1); print "x,z"
  for (i = 0; i < 8000; ++i) { x = 2e-6 * pi * i
    printf "%.17g,%.17g\n", 1e-6 * i, 1e-6 * cos(x / .8e-3) + .3e-6 * cos(x / .1e-3 + .5) + .1e-6 * cos(x / .02e-3 + 1.1) } }' >profile.csv
"$bristle" surface profile.csv -o plain >out.txt || fail "profile"
near "$(value Rq plain/surface.csv)" 7.4161985e-7 1e-6
near "$(value Ra plain/surface.csv)" 6.5179927e-7 1e-6
near "$(value m2 plain/surface.csv)" 6.9781605e-4 1e-6
near "$(value m4 plain/surface.csv)" 4.8612288e7 1e-6
[[ ! -e plain/gfm.toml ]] || fail "gfm.toml without --E"
grep -q "no gfm.toml: requires --E, --area" out.txt || fail "no reason for the missing gfm.toml"
"$bristle" surface profile.csv --cutoff .8e-3 --short 8e-6 -o filtered >/dev/null || fail "filter"
near "$(value Rq filtered/surface.csv)" 4.16642e-7 1e-4

# Units of the header, decimal commas, falling positions: the same surface.
awk -F, 'NR == 1 { print "x_mm;z [µm]"; next } { s = sprintf("%.12f;%.12f", 1e3 * $1, 1e6 * $2); gsub(/\./, ",", s); print s }' profile.csv >units.csv
"$bristle" surface units.csv -o units >/dev/null || fail "units"
near "$(value m4 units/surface.csv)" 4.8612288e7 1e-5
(head -1 profile.csv; tail -n +2 profile.csv | tac) >falling.csv
"$bristle" surface falling.csv -o falling >/dev/null || fail "falling"
near "$(value m2 falling/surface.csv)" 6.9781605e-4 1e-6
tail -n +2 profile.csv | cut -d, -f2 >z.csv
"$bristle" surface z.csv --spacing 1e-6 -o z >/dev/null || fail "z"
cmp -s z/contact.csv plain/contact.csv || fail "a profile without positions differs"

# A note about a column without a unit, if the other has one; the first height or row may be missing.
sed 's/^x,z$/x_in,z_m/' profile.csv >inch.csv
"$bristle" surface inch.csv -o inch >inch.txt 2>&1 || fail "inch"
grep -q "no unit of 'x_in': taken in m" inch.txt || fail "no note about x_in: $(cat inch.txt)"
(echo z; sed '1s/.*/NaN/' z.csv) >gap.csv
"$bristle" surface gap.csv --spacing 1e-6 -o gap >/dev/null 2>&1 || fail "the first height missing"
near "$(value points_x gap/surface.csv)" 8000 1e-9

# A map, as a matrix and as SDF.
awk 'BEGIN { q = atan2(0, -1) / 10
  for (j = 0; j < 60; ++j) { s = ""
    for (i = 0; i < 80; ++i) s = s (i ? "," : "") sprintf("%.12g", 1e-6 * cos(q * i) * cos(q * j) + 1e-7 * cos(3.1 * q * i + 1) * cos(2.3 * q * j))
    print s } }' >map.csv
material=(--E 115e9 --hardness 2e9 --shear 3e8 --mass 1)
"$bristle" surface map.csv --spacing 1e-6,2e-6 "${material[@]}" --json -o map >map.json || fail "map"
for f in surface.csv contact.csv summits.csv gfm.toml generic2010.toml report.html; do
  [[ -s map/$f ]] || fail "map/$f is missing"
done
[[ $(head -1 map/contact.csv) == h,separation,pressure,contacts,area_gw,area_persson ]] || fail "header of contact.csv"
[[ $(head -1 map/summits.csv) == x,y,height,radius ]] || fail "header of summits.csv"
[[ $(head -1 map/surface.csv) == name,value,unit ]] || fail "header of surface.csv"
grep -q "Masses are scaled" map/generic2010.toml || fail "remark on the masses"
python3 -c 'import json, sys; d = json.load(open("map.json")); sys.exit(not (d["kind"] == "map" and d["points"] == [80, 60] and d["values"]["Sq"] > 0 and len(d["files"]) == 6))' ||
  fail "map.json"
for f in gfm generic2010; do
  "$bristle" check map/$f.toml >/dev/null 2>err.txt || fail "check $f.toml: $(head -c 300 err.txt)"
done
printf 'aBCR-1.0\nManufacID = test\nNumPoints = 80\nNumProfiles = 60\nXscale = 1e-6\nYscale = 2e-6\nZscale = 1e-6\nZresolution = -1\nCompression = 0\nDataType = 7\nCheckType = 0\n*\n' >map.sdf
tr ',' '\n' <map.csv | awk '{ printf "%.12g\n", 1e6 * $1 }' >>map.sdf
echo '*' >>map.sdf
"$bristle" surface map.sdf "${material[@]}" -o sdf >/dev/null || fail "sdf"
near "$(value m4_y sdf/surface.csv)" "$(value m4_y map/surface.csv)" 1e-8
"$bristle" surface map.csv --spacing 1e-6,2e-6 --threads 1 -o one >/dev/null && "$bristle" surface map.csv --spacing 1e-6,2e-6 --threads 3 -o three >/dev/null
cmp -s one/surface.csv three/surface.csv && cmp -s one/summits.csv three/summits.csv || fail "bits depend on the threads"
"$bristle" surface map.csv --counter profile.csv --spacing 1e-6 "${material[@]}" -o counter >/dev/null || fail "counter"
near "$(value wavelength_counter counter/surface.csv)" "$(value wavelength plain/surface.csv)" 1e-9
load=$(value load map/surface.csv)
"$bristle" surface map.csv --spacing 1e-6,2e-6 "${material[@]}" --load "$load" -o loaded >/dev/null || fail "load"
near "$(value h loaded/surface.csv)" 2 1e-6

refuses 2 "no spacing" map.csv
refuses 2 "cannot be read" missing.csv
head -20 profile.csv >few.csv && refuses 2 "at least 32" few.csv
head -10 map.csv >small.csv && refuses 2 "16 x 16" small.csv --spacing 1e-6
sed '100s/^[^,]*/0.0000995/' profile.csv >uneven.csv && refuses 2 "uneven spacing" uneven.csv
sed '7s/,[^,]*$//' map.csv >ragged.csv && refuses 2 "line 7: 79 cells" ragged.csv --spacing 1e-6
sed '7s/^[^,]*/abc/' map.csv >word.csv && refuses 2 "'abc' is no number" word.csv --spacing 1e-6
awk -F, -v OFS=, 'NR > 1 && NR % 15 == 0 { $2 = "nan" } 1' profile.csv >gaps.csv && refuses 2 "missing" gaps.csv
awk -F, -v OFS=, 'NR > 1 && NR % 50 == 0 { $2 = "" } 1' profile.csv >holes.csv
"$bristle" surface holes.csv -o holes >/dev/null 2>err.txt || fail "2 % of missing values"
grep -q "warning: .*missing heights" err.txt || fail "no warning of missing values"
refuses 2 "exceeds the record" profile.csv --cutoff 9e-3
refuses 2 "two points" profile.csv --short 1.5e-6
refuses 2 "different units" z.csv --spacing 1e-9
sed '1s/.*/x_s,z_um/' profile.csv >seconds.csv && refuses 2 "is no length" seconds.csv
refuses 2 "contradicts" profile.csv --spacing 2e-6
refuses 2 "--separation" profile.csv --load 5 --separation 2
refuses 2 "requires --E" map.csv --spacing 1e-6 --load 5
refuses 2 "'flat' is unknown; none, mean, plane, quadratic are accepted" profile.csv --level flat
refuses 2 "requires a map" profile.csv --summits counted
refuses 2 "finite number > 0" profile.csv --E -1
refuses 2 "'0' is not accepted" z.csv --spacing 0
refuses 2 "'1e-6,2e-6,3' is not accepted" map.csv --spacing 1e-6,2e-6,3
refuses 2 "'abc' is not accepted" z.csv --spacing abc
# Summits of equally probable heights are all near the highest one: no contact at the assumed separation, all other numbers.
awk 'BEGIN { for (j = 0; j < 40; ++j) { s = ""; for (i = 0; i < 40; ++i) { x = sin(40 * j + i + 1) * 43758.5453; s = s (i ? "," : "") 1e-7 * (x - int(x)) } print s } }' >even.csv
"$bristle" surface even.csv --spacing 1e-6 --summits counted --E 1e11 --json -o even >even.json 2>err.txt || fail "surface without contact: $(head -c 300 err.txt)"
grep -q "no summit reaches the assumed separation" even.json && grep -q '^Sq,' even/surface.csv && [[ ! -e even/gfm.toml ]] || fail "surface without contact"
refuses 2 "no summit reaches" even.csv --spacing 1e-6 --summits counted --separation 2
printf 'bISO-1.0\0\0' >binary.sdf && refuses 2 "binary" binary.sdf
sed 's/NumPoints = 80/NumPoints = 81/' map.sdf >short.sdf && refuses 2 "are required" short.sdf
: >empty.csv && refuses 2 "no numbers" empty.csv
head -c 5000 /dev/urandom >noise.csv && refuses 2 "" noise.csv --spacing 1e-6
yes 1e-6 2>/dev/null | head -100 >flat.csv && refuses 2 "equal" flat.csv --spacing 1e-6
"$bristle" surface profile.csv --cutoff 3e-3 -o warn >/dev/null 2>err.txt && grep -q "shorter than 5 cutoffs" err.txt || fail "no warning of a short record"

# identify --models gfm: populations that are not fitted, and options without a meaning.
printf '%s\n' t,x,F 0,0,0 0.1,0.1,1 >recording.csv
identify() { # part of the message, arguments
  local part=$1
  shift
  "$bristle" identify recording.csv "$@" >out.txt 2>err.txt
  local got=$?
  [[ $got == 2 ]] || fail "identify $*: status $got instead of 2"
  grep -qF -- "$part" err.txt || fail "identify $*: no '$part' in: $(head -c 300 err.txt)"
}
identify "does not determine them; gfm is accepted" --models generic2010
identify "gfm alone is accepted" --models gfm,lugre
identify "--seeds 1: 2 to 100 are accepted" --models gfm --seeds 1
identify "--train is not accepted with gfm" --models gfm --train 0.5

exit $((failures > 0))
