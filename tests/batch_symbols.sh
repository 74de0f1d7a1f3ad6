#!/usr/bin/env bash
# The linker keeps one copy of every weak function. If a kernel for a newer instruction set defines a weak function without the
# name of its set, an older processor may execute that copy. There must be none.
set -euo pipefail
nm=$1 && shift
case $1 in *.a) ;; *) echo "shared library: symbols are resolved already"; exit 0 ;; esac
bad=$($nm -C "$@" 2>/dev/null | awk '/:$/ { inside = /^(kernels?|around_kernel|generic2010_kernel|ledger_kernel|slider|disk|given|lanes|blocks|tones|sensitivities)\.cpp\.o:$/; seen += inside }
  inside && $2 == "W" && !/avx2|avx512|baseline|vtable|typeinfo/ { print }
  END { if (seen < 5) print "kernels not found" }')
if [[ -n $bad ]]; then
  echo "weak symbols without the name of their instruction set:"
  echo "$bad" | sort -u | head -n 20
  exit 1
fi
$nm -C "$@" 2>/dev/null | grep -c kernels_baseline_double >/dev/null
