#!/usr/bin/env bash
# Makes the language model of caregiving for PocketSphinx, caregiving.lm.bin, in .build/speech or in the folder that is
# named. Where kithd is installed that is share/kith/speech, beside the folder of the programs.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(realpath -m "${1:-.build/speech}")

scripts/setup.sh pocketsphinx-en-us sphinxbase-utils
source=Sources/kith-pocketsphinx/model
dictionary=/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict
mkdir -p "$out"
work=$(mktemp -d "$out/make.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Nothing to do where the model is younger than all that it is made of.
if [ -e "$out/caregiving.lm.bin" ] && [ -z "$(find $source scripts/speech-model.sh -newer "$out/caregiving.lm.bin")" ]; then
  exit 0
fi
python3 $source/language_model.py $source/caregiving.txt $dictionary "$work/caregiving.lm"
# PocketSphinx loads its own form several times faster.
sphinx_lm_convert -i "$work/caregiving.lm" -o "$work/caregiving.lm.bin" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mv "$work/caregiving.lm.bin" "$out/caregiving.lm.bin"
echo "made $out/caregiving.lm.bin" >&2
