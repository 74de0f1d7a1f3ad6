#!/usr/bin/env bash
# Every listing of the tutorials works as printed: files in cpp blocks are written, commands in sh blocks are run in order.
command=
source "$(dirname "$0")/../support/command.sh"
export BRISTLE_INCLUDE=$root/include
mkdir bin && ln -s "$BRISTLE" bin/bristle
export PATH=$work/bin:$PATH

# follow PAGE: writes and runs the listings of a page in a folder of its name; the output of the commands is in PAGE/out.
follow() {
  local page=$1
  mkdir "$page"
  awk -v folder="$page" '
    /^```cpp/ { kind = "cpp"; file = ""; next }
    /^```sh/  { kind = "sh"; next }
    /^```/    { kind = ""; next }
    kind == "cpp" && file == "" { file = folder "/" $2 }
    kind == "cpp" { print > file }
    kind == "sh"  { print > (folder "/commands") }' "$root/docs/$page.md"
  (cd "$page" && bash -eu commands >out 2>&1) || fail "docs/$page.md: $(tail -5 "$page/out")"
  echo "$page: $(wc -l <"$page/commands") commands"
}

command -v g++ >/dev/null && follow tutorial_loop
follow tutorial_axis
# The sentences and tables of the page.
has tutorial_axis/out "recommended: lugre"
awk -F'= ' '/error = / { e[++n] = $2 + 0 } END { exit !(n == 3 && e[2] < e[1] / 15 && e[3] < e[2] / 15) }' tutorial_axis/out ||
  fail "compensation does not reduce the error as in the table: $(grep 'error =' tutorial_axis/out)"
[[ -s tutorial_axis/friction.h && -s tutorial_axis/sheet.html && -s tutorial_axis/fit/report.html ]] || fail "a file is missing"
verdict
