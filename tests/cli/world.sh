#!/usr/bin/env bash
# `bristle identify`: directions, curves, terms and priors from the command line to a file that runs.
command=identify
source "$(dirname "$0")/../support/command.sh"

# value FILE SECTION KEY: the number of a key in a section.
value() { awk -v section="[$2]" -v key="$3" '/^\[/ { here = $1 == section } here && $1 == key && $2 == "=" { print $3; exit }' "$1"; }
# near FILE SECTION KEY VALUE PART
near() {
  awk -v got="$(value "$1" "$2" "$3")" -v want="$4" -v part="$5" 'BEGIN { d = got - want; exit !(got != "" && (d < 0 ? -d : d) <= part * want) }' ||
    fail "$3 in [$2] of $1 is $(value "$1" "$2" "$3"), not $4"
}

{ sed '/^\[friction.effects\]/,/^$/d' "$root/examples/identify/bench.toml"; cat; } >bench.toml <<'END'
[friction.effects]
noise = 0.3
noise_frequency = 400.0
[friction.negative]
Fc = 26.0
Fs = 33.0
kv = 10.0
END
"$BRISTLE" simulate bench.toml --quiet --csv bench.csv || fail "a block with negative motion does not run"
run 0 bench.csv --models stribeck -o fit
near fit/stribeck.toml friction Fc 20 0.02
near fit/stribeck.toml friction kv 40 0.1
near fit/stribeck.toml friction.negative Fc 26 0.02
near fit/stribeck.toml friction.negative kv 10 0.3
"$BRISTLE" simulate fit/stribeck.toml --quiet || fail "the fitted file does not run"
"$BRISTLE" score fit/stribeck.toml bench.csv --json >score.json || fail "the fitted file is not scored"
awk -F'[:,]' '/"percent"/ && $2 + 0 > 2 { exit 1 }' score.json || fail "score: $(grep percent score.json)"
run 0 bench.csv --models stribeck --effects none
! grep -q negative out || fail "directions without --effects"
run 2 bench.csv --effects none,ripple
has err 'none cannot be combined'

# A term besides friction, and what is known about a parameter.
awk -F, 'BEGIN { OFS = "," } NR == 1 { print "t,x,v,F,q"; next } { q = cos(40 * $2); print $1, $2, $3, $4 + 7 * q, q }' bench.csv >with.csv
run 0 with.csv --models stribeck --effects directions --with 'pull=2*q' -o fit
has out 'pull '
grep -Eq '^  pull +3\.[45]' out || fail "pull is not 3.5: $(grep pull out)"
run 2 with.csv --with 'pull=nothing'
has err "--with pull=nothing"
run 2 with.csv --with 'kv=q' --models stribeck
has err "term 'kv' cannot be fitted; the name is taken"
run 2 with.csv --with q
has err 'must be NAME=EXPRESSION'
run 0 bench.csv --models coulomb --effects none --prior 'Fc=15±0.01'
grep -Eq '^  Fc +1[56](\.| )' out || fail "the prior does not count: $(grep Fc out)"
run 2 bench.csv --prior Fc=5
has err 'must be NAME=MEAN+-SIGMA'
run 2 bench.csv --models coulomb --prior Fd=5+-1
has err "a prior on 'Fd' is not possible"
verdict
