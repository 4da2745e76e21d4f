#!/usr/bin/env bash
# Builds everything and runs all tests: first those in Python against the built daemon, then `swift test`, whose summary
# is the last line. Arguments go to `swift test`.
set -euo pipefail
cd "$(dirname "$0")/.."

# Speech for the recogniser, the converters of what browsers and phones record, a bus for notifications, older CardDAV servers,
# and what makes networks.
scripts/setup.sh flite ffmpeg opus-tools dbus-daemon python3-radicale xandikos iproute2
scripts/speech-model.sh
python=$(scripts/python-env.sh)
# By name, because `swift build --build-tests` also builds the plug-ins of dependencies, and with them a whole protoc.
for product in kithd kith kith-report kith-pocketsphinx kithPackageTests; do swift build --product "$product"; done
KITH_BIN_DIR=$(swift build --show-bin-path) PYTHONDONTWRITEBYTECODE=1 \
  timeout -s KILL 1700 "$python" -m pytest -q -p no:cacheprovider Tests/python
# A crashing test process has been seen to leave `swift test` waiting for it, so it gets a limit of its own.
# One at a time: on two cores the tests that compute would starve those that wait.
exec timeout -s KILL 900 swift test --skip-build --disable-xctest --no-parallel "$@"
