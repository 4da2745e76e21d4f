#!/usr/bin/env bash
# Long trials by seed: random histories, kills, attacks, from 5 minutes on fuzzers, and from 20 on all CardDAV servers and sanitizers.
#   scripts/prove.sh [--minutes M] [--seed S] [--only NAME,...] [--list]
set -euo pipefail
cd "$(dirname "$0")/.."
read -r bin python < <(scripts/tested-programs.sh)
export PYTHONPYCACHEPREFIX=$PWD/.build/pycache
exec "$python" Tests/python/prove.py --bin "$bin" "$@"
