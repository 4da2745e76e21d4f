#!/usr/bin/env bash
# Builds programs: scripts/build.sh PRODUCT..., or prints the folder that they are in: scripts/build.sh --show-bin-path
# KITH_BUILD_OPTIONS has options of `swift build`, such as those with which .ci/run builds everything once.
set -euo pipefail
cd "$(dirname "$0")/.."

# SwiftPM writes the traits of packages into the compiler's arguments in the order of a hash. Where that is another one in each process,
# each plan compiles swift-protobuf, and what imports it, again.
export SWIFT_DETERMINISTIC_HASHING=1
read -ra options <<<"${KITH_BUILD_OPTIONS:-}"
[ "${1:-}" != --show-bin-path ] || exec swift build "${options[@]}" --show-bin-path
for product; do swift build "${options[@]}" --product "$product"; done
