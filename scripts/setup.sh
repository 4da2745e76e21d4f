#!/usr/bin/env bash
# Installs the Debian packages that Kith is built and tested with, and those that are named as arguments: only what is
# missing, without questions, and without starting the services that come with them: tests start servers of their own.
set -euo pipefail

needed=(
  libzmq3-dev libsqlite3-dev libcurl4-openssl-dev libexpat1-dev libssl-dev openssl zlib1g-dev libpango1.0-dev
  libpocketsphinx-dev libmosquitto-dev gpg
  libprotobuf-dev protobuf-compiler python3 python3-venv fonts-dejavu-core fonts-vlgothic
  "$@"
)
find_missing() {
  missing=()
  local package state
  for package in "${needed[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
  done
}

# Packages ask this program before they start a service; 101 forbids it. One that the machine has is left as it is, and ours has a
# mark, by which the next run knows and removes one that a killed run left.
policy=/usr/sbin/policy-rc.d
mark='# Of scripts/setup.sh of Kith, while it installs packages. It may be removed when that does not run.'
is_ours() { grep -qxF "$mark" "$policy" 2>/dev/null; }

find_missing
[ ${#missing[@]} -gt 0 ] || is_ours || exit 0

fail() {
  echo "setup.sh: these packages could not be installed: ${missing[*]}. Run it as root, or in a terminal where sudo can ask." >&2
  exit 1
}

as_root=()
if [ "$(id -u)" != 0 ]; then
  as_root=(sudo)
  # Where nobody can answer, sudo must not ask.
  if [ -n "${CI:-}" ] || ! { : </dev/tty; } 2>/dev/null; then as_root=(sudo -n); fi
  if ! "${as_root[@]}" true; then
    [ ${#missing[@]} = 0 ] || fail
    echo "setup.sh: every package is there. $policy is left from a run that was killed: if none runs, remove it as root." >&2
    exit 0
  fi
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" {lock}<&-
}

# One run at a time: the first to end would take the policy away from the other one. What it installed is there then.
exec {lock}<"$(dirname "$policy")"
flock "$lock"
! is_ours || "${as_root[@]}" rm -f "$policy"
find_missing
[ ${#missing[@]} -gt 0 ] || exit 0

echo "installing ${missing[*]}" >&2
log=$(mktemp)
own_policy=
clean_up() {
  rm -f "$log"
  [ -z "$own_policy" ] || "${as_root[@]}" rm -f "$policy"
}
trap clean_up EXIT
if [ ! -e "$policy" ]; then
  own_policy=yes
  printf '#!/bin/sh\n%s\nexit 101\n' "$mark" | "${as_root[@]}" install -m 755 /dev/stdin "$policy"
fi

# The package lists of a fresh machine are empty or old: they are fetched when the first try shows it.
apt install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 && exit 0
if apt update >"$log" 2>&1 && apt install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then exit 0; fi
cat "$log" >&2
fail
