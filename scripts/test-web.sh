#!/usr/bin/env bash
# Builds kith-web with its HTTP libraries, which nothing else needs, and runs its tests: the rules of its scripts by node, the types of
# its scripts by TypeScript, and against real daemons, with its pages in Chromium and Firefox. Arguments go to pytest.
# KITH_LONG=1 runs tests that have a full size at that size.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh curl openssl flite nodejs node-typescript chromium firefox-esr pulseaudio libnss3-tools fonts-noto-cjk
node --test Tests/web/*.test.js
for scripts in page worker; do tsc --project "Tests/web/$scripts.json"; done
export KITH_WEB=1
{
  scripts/speech-model.sh
  [ "${KITH_TESTED:-}" = "$(scripts/build.sh --show-bin-path)" ] || scripts/build.sh kithd kith kith-report kith-pocketsphinx
  scripts/build.sh kith-web
} >&2
# Here, because several tests would make them at once.
for sdk in mcp-1 mcp-2; do scripts/python-env.sh $sdk >/dev/null; done
bin=$(scripts/build.sh --show-bin-path)
KITH_BIN_DIR=$bin exec timeout --kill-after 10 3600 \
  scripts/python.sh -m pytest -q -n 4 --dist loadfile --no-loadscope-reorder -W ignore::Warning "$@" Tests/python/test_web_*.py Tests/python/test_page*.py
