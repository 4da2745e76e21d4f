#!/usr/bin/env bash
# Runs the Python of the tests: scripts/python.sh -m pytest Tests/python/test_wire.py. What it has compiled is kept in .build, for the
# servers that tests start too, which otherwise compile all that they import at each start.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
unset PYTHONDONTWRITEBYTECODE
python=$("$scripts/python-env.sh")
PYTHONPYCACHEPREFIX=${scripts%/*}/.build/pycache exec "$python" "$@"
