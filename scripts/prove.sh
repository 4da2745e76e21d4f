#!/usr/bin/env bash
# Long trials by seed: random histories, kills, attacks, from 5 minutes on fuzzers, and from 20 on all CardDAV servers and sanitizers.
#   scripts/prove.sh [--minutes M] [--seed S] [--only NAME,...] [--list]
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(scripts/tested-programs.sh)
exec scripts/python.sh Tests/python/prove.py --bin "$bin" "$@"
