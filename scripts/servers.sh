#!/usr/bin/env bash
# Installs the CardDAV servers that Kith is tested against, and the readers of vCards: servers.sh NAME... or servers.sh all.
# Radicale, Xandikos, the double of sabre/dav 4.7's login (digest) and vobject come with the Python of the tests
# (scripts/python-env.sh). Tests/servers/NAME.py starts each server; Tests/readers has the programs around the readers.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A packages=(
  [cyrus]="cyrus-imapd cyrus-caldav sasl2-bin"
  [davical]="davical php-cli php-pgsql php-xml postgresql"
  [digest]=""
  [radicale]=""
  [readers]="php-cli php-sabre-vobject libez-vcard-java libvinnie-java default-jdk-headless"
  [sabre]="php-sabre-dav php-cli php-sqlite3"
  [sogo]="sogo memcached postgresql"
  [xandikos]=""
)

names=("$@")
[ "${names[*]}" != all ] || names=("${!packages[@]}")
needed=()
for name in "${names[@]}"; do
  [ -v "packages[$name]" ] || { echo "servers.sh: $name is none of: ${!packages[*]}" >&2; exit 2; }
  read -ra more <<<"${packages[$name]}"
  needed+=("${more[@]}")
done
exec scripts/setup.sh "${needed[@]}"
