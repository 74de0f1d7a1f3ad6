#!/usr/bin/env bash
# The command as a user meets it: `bristle models`, help, version, and what is said about wrong input.
set -u
: "${BRISTLE:?path of the bristle command}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
# run STATUS ARG...: the output is in $work/out and $work/err, and the exit status as expected.
run() {
  local want=$1 got=0 && shift
  "$BRISTLE" "$@" >"$work/out" 2>"$work/err" || got=$?
  [[ $got == "$want" ]] || fail "bristle $*: exit status $got, not $want"
}
says() { grep -qF -- "$1" "$work/out" || fail "no '$1' in the output"; }
# Wrong input: exit status 2, nothing on stdout, this one line on stderr.
refused() {
  local line=$1 && shift
  run 2 "$@"
  [[ ! -s $work/out ]] || fail "bristle $*: wrote to stdout"
  [[ $(cat "$work/err") == "$line" ]] || fail "bristle $*: said '$(cat "$work/err")', not '$line'"
}
one_line() {
  run 2 "$@"
  [[ $(wc -l <"$work/err") == 1 ]] || fail "bristle $*: not one line on stderr"
  [[ ! -s $work/out ]] || fail "bristle $*: wrote to stdout"
}

run 0 models
for name in viscous coulomb stribeck brown_mcphee dahl lugre maxwell_slip gms; do
  grep -qE "^ *$name +[.x]" "$work/out" || fail "$name is not in the list"
done
[[ ! -s $work/err ]] || fail "the list wrote to stderr"
names=$(sed -n '2,/^$/p' "$work/out" | awk 'NF { print $1 }')

# Every model of the list has a page with all its parts.
for name in $names; do
  run 0 models "$name"
  says "$name: "
  for part in Equations 'Parameters of [friction]' 'Known properties' 'passive (never creates energy) if:' Notes References; do
    says "$part"
  done
done
run 0 models gms
for part in 'dt = ' 'nu ' 'N/s' 'sum 1' '[40000, 30000, 20000, 10000]' 'f1, f2...' 'mu_c and normal_load' 'Al-Bender'; do says "$part"; done
run 0 models lugre
grep -qE '^ *vd +m/s +off ' "$work/out" || fail "vd is not off by default"

if command -v python3 >/dev/null; then
  for name in $names; do
    run 0 models "$name" --json
    python3 -m json.tool <"$work/out" >/dev/null || fail "models $name --json is not JSON"
  done
  run 0 models --json
  python3 - "$work/out" $names <<'PY' || fail "the JSON list is not what it should be"
import json, sys
models = json.load(open(sys.argv[1]))
assert [m["name"] for m in models] == sys.argv[2:]
for m in models:
    for key in "title equations notes level set_valued parameters states properties passive_if references".split():
        assert key in m, (m["name"], key)
    assert m["references"] and m["parameters"]
    for p in m["parameters"]:
        for key in "name unit meaning kind required default typical fitted".split():
            assert key in p, (m["name"], p)
        assert (p["default"] is None) or not p["required"], p
        if p["kind"] == "real":
            assert p["min"] < (p["max"] if p["max"] is not None else float("inf")), p
by_name = {m["name"]: m for m in models}
lugre = {p["name"]: p for p in by_name["lugre"]["parameters"]}
assert lugre["sigma0"]["unit"] == "N/m" and lugre["sigma0"]["required"] and lugre["sigma0"]["typical"] == 1e5
assert lugre["Fc"]["or"] == "mu_c" and lugre["kv"]["default"] == 0 and not lugre["kv"]["required"]
assert lugre["vd"]["default"] is None and not lugre["vd"]["fitted"]
gms = {p["name"]: p for p in by_name["gms"]["parameters"]}
assert gms["nu"]["sum"] == 1 and gms["k"]["kind"] == "array" and len(gms["k"]["typical"]) == 4
assert by_name["gms"]["states"] == [{"name": "f", "unit": "N", "meaning": "element force", "kind": "array"}]
assert by_name["gms"]["properties"]["memory"] and not by_name["lugre"]["properties"]["memory"]
assert by_name["coulomb"]["set_valued"] and by_name["coulomb"]["level"] == "hybrid"
PY
else
  echo "no python3: JSON not checked"
fi

run 0 --version
grep -qE '^bristle [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || fail "--version says '$(cat "$work/out")'"
for help in --help -h; do
  run 0 $help
  says models
  says 'Example: bristle models lugre'
done
run 0 models --help
says --json
says Example:

refused "bristle models: unknown model 'lugra', did you mean 'lugre'?" models lugra
refused "bristle models: unknown model 'lugra', did you mean 'lugre'?" models lugra --json
refused "bristle models: unknown model 'xyzzy', 'bristle models' lists them" models xyzzy
refused "bristle: unknown command 'modles', did you mean 'models'?" modles
refused "bristle: unknown command 'frobnicate', 'bristle --help' lists them" frobnicate
one_line
one_line models lugre gms
one_line models --jsn
one_line --frobnicate

if ((failures)); then
  echo "$failures failures"
  exit 1
fi
echo "all passed"
