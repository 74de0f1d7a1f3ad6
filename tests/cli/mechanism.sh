#!/usr/bin/env bash
# Problems of a mechanism: all at once, with lines and status 2; a run without solution is status 1.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/bad.toml" <<'TOML'
[system]
kind = "multibody"
[[body]]
name = "a"
mass = 0
inertia = 1
position = [0, 0]
[[body]]
name = "free"
mass = 1
inertia = 1
position = [0, 0]
[[joint]]
name = "j"
kind = "revolute"
bodies = ["ground", "b"]
at = [0, 0]
[[joint]]
name = "k"
kind = "revolute"
bodies = ["ground", "a"]
at = [0, 0]
[joint.friction]
model = "coulomb"
Fc = 1
[[joint]]
name = "m"
kind = "revolute"
bodies = ["a", "a"]
at = [0, 0]
radius = 0
[solver]
duration = 1
TOML
status=0
out=$("$BRISTLE" simulate "$dir/bad.toml" 2>&1) || status=$?
[ $status = 2 ] || { echo "status $status instead of 2"; exit 1; }
for line in 'bad.toml:5: mass = 0' 'bad.toml:9: body free has no joint' "bad.toml:16: unknown body 'b'" \
  'requires radius' 'requires normal_load' 'bad.toml:29: joint m connects a body with itself' 'bad.toml:31: radius = 0'; do
  grep -qF -- "$line" <<< "$out" || { echo "missing: $line"; echo "$out"; exit 1; }
done
cat > "$dir/servo.toml" <<'TOML'
[system]
kind = "multibody"
[[body]]
name = "a"
mass = 1
inertia = 1
position = [0, 0]
[[body]]
name = "a"
mass = -1
inertia = 1
position = [0, 0]
[[joint]]
name = "j"
kind = "revolute"
bodies = ["ground", "a"]
at = [0, 0]
[[controller]]
joint = "k"
kp = 1
[[controller]]
joint = "j"
kq = 1
[[controller]]
joint = "j"
ki = 1
[solver]
duration = 1
TOML
status=0
out=$("$BRISTLE" simulate "$dir/servo.toml" 2>&1) || status=$?
[ $status = 2 ] || { echo "status $status instead of 2"; exit 1; }
for line in 'servo.toml:9: name = "a" is given twice' 'servo.toml:10: mass = -1' "servo.toml:19: unknown joint 'k'" \
  "servo.toml:23: unknown key 'kq'" 'two controllers'; do
  grep -qF -- "$line" <<< "$out" || { echo "missing: $line"; echo "$out"; exit 1; }
done
cat > "$dir/rod.toml" <<'TOML'
[system]
kind = "multibody"
[[body]]
name = "rod"
mass = 1
inertia = 0.083333333333333333
position = [0.22360679774997896, 0.44721359549995793]
angle = 1.1071487177940904
velocity = [-1, 0]
rate = 0
[[joint]]
name = "tip"
kind = "point"
bodies = ["ground", "rod"]
at = [0, 0]
axis = [1, 0]
[joint.friction]
model = "coulomb"
mu_c = 1.4
normal_load = 10
[solver]
duration = 0.01
TOML
status=0
out=$("$BRISTLE" simulate "$dir/rod.toml" 2>&1) || status=$?
[ $status = 1 ] && grep -q "tip" <<< "$out" || { echo "status $status: $out"; exit 1; }
# The rod of the examples has a solution below mu = 4/3 only.
rod=$(dirname "$0")/../../examples/scenarios/painleve_rod.toml
"$BRISTLE" simulate "$rod" > /dev/null
status=0
out=$("$BRISTLE" simulate "$rod" --set joint.0.friction.mu_c=1.34 2>&1) || status=$?
[ $status = 1 ] && grep -q "tip) at t = 0 s" <<< "$out" || { echo "status $status: $out"; exit 1; }
status=0
out=$("$BRISTLE" simulate "$rod" --set joint.0.friction.mu_c=1.6 --set solver.method=fixed --set solver.step=1e-3 2>&1) || status=$?
[ $status = 1 ] && grep -q "tip) at t = 0 s" <<< "$out" || { echo "fixed: status $status: $out"; exit 1; }
# The message has the name of the contact that opens.
cat > "$dir/disks.toml" << 'TOML'
schema = 1
[system]
kind = "multibody"
[[body]]
name = "d1"
mass = 1
inertia = 0.005
position = [0, 0.1]
[[body]]
name = "d2"
mass = 1
inertia = 0.005
position = [1, 0.1]
[[joint]]
name = "r1"
kind = "rolling"
bodies = ["ground", "d1"]
at = [0, 0]
axis = [1, 0]
radius = 0.1
[[joint]]
name = "r2"
kind = "rolling"
bodies = ["ground", "d2"]
at = [1, 0]
axis = [1, 0]
radius = 0.1
[[actuator]]
body = "d2"
at = [1, 0.1]
direction = [0, 1]
kind = "ramp"
rate = 20
[solver]
duration = 1
TOML
status=0
out=$("$BRISTLE" simulate "$dir/disks.toml" 2>&1) || status=$?
[ $status = 1 ] && grep -q "joint r2 loses contact" <<< "$out" || { echo "disks: status $status: $out"; exit 1; }
# A linkage that passes its change point keeps its energy, or the run ends.
cat > "$dir/loop.toml" << 'TOML'
schema = 1
[system]
kind = "multibody"
gravity = [0, 0]
[[body]]
name = "a"
mass = 1
inertia = 0.01
position = [0.04387912809451864, 0.02397127693021015]
angle = 0.5
rate = 5
[[body]]
name = "b"
mass = 1
inertia = 0.01
position = [0.2377582561890373, 0.0479425538604203]
rate = 0
[[body]]
name = "c"
mass = 1
inertia = 0.01
position = [0.34387912809451865, 0.02397127693021015]
angle = 0.5
rate = 5
[[joint]]
name = "j1"
kind = "revolute"
bodies = ["ground", "a"]
at = [0, 0]
[[joint]]
name = "j2"
kind = "revolute"
bodies = ["a", "b"]
at = [0.08775825618903728, 0.0479425538604203]
[[joint]]
name = "j3"
kind = "revolute"
bodies = ["b", "c"]
at = [0.38775825618903725, 0.0479425538604203]
[[joint]]
name = "j4"
kind = "revolute"
bodies = ["ground", "c"]
at = [0.3, 0]
[solver]
duration = 1
TOML
for duration in 0.9 1 1.1 1.3 2; do
  status=0
  "$BRISTLE" simulate "$dir/loop.toml" --set solver.duration=$duration --csv "$dir/loop.csv" --quiet > "$dir/out" 2>&1 || status=$?
  [ $status = 1 ] || { [ $status = 0 ] && tail -1 "$dir/loop.csv" | awk -F, '{ exit !($7 > 4.9 && $7 < 5.1) }'; } ||
    { echo "loop: status $status: $(cat "$dir/out") $(tail -1 "$dir/loop.csv")"; exit 1; }
