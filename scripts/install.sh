#!/usr/bin/env bash
# Builds the programs in release and installs them into bin/ of PREFIX (/usr/local), where kithd finds the others beside
# itself, and the language model of caregiving and the licences into share/. Swift's own libraries are linked in: the programs
# then run where there is no Swift, take less memory and answer sooner. What follows PREFIX goes to `swift build`. Root is asked
# for, by sudo, only where the folder is not the caller's.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=$(realpath -m "${1:-/usr/local}")
options=(-c release --static-swift-stdlib "${@:2}")
programs=(kithd kith kith-report kith-pocketsphinx)

scripts/setup.sh
KITH_BUILD=$(scripts/version.sh)
export KITH_BUILD
for program in "${programs[@]}"; do swift build "${options[@]}" --product "$program"; done
built=$(swift build "${options[@]}" --show-bin-path)
scripts/speech-model.sh

as_root=()
if ! install -d "$prefix/bin" 2>/dev/null || ! [ -w "$prefix/bin" ]; then as_root=(sudo); fi
"${as_root[@]}" install -D -t "$prefix/bin" "${programs[@]/#/$built/}"
"${as_root[@]}" install -D -m 644 -t "$prefix/share/kith/speech" .build/speech/caregiving.lm.bin
"${as_root[@]}" install -D -m 644 -t "$prefix/share/doc/kith" LICENSE NOTICE THIRD-PARTY.md
"${as_root[@]}" install -D -m 644 -t "$prefix/share/doc/kith/licenses" licenses/*
echo "installed ${programs[*]} in $prefix/bin" >&2
