# Ctrl-C and progress bars of long commands, for the tests of the command line, without fixed waiting times.

# interrupt PID: sends Ctrl-C when the process handles it; returns its exit status and sets `took`, the milliseconds until its end.
interrupt() {
  local i caught
  for ((i = 0; i < 600; ++i)); do
    caught=$(awk '/^SigCgt:/ { print $2 }' "/proc/$1/status" 2>/dev/null)
    [[ -n $caught ]] && ((0x$caught & 2)) && break
    sleep 0.05
  done
  sleep 0.2 # somewhere in the middle of the work
  local status=0 begin=$EPOCHREALTIME end
  kill -INT "$1"
  wait "$1" || status=$?
  end=$EPOCHREALTIME
  took=$(((${end/./} - ${begin/./}) / 1000))
  return $status
}

# shows_bar ARG...: checks that the command draws its progress bar on a terminal, and stops it.
shows_bar() {
  local command i
  printf -v command '%q ' env --default-signal=INT timeout -s INT 60 "$BRISTLE" "$@"
  script -qefc "$command" screen </dev/null >/dev/null 2>&1 &
  for ((i = 0; i < 600; ++i)); do
    grep -q ' %' screen 2>/dev/null && break
    sleep 0.1
  done
  kill $! 2>/dev/null
  wait $! 2>/dev/null
  grep -q ' %' screen || fail "no progress bar on a terminal"
}
