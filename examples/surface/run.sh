#!/usr/bin/env bash
# From a surface to a GMS model: run.sh [BRISTLE]
set -euo pipefail
cd "$(dirname "$0")"
bristle=${1:-bristle}
"$bristle" surface map.csv --spacing 2e-6 --E 115e9 --shear 3e8 --area 1e-4 -o out
"$bristle" simulate stribeck.toml --csv out/stribeck.csv --plot out/stribeck.svg
"$bristle" simulate loop.toml --csv out/loop.csv --plot out/loop.svg
"$bristle" identify out/stribeck.csv out/loop.csv --models gms --effects none -o out/gms
