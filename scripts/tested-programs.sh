#!/usr/bin/env bash
# Installs what the tests need and builds what they run. Prints the folder of the programs, which KITH_TESTED names if all of that
# was done before.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "${KITH_TESTED:-}" ]; then
  echo "what is in $KITH_TESTED is tested, and nothing is built" >&2
  echo "$KITH_TESTED"
  exit
fi
{
  # Speech for the recogniser, the converters of what browsers and phones record, a bus for notifications, older CardDAV servers,
  # what makes networks, clocks that are wrong, a broker, and what reads metrics.
  scripts/setup.sh flite ffmpeg opus-tools dbus-daemon python3-radicale xandikos iproute2 faketime curl gettext groff-base less mosquitto zsh fish age
  scripts/speech-model.sh
  scripts/python-env.sh
  export KITH_BUILD="${KITH_BUILD-$(scripts/version.sh)}"
  # By name, because `swift build --build-tests` also builds the plug-ins of dependencies, and with them a whole protoc. First those that
  # have most modules, of which two can always be built at once.
  scripts/build.sh kith-programs kithPackageTests kithd kith kith-report kith-pocketsphinx kith-homeassistant
} >&2
scripts/build.sh --show-bin-path
