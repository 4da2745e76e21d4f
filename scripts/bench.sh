#!/usr/bin/env bash
# Measures Kith in release against plain C programs that do the same, and prints a table. Arguments name what to measure:
# transport, vcard, storage, contacts, records, care, folder, hub, carddav, monica, workers, backup, assistants, plan, web, page, speech;
# none: all. ROUNDS (5), COUNT (10000 cards) and SENTENCES (a file with one more set of sentences to speak) can be set.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${ROUNDS:-5}
count=${COUNT:-10000}
known=(transport vcard storage contacts records care folder hub carddav monica workers backup assistants plan web page speech)
wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=("${known[@]}")
for name in "${wanted[@]}"; do
  [[ " ${known[*]} " == *" $name "* ]] || { echo "bench.sh: '$name' is not one of ${known[*]}" >&2; exit 2; }
done

# Its packages of HTTP are fetched and built only then.
[[ ! " ${wanted[*]} " =~ " web "|" page " ]] || export KITH_WEB=1

scripts/setup.sh
# A folder on a real disk: /tmp may be memory, where a commit costs nothing.
mkdir -p .build
work=$(mktemp -d "$PWD/.build/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
# As they are installed.
export KITH_BUILD_OPTIONS="-c release --static-swift-stdlib"
benchmarks="$KITH_BUILD_OPTIONS --package-path Benchmarks"
for name in "${wanted[@]}"; do
  # The door is measured against the hub.
  [ "$name" != web ] || name=hub
  [ -d "Benchmarks/Sources/$name-bench" ] || continue
  KITH_BUILD_OPTIONS=$benchmarks scripts/build.sh "$name-bench"
done
scripts/build.sh kith-programs
programs=$(scripts/build.sh --show-bin-path)
for name in kithd kith kith-report; do ln -s "$programs/kith-programs" "$work/$name"; done
kithd=$work/kithd
bin=$(KITH_BUILD_OPTIONS=$benchmarks scripts/build.sh --show-bin-path)
for floor in zmq:-lzmq:-lpthread sqlite:-lsqlite3 pass:-lsqlite3; do
  IFS=: read -r name libraries <<<"$floor"
  # The libraries are words on purpose.
  # shellcheck disable=SC2086
  cc -O2 -o "$work/${name}_floor" "Benchmarks/c/${name}_floor.c" ${libraries//:/ }
done

field() { sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"; }
median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
range() { sort -n | awk '{ value[NR] = $1 } END { printf "%s (%s-%s)", value[int((NR + 1) / 2)], value[1], value[NR] }'; }
title() { printf '\n## %s\n\n' "$*"; }

# row WHAT SWIFT-FILE C-FILE: one line of a table, with the ratio of the medians.
row() {
  awk -v what="$1" -v swift="$(range <"$2")" -v c="$(range <"$3")" 'BEGIN {
    split(swift, s, " "); split(c, b, " "); printf "| %s | %s | %s | %.2f |\n", what, swift, c, s[1] / b[1] }'
}

transport() {
  title "Transport (Swift wrapper and raw libzmq)"
  printf '| | Swift | C | Swift ÷ C |\n| --- | --- | --- | --- |\n'
  local mode transport size curve messages measure
  for mode in rtt oneway; do
    for transport in ipc tcp; do
      for size in 64 1024; do
        for curve in "" curve; do
          if [ $mode = rtt ]; then messages=20000 measure=p50_us; else messages=500000 measure=per_second; fi
          : >"$work/swift"; : >"$work/c"
          for _ in $(seq "$rounds"); do
            # shellcheck disable=SC2086
            "$work/zmq_floor" $mode $transport $size $messages $curve | field $measure >>"$work/c"
            # shellcheck disable=SC2086
            "$bin/transport-bench" $mode $transport $size $messages $curve | field $measure >>"$work/swift"
          done
          row "$mode $transport $size B $curve, $measure" "$work/swift" "$work/c"
        done
      done
    done
  done
}

storage() {
  title "Durable commands (group commit and one commit each)"
  printf '| | Swift | C | Swift ÷ C |\n| --- | --- | --- | --- |\n'
  : >"$work/swift"; : >"$work/c"
  for round in $(seq "$rounds"); do
    mkdir "$work/floor.$round" "$work/store.$round"
    "$work/sqlite_floor" "$work/floor.$round" 3 | grep -o '[0-9]* commands/s' | cut -d' ' -f1 >>"$work/c"
    "$bin/storage-bench" "$work/store.$round" 3 64 | grep -o '[0-9]* commands/s' | cut -d' ' -f1 >>"$work/swift"
    rm -rf "$work/floor.$round" "$work/store.$round"
  done
  row "64 in flight, commands/s" "$work/swift" "$work/c"
}

cards() {
  [ -e "$work/cards" ] || python3 Tests/python/cards.py "$count" "$work/cards" >"$work/kind"
  [ -e "$work/cards.vcf" ] || python3 Tests/python/cards.py "$count" "$work/cards.vcf" >"$work/kind"
}

vcard() {
  cards
  title "vCard reading: $count cards, $(cat "$work/kind")"
  "$bin/vcard-bench" "$work/cards.vcf" "$rounds"
}

contacts() {
  title "Contacts in the store: $count"
  "$bin/contacts-bench" "$count"
}

records() {
  local calls
  for calls in 5000 100000; do
    title "Records in the store: $calls calls"
    "$bin/records-bench" "$calls"
  done
}

care() {
  title "Care: a day of 500 entries, and the next reminder"
  "$bin/care-bench"
}

folder() {
  cards
  title "A folder of $count cards, $(cat "$work/kind")"
  "$bin/folder-bench" "$work/cards" "$work/kept"
  mkdir "$work/floor"
  printf 'the floor of a first pass in C: '
  "$work/pass_floor" "$work/kept/kith.db" "$work/floor"
}

hub() {
  cards
  title "Ping over ipc, from the thread of the connection, and raw libzmq with its frames"
  printf '| | Kith | C | Kith ÷ C |\n| --- | --- | --- | --- |\n'
  : >"$work/swift"; : >"$work/c"
  mkdir -p "$work/none"
  for _ in $(seq "$rounds"); do
    "$work/zmq_floor" ping ipc 0 20000 | field p50_us >>"$work/c"
    "$bin/hub-bench" "$kithd" "$work/none" ping | sed -n 's/.*on the loop: p50 \([0-9.]*\).*/\1/p' >>"$work/swift"
  done
  row "p50, µs" "$work/swift" "$work/c"
  title "The hub, over ipc"
  "$bin/hub-bench" "$kithd" "$work/cards"
}

carddav() {
  local kith server
  scripts/python.sh -m pip install --quiet --disable-pip-version-check "vdirsyncer>=0.19,<1"
  kith=$(dirname "$kithd")/kith
  # Servers rewrite or refuse some cards: the generator leaves those out when it is told.
  SERVER_SAFE=1 python3 Tests/python/cards.py "$count" "$work/safe" >"$work/kind"
  for server in radicale xandikos; do
    title "CardDAV: $server, $count cards, $(cat "$work/kind")"
    WORK=$work scripts/python.sh Benchmarks/carddav_bench.py "$kithd" "$kith" "$server" "$count" "$rounds" "$work/safe"
  done
}

monica() {
  title "Monica: the double of the tests"
  scripts/python.sh Benchmarks/monica_bench.py "$kithd" "$rounds"
}

workers() {
  title "Workers"
  scripts/python.sh Benchmarks/workers_bench.py "$kithd" "$work/sqlite_floor" "$work/zmq_floor"
}

backup() {
  cards
  title "A backup of $count contacts and 100,000 events, and what commands wait meanwhile"
  TMPDIR=$work scripts/python.sh Benchmarks/backup_bench.py "$kithd" "$work/cards" "$rounds"
}

assistants() {
  title "Assistants: kith mcp"
  TMPDIR=$work scripts/python.sh Benchmarks/assistants_bench.py "$work" "$rounds"
}

plan() {
  title "The care plan of three years"
  TMPDIR=$work scripts/python.sh Benchmarks/plan_bench.py "$work" "$rounds"
}

web() {
  title "kith-web, with kithd and its clients on the same machine"
  scripts/setup.sh wrk nghttp2-client
  scripts/build.sh kith-web >&2
  KITH_BUILD_OPTIONS=$benchmarks scripts/build.sh door-floor >&2
  ln -sf "$programs/kith-web" "$work/kith-web"
  TMPDIR=$work scripts/python.sh -W ignore::Warning Benchmarks/web_bench.py "$work" "$bin/hub-bench" "$bin/door-floor" "$rounds"
}

page() {
  title "The family's pages in Chromium"
  scripts/setup.sh chromium flite fonts-noto-cjk
  scripts/speech-model.sh
  for product in kith-web kith-pocketsphinx; do
    scripts/build.sh "$product" >&2
    ln -sf "$programs/$product" "$work/$product"
  done
  TMPDIR=$work scripts/python.sh -W ignore::Warning Benchmarks/page_bench.py "$work" "$rounds"
}

speech() {
  title "Speech: kith-pocketsphinx"
  scripts/setup.sh flite
  scripts/speech-model.sh
  local source=Sources/kith-pocketsphinx/model dictionary=/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict sentences
  python3 $source/language_model.py $source/caregiving.txt $dictionary "$work/model" --corpus "$work/corpus"
  sentences=(Benchmarks/sentences.txt)
  [ -z "${SENTENCES:-}" ] || sentences+=("$SENTENCES")
  scripts/build.sh kith-pocketsphinx >&2
  python3 Benchmarks/speech_bench.py "$programs/kith-pocketsphinx" .build/speech/caregiving.lm.bin \
    "$work/corpus" "${sentences[@]}"
}

{
  echo "# $(date -u +%F), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg), $(swift --version 2>&1 | grep -o 'Swift version [0-9.]*' | head -1)"
  for name in "${wanted[@]}"; do "$name"; done
} | tee "$work/table"
cp "$work/table" .build/bench.md
echo
echo "written to .build/bench.md"
