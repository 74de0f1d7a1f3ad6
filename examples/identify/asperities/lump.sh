#!/usr/bin/env bash
# From asperities to a lumped model: characterise the population, fit GMS to its recordings, and compare both.
# Usage: lump.sh [FOLDER]   writes FOLDER/gfm, FOLDER/gms (report.html, gms.toml) and FOLDER/both/index.html
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bristle=${BRISTLE:-bristle}
out=${1:-lumped}

"$bristle" characterize "$here/gfm.toml" -o "$out/gfm"
"$bristle" identify "$out"/gfm/recordings/gfm/*.csv --models gms -o "$out/gms"
"$bristle" characterize "$here/gfm.toml" "$out/gms/gms.toml" --same --set tribometer.curve.fastest=4 -o "$out/both"
