#!/usr/bin/env bash
# Builds programs for tests: scripts/build.sh PRODUCT... KITH_DEBUG_INFO=none leaves out what debuggers and editors read, which takes a
# fifth of the time and more.
set -euo pipefail
cd "$(dirname "$0")/.."

flags=()
[ "${KITH_DEBUG_INFO:-}" != none ] || flags=(-debug-info-format none --disable-index-store)
for product; do swift build "${flags[@]}" --product "$product"; done