done
# Pictures: names in the figure, a page that loads nothing and is well-formed.
crank=$(dirname "$0")/../../examples/scenarios/slider_crank.toml
"$BRISTLE" simulate "$crank" --csv "$dir/truth.csv" --plot "$dir/crank.svg" --report "$dir/crank.html" --quiet
grep -q '>rod</text>' "$dir/crank.svg" && grep -q "default-src 'none'" "$dir/crank.html" || { echo "no drawing"; exit 1; }
if command -v python3 > /dev/null; then
  python3 -c 'import sys, xml.dom.minidom; [xml.dom.minidom.parse(f) for f in sys.argv[1:]]' "$dir/crank.svg" "$dir/crank.html"
fi
# The message lists motions that contradict each other.
{
  cat "$crank"
  for joint in pivot guide; do
    printf '[[actuator]]\njoint = "%s"\nacts = "motion"\nkind = "sine"\namplitude = 0.01\nfrequency = 1\n' $joint
  done
} > "$dir/motions.toml"
status=0
out=$("$BRISTLE" simulate "$dir/motions.toml" 2>&1) || status=$?
[ $status = 1 ] && grep -q "prescribed motions of pivot, guide" <<< "$out" || { echo "motions: status $status: $out"; exit 1; }
# Joint friction is fitted from columns of the mechanism; options without a meaning are refused together.
cut -d, -f1,4 "$dir/truth.csv" | awk -F, 'NR == 1 || NR % 20 == 2' > "$dir/data.csv"
head -1 "$dir/data.csv" | grep -qx 't,crank.angle' || { echo "columns: $(head -1 "$dir/data.csv")"; exit 1; }
sed 's/mu_c = 0.2/mu_c = 0.35/' "$crank" > "$dir/start.toml"
"$BRISTLE" identify "$dir/data.csv" --scenario "$dir/start.toml" -o "$dir/fit" > "$dir/out"
awk -F, '$1 == "guide" && $2 == "Fc" { found = $4 > 1.9999 && $4 < 2.0001 } END { exit !found }' "$dir/fit/joints.csv" ||
  { cat "$dir/fit/joints.csv"; exit 1; }
"$BRISTLE" check "$dir/fit/guide.toml" > /dev/null && [ -s "$dir/fit/report.html" ] || { echo "files of the fit"; exit 1; }
status=0
out=$("$BRISTLE" identify "$dir/data.csv" --scenario "$dir/start.toml" --models lugre --column F=x -o "$dir/no" 2>&1) || status=$?
[ $status = 2 ] && [ ! -e "$dir/no" ] && grep -q -- '--models is not accepted' <<< "$out" && grep -q -- '--column is not accepted' <<< "$out" ||
  { echo "status $status: $out"; exit 1; }
status=0
out=$("$BRISTLE" identify "$dir/data.csv" --scenario "$dir/start.toml" --free guide.mu 2>&1) || status=$?
[ $status = 2 ] && grep -q -- '--free guide.mu: unknown parameter' <<< "$out" || { echo "status $status: $out"; exit 1; }
