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
[solver]
duration = 1
TOML
status=0
out=$("$BRISTLE" simulate "$dir/bad.toml" 2>&1) || status=$?
[ $status = 2 ] || { echo "status $status instead of 2"; exit 1; }
for line in 'bad.toml:5: mass = 0' 'bad.toml:9: body free has no joint' "bad.toml:16: unknown body 'b'" \
  'requires radius' 'requires normal_load'; do
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
