#!/usr/bin/env bash
# Makes a bare Debian of each release that is named (bookworm, trixie) in .build/debian, which has nothing but systemd to boot, for
# Tests/python/test_packages.py. Needs root and 300 MB each. Where it cannot be made it says why, and those trials are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "debian.sh: a Debian of its own is made as root; its trials are left out." >&2; exit 0; }
scripts/setup.sh debootstrap systemd-container
for release; do
  folder=.build/debian/$release
  [ ! -e "$folder" ] || continue
  rm -rf "$folder.part"
  mkdir -p "$folder.part"
  if ! debootstrap --variant=minbase --include=systemd-sysv "$release" "$folder.part" >"$folder.log" 2>&1; then
    echo "debian.sh: debootstrap made no $release, so its trials are left out; $folder.log says why." >&2
    continue
  fi
  mv "$folder.part" "$folder"
done
