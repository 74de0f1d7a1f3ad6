#!/usr/bin/env bash
# The linker keeps one copy of every weak function. If a kernel compiled for a better instruction set leaves a weak
# function without the name of its set behind, a lesser processor may be handed that copy. None may be there.
set -euo pipefail
library=$1 nm=${2:-nm}
case $library in *.a) ;; *) echo "shared library: symbols are resolved already"; exit 0 ;; esac
bad=$($nm -C "$library" 2>/dev/null | awk '/:$/ { inside = /^(kernels?|generic2010_kernel|slider|disk|given|lanes|blocks|tones|sensitivities)\.cpp\.o:$/; seen += inside }
  inside && $2 == "W" && !/avx2|avx512|baseline|vtable|typeinfo/ { print }
  END { if (seen < 2) print "kernels not found" }')
if [[ -n $bad ]]; then
  echo "weak symbols without the name of their instruction set:"
  echo "$bad" | sort -u | head -n 20
  exit 1
fi
$nm -C "$library" 2>/dev/null | grep -c kernels_baseline_double >/dev/null
