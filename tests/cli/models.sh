#!/usr/bin/env bash
# `bristle models`, help, version, exit status and error messages.
command=models
source "$(dirname "$0")/../support/command.sh"

# Invalid input: exit status 2, no output on stdout, one line on stderr.
refused() {
  complains 2 "$@"
  [[ ! -s out ]] || fail "$command $*: wrote to stdout"
}
one_line() {
  run 2 "$@"
  [[ $(wc -l <err) == 1 ]] || fail "$command $*: not one line on stderr"
  [[ ! -s out ]] || fail "$command $*: wrote to stdout"
}

run 0
for name in viscous coulomb stribeck brown_mcphee dahl lugre maxwell_slip gms; do
  grep -qE "^ *$name +[.x]" out || fail "$name is not in the list"
done
[[ ! -s err ]] || fail "the list wrote to stderr"
names=$(sed -n '2,/^$/p' out | awk 'NF { print $1 }')

# Every model of the list has a page with all sections.
for name in $names; do
  run 0 "$name"
  has out "$name: "
  for part in Equations 'Parameters of [friction]' 'Known properties' 'passive (never creates energy) if:' Notes References; do
    has out "$part"
  done
done
run 0 gms
for part in 'dt = ' 'nu ' 'N/s' 'sum 1' '[40000, 30000, 20000, 10000]' 'f1, f2...' 'mu_c and normal_load' 'Al-Bender'; do has out "$part"; done
run 0 lugre
grep -qE '^ *vd +m/s +off ' out || fail "vd is not off by default"
run 0 elasto_plastic
for part in 'with Fs >= Fc' 'z_ba < Fc/sigma0'; do has out "$part"; done

if command -v python3 >/dev/null; then
  for name in $names; do
    run 0 "$name" --json
    python3 -m json.tool <out >/dev/null || fail "models $name --json is not JSON"
  done
  run 0 --json
  python3 - out $names <<'PY' || fail "wrong content of the JSON list"
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
rules = {m: [r["rule"] for r in by_name[m]["relations"]] for m in by_name}
assert rules["gms"][:4] == ["Fs >= Fc", "k and nu have the same length", "sigma is absent or as long as k", "sum of nu = 1"]
assert rules["gms"][-1] == "Fs_i >= Fc_i" and len(rules["gms"]) == 11
assert by_name["iwan"]["relations"] == [{"rule": "k_end < sigma0", "parameters": ["k_end", "sigma0"]}] and rules["viscous"] == []
assert by_name["gms"]["properties"]["memory"] and not by_name["lugre"]["properties"]["memory"]
assert by_name["coulomb"]["set_valued"] and by_name["coulomb"]["level"] == "hybrid"
PY
else
  echo "no python3: JSON not checked"
fi

run 0 --help
has out --json
has out Example:

refused "unknown model 'lugra', did you mean 'lugre'?" lugra
refused "unknown model 'lugra', did you mean 'lugre'?" lugra --json
refused "unknown model 'xyzzy'; 'bristle models' lists the accepted names" xyzzy
one_line lugre gms
one_line --jsn

command=
run 0 --version
grep -qE '^bristle [0-9]+\.[0-9]+\.[0-9]+$' out || fail "--version says '$(cat out)'"
for help in --help -h; do
  run 0 $help
  has out models
  has out 'Example: bristle models lugre'
done
refused "unknown command 'modles', did you mean 'models'?" modles
refused "unknown command 'frobnicate'; 'bristle --help' lists the commands" frobnicate
one_line
one_line --frobnicate

verdict
