#!/usr/bin/env bash
# bristle export and certify: files, statuses, messages.
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

cat >joint.toml <<'TOML'
title = "Joint */ <b> \" 1"
units = "rotational"
[friction]
model = "lugre"
Fc = 1.0                         # N m, 95 %: 0.9 to 1.1
Fs = 1.5
vs = 0.01                        # rad/s, not identifiable
sigma0 = 1e5
sigma1 = 10
kv = 0.4
[fitted]
mass = 0.2                       # kg m^2, 95 %: 0.1 to 0.3
[measured]
v = [-0.5, 0.5]
TOML

# Every kind of text goes to standard output, and to a file.
for kind in c modelica mjcf urdf json markdown; do
  "$BRISTLE" export "$kind" joint.toml >"$kind.out" 2>"$kind.err" || fail "export $kind: $(cat "$kind.err")"
  [[ -s $kind.out ]] || fail "export $kind wrote nothing"
  "$BRISTLE" export "$kind" joint.toml -o "file.$kind" 2>/dev/null
done
[[ -s file-curve.svg && -s file-loop.svg ]] || fail "the data sheet has no pictures"
sum=$(sed -n 's/.*"sha256": "\([0-9a-f]\{64\}\)".*/\1/p' json.out)
for kind in c modelica mjcf urdf markdown; do grep -q "$sum" "$kind.out" || fail "$kind does not carry the SHA-256"; done
grep -q '0.9 to 1.1' markdown.out || fail "the data sheet has no interval"

# The header is C99 without a warning, in both precisions, by every compiler there is.
printf '#include <stdio.h>\n#include "file.c"\nint main(void) { file_params p; file_state s; file_init(&p, &s);\n  printf("%%.6f\\n", (double)file_step(&p, &s, file_at(0, 1), 1)); return 0; }\n' >main.c
compilers=0
for compiler in gcc clang clang-19; do
  command -v "$compiler" >/dev/null || continue
  compilers=$((compilers + 1))
  for flag in -DDOUBLE -DFILE_FLOAT; do
    "$compiler" -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror "$flag" main.c -o main -lm
    [[ $(./main) == 1.400000 ]] || fail "the header gives $(./main) instead of Fc + kv v = 1.4"
  done
done
((compilers)) || echo "skipped: no C compiler"

# Two blocks whose names give the same prefix do not replace each other in silence.
"$BRISTLE" export c joint.toml -o a_b.h 2>/dev/null
"$BRISTLE" export c joint.toml --set friction.Fc=1.2 -o a-b.h 2>/dev/null
if command -v gcc >/dev/null; then
  printf '#include "a_b.h"\n#include "a_b.h"\n' | gcc -std=c99 -pedantic -Werror -fsyntax-only -I. -xc - || fail "one header twice"
  says 1 'two friction blocks have the prefix a_b' gcc -fsyntax-only -include ./a_b.h -include ./a-b.h -xc /dev/null
fi

# A scenario that refers to a fitted file keeps its intervals; a changed value loses its own.
printf '[friction]\nfile = "joint.toml"\n' >refers.toml
"$BRISTLE" export json refers.toml 2>/dev/null | grep -q '0.9 to 1.1' || fail "the intervals of the file are lost"
"$BRISTLE" export json refers.toml 2>/dev/null | grep -q "$sum" || fail "the same block has another SHA-256"
! "$BRISTLE" export json joint.toml --set friction.Fc=1.2 2>/dev/null | grep -q '0.9 to 1.1' || fail "a changed value keeps its interval"

# The initial state is part of the header.
"$BRISTLE" export c joint.toml --set friction.initial.z=1e-6 2>/dev/null | grep -q 's->z = JOINT_N(1e-06)' || fail "no initial state"

# The certificate carries the same SHA-256.
"$BRISTLE" certify joint.toml -o sheet >/dev/null 2>&1 || fail "certify failed"
grep -q "$sum" sheet.html && grep -q "$sum" sheet.json || fail "the certificate does not carry the SHA-256"
grep -q '<b>' sheet.html && fail "the title is not escaped"
grep -q 'vs: not identifiable' sheet.json || fail "the certificate does not list vs"

# The kinds mjcf and urdf list the effects that they do not carry; a law without force has no error of -nan %.
says 0 'not carried: offset, ripple, ripple_period' "$BRISTLE" export mjcf joint.toml --set friction.effects.offset=0.1 \
  --set friction.effects.ripple=0.2 --set friction.effects.ripple_period=0.1
printf '[friction]\nmodel = "viscous"\nkv = 0\n' >free.toml
! "$BRISTLE" export urdf free.toml 2>&1 | grep -q 'nan' || fail "-nan in the numbers of a joint"

# Names of joints stay out of the comment; negative motion keeps what is off.
"$BRISTLE" export mujoco joint.toml --joint 'a--b' 2>/dev/null | sed '/-->/q' | grep -q 'a--b' && fail "-- in a comment"
"$BRISTLE" export mujoco joint.toml --joint a --set friction.vd=0.5 --set friction.negative.vd=inf 2>/dev/null |
  grep -q '"negative.vd" value="inf"' || fail "negative.vd is lost"

# A class of Modelica is no keyword.
cp joint.toml equation.toml
"$BRISTLE" export modelica equation.toml 2>/dev/null | grep -q '^model equation_ ' || fail "a keyword as a class"

# Refusals.
printf '[friction]\nmodel = "gms"\nFc = 1\nFs = 1.5\nvs = 0.01\nk = [1e4]\nnu = [1]\nC = 10\n' >gms.toml
printf '[friction]\nmodel = "gfm"\n' >gfm.toml
printf 'title = "nothing"\n' >empty.toml
says 2 "unknown kind 'cc'" "$BRISTLE" export cc joint.toml
says 2 'gms has no Modelica text' "$BRISTLE" export modelica gms.toml -o gms.mo
[[ ! -e gms.mo ]] || fail "a refused export wrote a file"
says 2 'friction' "$BRISTLE" export c empty.toml
says 2 'population|gfm' "$BRISTLE" export c gfm.toml
says 2 'not read by the kind c' "$BRISTLE" export c joint.toml --joint elbow
says 2 'range of speeds' "$BRISTLE" export mjcf joint.toml --range 2:1
says 2 'bristle export: --range' "$BRISTLE" export mjcf joint.toml --range 0:1e300
says 2 'bristle export: --range' "$BRISTLE" export mjcf joint.toml --range 0:1e-310
says 2 'cannot be read' "$BRISTLE" export c missing.toml
cp joint.toml same.toml && cp joint.toml same.json
says 2 'same.toml: is the friction file' "$BRISTLE" export c same.toml -o ./same.toml
says 2 'same.json: is the friction file' "$BRISTLE" certify same.json -o same
cmp -s joint.toml same.toml && cmp -s joint.toml same.json || fail "the friction file was overwritten"
says 1 'cannot be written' "$BRISTLE" export c joint.toml -o nowhere/x.h
says 2 'required' "$BRISTLE" certify joint.toml
printf '[friction]\nmodel = "coulomb"\nFc = 8.0\nkv = 6.0\n[friction.heat]\ncapacity = 510.0\nconductance = 1.2\nambient = 25.0\nviscous = "exponential"\nviscous_coefficient = 0.025\n' >warm.toml
says 2 'friction.heat' "$BRISTLE" certify warm.toml -o warm
[[ ! -e warm.html && ! -e warm.json ]] || fail "a refused certificate was written"
