#!/usr/bin/env bash
# All figure files of a paper run, have at least one check, and all checks hold. BRISTLE_FIGURES=all includes the slow ones.
# Usage: figures.sh FOLDER [--lumped]   --lumped: without figures of asperities, which take too long under a sanitizer
set -u
: "${BRISTLE:?path of the bristle command}"
folder=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Each takes more than five seconds of a processor; `make check-figures` runs them.
later=(albender2008/fig{3,4,5_gfm,6,7,8,10,11} albender2008/scaling scales/{aftershocks,sizes,thermal})

is_left_out() { # FILE NAME
  if [[ $lumped ]] && grep -qE '^model = "(gfm|generic2010)"' "$1"; then return 0; fi
  if [[ ${BRISTLE_FIGURES:-} == all ]]; then return 1; fi
  grep -q '^slow = true' "$1" || [[ " ${later[*]} " == *" $(basename "$folder")/$2 "* ]]
}

lumped=${2:-} wanted=() left_out=0
for file in "$folder"/*.toml; do
  name=$(basename "$file" .toml)
  if [[ $name == paper ]]; then
    continue
  elif is_left_out "$file" "$name"; then
    echo "left out: $name"
    left_out=1
  else
    wanted+=("$name")
  fi
done
((${#wanted[@]})) || exit 0
((left_out)) && each=(${wanted[@]+"${wanted[@]}"}) || each=("")
failed=0
for name in ${each[@]+"${each[@]}"}; do
  "$BRISTLE" papers ${name:+"$name"} --from "$folder" -o "$out" >>"$out/said" || failed=1
done
cat "$out/said" 2>/dev/null
! grep 'no checks' "$out/said" || { echo "FAILED: figures that check nothing"; failed=1; }
[[ $(grep -c 'checks' "$out/said") == "${#wanted[@]}" ]] || { echo "FAILED: ${#wanted[@]} figure files"; failed=1; }
exit $failed
