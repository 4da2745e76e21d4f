#!/usr/bin/env bash
# Builds kith-web with its HTTP libraries, which nothing else needs, and runs its tests: against real daemons, and its pages in Chromium. Arguments go to pytest.
# KITH_LONG=1 runs tests that have a full size at that size.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh curl openssl flite nodejs chromium libnss3-tools fonts-noto-cjk
export KITH_WEB=1
{
  scripts/speech-model.sh
  for product in kithd kith kith-web kith-pocketsphinx; do swift build --product "$product"; done
} >&2
python=$(scripts/python-env.sh)
bin=$(swift build --show-bin-path)
KITH_BIN_DIR=$bin PYTHONDONTWRITEBYTECODE=1 exec timeout --kill-after 10 1500 \
  "$python" -m pytest -q -n 4 --dist loadfile -W ignore::Warning "$@" Tests/python/test_web_*.py Tests/python/test_page*.py
