#!/usr/bin/env bash
# Builds everything and runs all tests. Those in Python, against the built programs, and those in Swift run side by side,
# because most of them wait. Arguments go to the Swift tests. KITH_LONG=1 runs tests that have a full size at that size.
set -euo pipefail
cd "$(dirname "$0")/.."

# Speech for the recogniser, the converters of what browsers and phones record, a bus for notifications, older CardDAV servers,
# what makes networks, and clocks that are wrong.
scripts/setup.sh flite ffmpeg opus-tools dbus-daemon python3-radicale xandikos iproute2 faketime
scripts/speech-model.sh
python=$(scripts/python-env.sh)
# By name, because `swift build --build-tests` also builds the plug-ins of dependencies, and with them a whole protoc.
for product in kithd kith kith-report kith-pocketsphinx kithPackageTests; do swift build --product "$product"; done
bin=$(swift build --show-bin-path)

work=$(mktemp -d /tmp/kith-tests.XXXXXX)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# Not by `swift test`, which has been seen to wait for ever for a test process that crashed. One Swift test at a time: on two
# cores those that compute would starve those that wait.
# `set -m`, because a job in the background would ignore SIGINT otherwise, and so would the programs that it starts.
set -m
"$bin/kithPackageTests.xctest" --testing-library swift-testing --no-parallel "$@" >"$work/swift" 2>&1 &
swift=$!
set +m
failed=()
KITH_BIN_DIR=$bin PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -n 8 --dist loadgroup Tests/python || failed+=(Python)
wait $swift || failed+=(Swift)

# Of the Swift tests what failed, with its details; all that is left of them after a crash.
grep -aq '^[^ ]* Test run with' "$work/swift" || tail -n 100 "$work/swift"
LC_ALL=C.UTF-8 sed -n -E '/^✘/,/^[◇✔]/{/^[◇✔]/!p}' "$work/swift"
[ ${#failed[@]} = 0 ] || echo "failed: ${failed[*]}"
grep -a '^[^ ]* Test run with' "$work/swift" || echo "the Swift tests did not come to their end"
[ ${#failed[@]} = 0 ]
