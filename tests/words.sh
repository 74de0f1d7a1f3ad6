#!/usr/bin/env bash
# tools/words finds phrases in documents, comments and strings, also across lines, and ignores code and questions.
set -euo pipefail
words=$(cd "$(dirname "$0")/.." && pwd)/tools/words
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# finds FILE LINE...: these phrases, in this order, and exit status 1; without lines, exit status 0.
finds() {
  local status=0 found
  found=$("$words" "$1") || status=$?
  found=$(sed "s#^$work/$1:##; s/ -> .*//" <<<"$found")
  if [[ $found != "$2" || $status != $((${#2} > 0)) ]]; then
    echo "$1: exit status $status, found: $found"
    exit 1
  fi
}

cat >a.md <<'END'
The slider moves to and
fro, over a way of 3 mm. In the same way it returns. What is this?
What is wrong is reported.
END
finds a.md $'1: to and fro\n2: way of 3\n3: What'

cat >a.cpp <<'END'
int beside = 0, anew = beside;  // the lane next to it
auto text = "measured anew "
            "and likewise";  /* hardly */
END
finds a.cpp $'2: anew\n3: likewise\n3: hardly'

echo "One word per thing." >good.md
finds good.md ""
echo "all passed"
