#!/usr/bin/env bash
# The command starts in less than 20 ms, and a small scenario takes little more: CPU time, which is independent of the load.
set -euo pipefail
: "${BRISTLE:?path of the bristle command}"
scenario=$(dirname "$0")/../examples/scenarios/stick_slip.toml
TIMEFORMAT='%U %S'
failures=0

# within MS ARG...: the median CPU time of 15 runs, in ms, is below MS.
within() {
  local most=$1 run all=() && shift
  for run in {1..15}; do all+=("$({ time "$BRISTLE" "$@" >/dev/null; } 2>&1 | awk '{ print 1000 * ($1 + $2) }')"); done
  local median
  median=$(printf '%s\n' "${all[@]}" | sort -n | sed -n 8p)
  echo "bristle $*: $median ms"
  awk -v a="$median" -v b="$most" 'BEGIN { exit !(a != "" && a < b) }' || {
    echo "FAILED: more than $most ms"
    failures=$((failures + 1))
  }
}

within 20 --version
within 20 models
within 30 simulate "$scenario" --quiet
((failures == 0))
