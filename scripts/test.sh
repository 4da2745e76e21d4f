#!/usr/bin/env bash
# Builds everything but kith-web, which has scripts/test-web.sh, and runs all tests. Those in Python, against the built programs, and those in Swift run side by side,
# because most of them wait. Arguments go to the Swift tests. KITH_LONG=1 runs tests that have a full size at that size;
# KITH_SERVERS names the CardDAV servers that Kith is held against, which are installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# Named, so that one that is absent is a failure.
export KITH_SERVERS=${KITH_SERVERS:-radicale,xandikos,digest,cyrus}
# shellcheck disable=SC2086
scripts/servers.sh ${KITH_SERVERS//,/ }
bin=$(scripts/tested-programs.sh)
# Here, because several tests would make them at once.
for sdk in mcp-1 mcp-2; do scripts/python-env.sh $sdk >/dev/null; done

# What tests write is kept in memory where there is room: most of their time on a disk goes by in fsync(2). A process that is killed
# loses nothing in memory either. Other users of the trials have to reach it, as they reach /tmp.
room() {
  read -r free options < <(findmnt --noheadings --bytes --output AVAIL,OPTIONS --target /dev/shm 2>/dev/null || echo 0 noexec)
  available=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
  [ "$free" -ge $((4 << 30)) ] && [ "$available" -ge $((8 << 20)) ] && [[ ,$options, != *,noexec,* ]]
}
if room; then TMPDIR=$(mktemp -d /dev/shm/k.XXXX); else TMPDIR=$(mktemp -d /tmp/k.XXXX); fi
export TMPDIR
chmod 1777 "$TMPDIR"
# The folder of a run that was killed, whose lock nobody holds, would stay in memory until the next start of the machine.
for folder in /dev/shm/k.???? /tmp/k.????; do
  [ ! -O "$folder/.lock" ] || flock --nonblock "$folder/.lock" rm -rf "$folder" || true
done
exec {lock}>"$TMPDIR/.lock"
flock "$lock"
finish() {
  local jobs
  jobs=$(jobs -p)
  # Their programs close their stores there before they end.
  # shellcheck disable=SC2086
  [ -z "$jobs" ] || { kill $jobs 2>/dev/null || true; wait; }
  rm -rf "$TMPDIR"
}
trap finish EXIT

# Not by `swift test`, which has been seen to wait for ever for a test process that crashed. One Swift test at a time: on two
# cores those that compute would starve those that wait.
# `set -m`, because jobs in the background would ignore SIGINT otherwise, and so would the programs that they start.
set -m
# A test that hangs beyond its own limit would hang all.
limit=(timeout --kill-after 10 3600)
# The Swift tests, which run one at a time, would end long after those in Python, of which eight run. So the latter yield.
KITH_BIN_DIR=$bin "${limit[@]}" nice -n 5 scripts/python.sh -m pytest -q -n 8 --dist loadgroup --no-loadscope-reorder \
  --ignore-glob='*/test_web_*.py' --ignore-glob='*/test_page*.py' Tests/python &
python_tests=$!
"${limit[@]}" "$bin/kithPackageTests.xctest" --testing-library swift-testing --no-parallel "$@" >"$TMPDIR/swift.log" 2>&1 &
swift_tests=$!
set +m
failed=()
wait $python_tests || failed+=(Python)
wait $swift_tests || failed+=(Swift)

# Of the Swift tests what failed, with its details; all that is left of them after a crash.
grep -aq '^[^ ]* Test run with' "$TMPDIR/swift.log" || tail -n 100 "$TMPDIR/swift.log"
LC_ALL=C.UTF-8 sed -n -E '/^✘/,/^[◇✔]/{/^[◇✔]/!p}' "$TMPDIR/swift.log"
[ ${#failed[@]} = 0 ] || echo "failed: ${failed[*]}"
grep -a '^[^ ]* Test run with' "$TMPDIR/swift.log" || echo "the Swift tests did not come to their end"
[ ${#failed[@]} = 0 ]
