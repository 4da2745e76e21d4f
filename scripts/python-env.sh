#!/usr/bin/env bash
# Makes the Python environment of the tests in .build/ and prints the path of its interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=Tests/python/requirements.txt
environment=$PWD/.build/python
if ! cmp -s "$requirements" "$environment/installed.txt"; then
  rm -rf "$environment"
  mkdir -p .build
  python3 -m venv "$environment" >&2
  "$environment/bin/pip" install --quiet --disable-pip-version-check -r "$requirements" >&2
  cp "$requirements" "$environment/installed.txt"
fi
echo "$environment/bin/python"
