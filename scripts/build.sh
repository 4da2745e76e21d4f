#!/usr/bin/env bash
# Builds programs for tests: scripts/build.sh PRODUCT..., or prints the folder that they are in: scripts/build.sh --show-bin-path
# KITH_BUILD_OPTIONS has options of `swift build`, such as those with which .ci/run builds everything once.
set -euo pipefail
cd "$(dirname "$0")/.."

read -ra options <<<"${KITH_BUILD_OPTIONS:-}"
[ "${1:-}" != --show-bin-path ] || exec swift build "${options[@]}" --show-bin-path
for product; do swift build "${options[@]}" --product "$product"; done
