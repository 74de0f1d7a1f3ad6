#!/usr/bin/env bash
# tools/rooms accepts the tree as it is and refuses each kind of include that CONTRIBUTING.md rules out.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/python" "$work/tools"
cp -r "$root"/{src,include,export,CONTRIBUTING.md} "$work"
cp -r "$root/python/src" "$work/python"
cp "$root/tools/rooms" "$work/tools"
cd "$work"
tools/rooms

# fails CASE REASON: exit status 1 and this reason.
fails() {
  local said status=0
  said=$(tools/rooms 2>&1) || status=$?
  if [[ $status != 1 || $said != *"$2"* ]]; then
    echo "$1: exit status $status, expected 1 and '$2'; got: $said"
    exit 1
  fi
}
# refuses REASON FILE LINE: fails where FILE begins with LINE.
refuses() {
  cp "$2" saved
  printf '%s\n' "$3" | cat - saved >"$2"
  fails "$2 with $3" "$2:1: $1"
  cp saved "$2"
}
refuses "simulate may not know identify" src/simulate/simulate.cpp '#include "identify/errors.hpp"'
refuses "simulate may not know identify" src/simulate/simulate.cpp '#include <bristle/identify.hpp>'
refuses "core may not know identify" include/bristle/couple.hpp '#include "identify.hpp"'
refuses "../simulate/hybrid.hpp is private to simulate" src/identify/fit.cpp '#include "../simulate/hybrid.hpp"'
refuses "simulate/hybrid.hpp is private to simulate" src/gpu/sliders.cu '#include "simulate/hybrid.hpp"'
refuses "simulate/hybrid.hpp is private to simulate" python/src/common.hpp '#  include <simulate/hybrid.hpp>'
refuses "a public header includes fmt/format.h" include/bristle/couple.hpp '#include <fmt/format.h>'
refuses "a public header includes Eigen/Dense" include/bristle/simulate.hpp '#include <Eigen/Dense>'
refuses "a public header includes base/number.hpp, which is not installed" include/bristle/simulate.hpp '#include "base/number.hpp"'
refuses "export includes base/number.hpp" export/element/unit.cpp '#include "base/number.hpp"'
refuses "export includes bristle/simulate.hpp" export/fmu/fmi2.cpp '#include <bristle/simulate.hpp>'

cat >src/identify/twice.hpp <<'C'
namespace bristle::identify {
struct Candidate {
  int q;
};
}  // namespace bristle::identify
C
fails "a type defined twice" "bristle::identify::Candidate is also defined in src/identify/candidate.hpp"
rm src/identify/twice.hpp

mkdir src/attic
touch src/attic/attic.cpp
fails "a folder without a row" "the room 'attic' has no row in the table"
rm -r src/attic
sed -i 's/^\(| `base` |.*\)| `core` |$/\1| `core`, `report` |/' CONTRIBUTING.md
fails "a cycle in the table" "the table has a cycle"
echo "all passed"
