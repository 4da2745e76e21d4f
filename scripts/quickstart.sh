#!/usr/bin/env bash
# Builds Kith, syncs the sample household through it, and checks what came out. Leaves nothing running and nothing behind.
#   quickstart.sh --web    then serves the family's pages of that household to this machine until Ctrl+C. PORT (8480) can be set.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  "") ;;
  --web) export KITH_WEB=1 ;;
  *) echo "quickstart.sh: '$1' is no option; the only one is --web" >&2; exit 2 ;;
esac

# Fetching the dependencies and installing libraries both wait for the network.
swift package resolve &
resolving=$!
scripts/setup.sh
wait $resolving
KITH_BUILD=$(scripts/version.sh)
export KITH_BUILD
# A debug build takes half the time of a release build and runs the same code.
scripts/build.sh kithd kith ${KITH_WEB:+kith-web}
bin=$(scripts/build.sh --show-bin-path)

work=$(mktemp -d /tmp/kith-quickstart.XXXXXX)
pids=()
finish() {
  local status=$?
  trap - EXIT
  for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ $status = 0 ] || { echo "quickstart failed; the daemon's log:" >&2; tail -n 20 "$work/kithd.log" >&2 || true; }
  rm -rf "$work"
  exit $status
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

say() { printf '\n== %s\n' "$*"; }
kith() { "$bin/kith" --runtime-dir "$work/run" "$@"; }
# within SECONDS COMMAND...: tries until the command succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "gave up waiting for: $*" >&2; return 1; }
    sleep 0.1
  done
}

say "start kithd"
"$bin/kithd" --state-dir "$work/state" --runtime-dir "$work/run" >"$work/kithd.log" 2>&1 &
kithd=$!
pids+=("$kithd")
within 20 kith ping

say "subscribe to the live events"
"$bin/kith" --runtime-dir "$work/run" watch sync contacts --since sync=0 --since contacts=0 &
pids+=($!)
"$bin/kith" --runtime-dir "$work/run" --json watch sync --since sync=0 >"$work/events" &
pids+=($!)
subscribed() { kith --json status | grep -q '"subscriptions"'; }
within 10 subscribed

say "add examples/household and sync it"
kith contacts source add household --vdir "$PWD/examples/household"
kith contacts sync

say "who is there"
kith contacts list
kith contacts search さとう

say "check"
expected=$(cat examples/household/*.vcf | grep -c '^BEGIN:VCARD')
stored=$(kith --json contacts list --limit 500 | grep -o '"formattedName"' | wc -l)
[ "$stored" = "$expected" ] || { echo "$stored contacts are stored, $expected were expected" >&2; exit 1; }
echo "$stored contacts stored"

# Every event of the sync stream up to the last one that the hub knows, none missing and none twice.
head=$(kith --json status | tr '{}' '\n\n' | sed -n '/"stream":"sync"/s/.*"seq":"\([0-9]*\)".*/\1/p')
[ "${head:-0}" -ge 2 ] || { echo "the sync stream has no events" >&2; exit 1; }
sequences() { sed -n 's/.*"seq":"\([0-9]*\)".*/\1/p' "$work/events"; }
complete() { [ "$(sequences)" = "$(seq 1 "$head")" ]; }
within 10 complete || { echo "the sync stream is not 1..$head: $(sequences | tr '\n' ' ')" >&2; exit 1; }
echo "$head sync events seen, dense"

if [ -n "${KITH_WEB:-}" ]; then
  say "serve the pages"
  port=${PORT:-8480}
  "$bin/kith-web" --listen "127.0.0.1:$port" --runtime-dir "$work/run" --state-dir "$work/web" --insecure-http >>"$work/kithd.log" 2>&1 &
  web=$!
  pids+=("$web")
  answers() { kill -0 "$web" && (exec 3<>"/dev/tcp/127.0.0.1/$port"); }
  within 20 answers || { echo "kith-web does not answer; another PORT may be free" >&2; exit 1; }
  kith care settings --recipient "Sato Yoshiko" --honorific さん >/dev/null
  kith care record meal "Porridge and tea" >/dev/null
  kith care record medication "08:00 pills taken" >/dev/null
  code=$(kith --json web pair --name browser --role admin | sed -n 's/.*"code":"\([0-9]*\)".*/\1/p')
  say "open http://localhost:$port/pair#$code in a browser on this machine; Ctrl+C ends it"
  wait "$web"
fi

say "stop kithd"
for pid in "${pids[@]:1}"; do kill "$pid" && wait "$pid" || true; done 2>/dev/null
kill -TERM "$kithd"
status=0
wait "$kithd" || status=$?
[ $status = 0 ] || { echo "kithd ended with $status" >&2; exit 1; }
echo "kithd ended with 0"
