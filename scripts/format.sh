#!/usr/bin/env bash
# Formats the Swift code in place. Generated code keeps the form its generator gives it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/swift-files.sh | xargs -0 swift format --in-place --parallel
