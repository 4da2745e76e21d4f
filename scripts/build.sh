#!/usr/bin/env bash
# Builds programs for tests: scripts/build.sh PRODUCT... KITH_DEBUG_INFO=none leaves out what debuggers read.
set -euo pipefail
cd "$(dirname "$0")/.."

for product; do swift build -debug-info-format "${KITH_DEBUG_INFO:-dwarf}" --product "$product"; done
