#!/usr/bin/env bash
# Installs the Debian packages that Kith is built and tested with, and those that are named as arguments: only what is
# missing, without questions.
set -euo pipefail

needed=(
  libzmq3-dev libsqlite3-dev libcurl4-openssl-dev libexpat1-dev libssl-dev openssl zlib1g-dev libpango1.0-dev
  libpocketsphinx-dev
  libprotobuf-dev protobuf-compiler python3 python3-venv fonts-dejavu-core fonts-vlgothic
  "$@"
)
missing=()
for package in "${needed[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -n)
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }

echo "installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The package lists of a fresh machine are empty or old: they are fetched when the first try shows it.
apt install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 && exit 0
if apt update >"$log" 2>&1 && apt install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then exit 0; fi
cat "$log" >&2
echo "setup.sh: these packages could not be installed: ${missing[*]}. Run it as root or with sudo without a password." >&2
exit 1
