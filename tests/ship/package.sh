#!/usr/bin/env bash
# Unpacks the packages into other folders and runs them: the command finds its own resources there.
# Usage: package.sh FOLDER      FOLDER: of tools/package
set -euo pipefail
packages=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() { echo "check-ship: $1" >&2 && exit 1; }
try() { # ROOT of an installation
  local root=$1 command="$1/bin/bristle"
  [[ $("$command" --version) == "bristle "* ]] || fail "$command does not start"
  for file in share/man/man1/bristle.1.gz share/bash-completion/completions/bristle share/zsh/site-functions/_bristle \
    share/bristle/bristle.schema.json share/doc/bristle/copyright; do
    [[ -s $root/$file ]] || fail "$root has no $file"
  done
  # An example that only this installation has proves that the command looks there.
  echo '# of this folder' >>"$root/share/bristle/examples/scenarios/stick_slip.toml"
  "$command" examples stick_slip -o "$tmp/copied" >/dev/null
  grep -rq '# of this folder' "$tmp/copied" || fail "the examples come from another folder"
  (cd "$tmp/copied" && "$command" simulate "$(find . -name 'stick_slip.toml')" --quiet)
  "$command" papers --list >/dev/null
  "$command" export c "$(find "$tmp/copied" -name 'stick_slip.toml')" -o "$tmp/friction.h"
  rm -rf "$tmp/copied" "$tmp/friction.h"
  echo "check-ship: $2 runs from another folder"
}
for archive in "$packages"/*.tar.gz; do
  mkdir -p "$tmp/some where"
  tar -C "$tmp/some where" -xzf "$archive"
  env -u LD_LIBRARY_PATH true
  try "$tmp/some where/$(basename "$archive" .tar.gz)" "$(basename "$archive")"
  ! ldd "$tmp/some where/$(basename "$archive" .tar.gz)/bin/bristle" | grep -q 'not found' || fail "a library is missing"
done
for deb in "$packages"/*.deb; do
  [[ -e $deb ]] || { echo "check-ship: skipped: no .deb" && continue; }
  dpkg-deb -x "$deb" "$tmp/deb"
  dpkg-deb -f "$deb" Depends | grep -q libc6 || fail "$deb names no dependencies"
  try "$tmp/deb/usr" "$(basename "$deb")"
done
