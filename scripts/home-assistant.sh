#!/usr/bin/env bash
# Makes a Home Assistant of a known version in a folder with its own Debian, .build/home-assistant, and prints the folder: for
# Tests/python/test_homeassistant_real.py. Needs root and some 2 GB. Where it cannot be made it says why, and the test is skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/.build/home-assistant
release=2026.2.3
# What its integrations of the household ask for, which it would fetch itself when it starts.
parts=(Pillow==12.0.0 aiohasupervisor==0.3.3 aiohttp_sse==2.2.0 aiousbwatcher==1.1.1 anyio==4.10.0 cronsim==2.7 ha-ffmpeg==3.2.2
  hassil==3.5.0 home-assistant-intents==2026.1.28 mcp==1.26.0 mutagen==1.47.0 paho-mqtt==2.1.0 pymicro-vad==1.0.1 pyserial==3.5
  pyspeex-noise==1.0.2 securetar==2025.2.1 wyoming==1.7.2 home-assistant-frontend==20260128.6 numpy hass-nabucasa PyTurboJPEG)

if [ ! -e "$folder/opt/ha/made-$release" ]; then
  [ "$(id -u)" = 0 ] || { echo "home-assistant.sh: a Debian of its own is made as root; the trial is left out." >&2; exit 0; }
  {
    scripts/setup.sh debootstrap
    packages=python3,python3-venv,python3-dev,ca-certificates,gcc,g++,libffi-dev,libssl-dev,tzdata
    [ -e "$folder/usr/bin/gcc" ] || debootstrap --variant=minbase --include="$packages" trixie "$folder"
    cp /etc/resolv.conf "$folder/etc/"
    cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
    # What pip has to know of this network.
    [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$folder/etc/"
    unshare --mount --propagation private sh -euc '
      mount --bind /proc "$0/proc"
      mount --bind /dev "$0/dev"
      chroot "$0" python3 -m venv /opt/ha
      chroot "$0" /opt/ha/bin/pip install --quiet --prefer-binary "$@"
    ' "$folder" "homeassistant==$release"
    unshare --mount --propagation private sh -euc '
      mount --bind /proc "$0/proc"
      mount --bind /dev "$0/dev"
      chroot "$0" /opt/ha/bin/pip install --quiet --prefer-binary "$@"
    ' "$folder" "${parts[@]}"
    touch "$folder/opt/ha/made-$release"
  } >&2
fi
echo "$folder"
