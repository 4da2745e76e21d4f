#!/usr/bin/env bash
# Makes a Python environment of the tests in .build/ and prints the path of its interpreter: that of the tests themselves, or
# `mcp-1` or `mcp-2`, the two versions of the SDK of assistants that Kith is tested with.
set -euo pipefail
cd "$(dirname "$0")/.."

suffix=${1:+-$1}
requirements=Tests/python/requirements$suffix.txt
environment=$PWD/.build/python$suffix
if ! cmp -s "$requirements" "$environment/installed.txt"; then
  rm -rf "$environment"
  mkdir -p .build
  python3 -m venv "$environment" >&2
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" >&2
  cp "$requirements" "$environment/installed.txt"
fi
echo "$environment/bin/python"
