# Common part of the tests of a command: a temporary folder, functions that run the command and check it, a verdict. Set `command` to
# its name before sourcing; empty: options without a command.
set -u
: "${BRISTLE:?path of the bristle command}" "${command?the command under test}"
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$root/tests/support/interrupt.sh"
cd "$work" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
# run STATUS ARG...: runs the command, with its output in out and err, and checks the exit status.
run() {
  local want=$1 got=0 && shift
  "$BRISTLE" ${command:+"$command"} "$@" >out 2>err || got=$?
  [[ $got == "$want" ]] || fail "$command $*: exit status $got, not $want: $(cat err)"
}
# complains STATUS LINE ARG...: the same, and stderr contains this line only.
complains() {
  local want=$1 line=$2 && shift 2
  run "$want" "$@"
  [[ $(cat err) == "bristle${command:+ $command}: $line" ]] || fail "$command $*: said '$(cat err)', not '$line'"
}
has() { grep -qF -- "$2" "$1" || fail "no '$2' in $1: $(head -c 2000 "$1")"; }
absent() { [[ ! -e $1 ]] || fail "$1 was written"; }
verdict() {
  if ((failures)); then
    echo "$failures failures"
    exit 1
  fi
  echo "all passed"
}
