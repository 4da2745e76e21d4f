#!/usr/bin/env bash
# Builds the programs in release and installs them into bin/ of PREFIX (/usr/local), where kithd finds the others
# beside itself, the language model of caregiving, the manual and the licences into share/, and what a debugger needs
# into bin/.debug/. Swift's own libraries are linked in: the programs then run where there is no Swift, take less
# memory and answer sooner. ICU alone is a file of its own in lib/kith/, because it is as large as a program. kithd
# and kith-report are links to kith, which contains all three. With --web before PREFIX, kith-web too, whose libraries
# are fetched and built only then; with --homeassistant, kith-homeassistant too. What follows PREFIX goes to `swift
# build`. The script asks for root, by sudo, only where the folder is not the caller's.
set -euo pipefail
cd "$(dirname "$0")/.."
declare -A built_as=([kith]=kith-programs [kith-pocketsphinx]=kith-pocketsphinx)
while :; do
  case "${1:-}" in
    --web)
      built_as[kith-web]=kith-web
      export KITH_WEB=1
      ;;
    --homeassistant) built_as[kith-homeassistant]=kith-homeassistant ;;
    *) break ;;
  esac
  shift
done
prefix=$(realpath -m "${1:-/usr/local}")
options=(-c release --static-swift-stdlib "${@:2}")
# As in scripts/build.sh.
export SWIFT_DETERMINISTIC_HASHING=1

scripts/setup.sh
KITH_BUILD=$(scripts/version.sh)
export KITH_BUILD

# Swift's static libraries, but for ICU: the linker takes what it finds here.
libraries=$(swift -print-target-info | sed -n 's/^ *"runtimeResourcePath": "\(.*\)".*/\1/p')
icu=$libraries/linux/lib_FoundationICU.so
export KITH_SWIFT_STATIC=$PWD/.build/swift-static
rm -rf "$KITH_SWIFT_STATIC"
mkdir -p "$KITH_SWIFT_STATIC/linux"
find "${libraries}_static" -mindepth 1 -maxdepth 1 ! -name linux -exec ln -s -t "$KITH_SWIFT_STATIC" {} +
find "${libraries}_static/linux" -mindepth 1 -maxdepth 1 ! -name lib_FoundationICU.a -exec ln -s -t "$KITH_SWIFT_STATIC/linux" {} +
ln -s -t "$KITH_SWIFT_STATIC/linux" "$icu"

for product in "${built_as[@]}"; do swift build "${options[@]}" --product "$product"; done
built=$(swift build "${options[@]}" --show-bin-path)
scripts/speech-model.sh

# All of it as it is installed.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage"/{bin/.debug,lib/kith,share/man,share/bash-completion/completions,share/zsh/site-functions,share/fish/vendor_completions.d}
for program in "${!built_as[@]}"; do
  file=$built/${built_as[$program]}
  objcopy --only-keep-debug --compress-debug-sections "$file" "$stage/bin/.debug/$program.debug"
  # A debugger looks for the file of this name in .debug beside the program.
  (cd "$stage/bin/.debug" && objcopy --strip-unneeded --add-gnu-debuglink="$program.debug" "$file" "../$program")
done
objcopy --strip-unneeded "$icu" "$stage/lib/kith/${icu##*/}"
for name in kithd kith-report; do ln -s kith "$stage/bin/$name"; done
"$stage/bin/kith" help --man "$stage/share/man/man1"
for name in kithd kith-web kith-homeassistant; do
  [ ! -e "$stage/bin/$name" ] || "$stage/bin/$name" help --man "$stage/share/man/man8"
done
completion() { "$stage/bin/kith" --generate-completion-script "$1" >"$stage/share/$2"; }
completion bash bash-completion/completions/kith
completion zsh zsh/site-functions/_kith
completion fish fish/vendor_completions.d/kith.fish
# Bash reads it into itself, so the line that names a shell to run it says nothing.
sed -i '1{/^#!/d}' "$stage/share/bash-completion/completions/kith"
install -D -m 644 -t "$stage/share/kith/speech" .build/speech/caregiving.lm.bin
install -D -m 644 -t "$stage/share/doc/kith" LICENSE NOTICE THIRD-PARTY.md
install -D -m 644 -t "$stage/share/doc/kith/licenses" licenses/*
chmod -R u=rwX,go=rX "$stage"

as_root=()
if ! install -d "$prefix/bin" 2>/dev/null || ! [ -w "$prefix/bin" ]; then as_root=(sudo); fi
# A program that runs keeps its file.
"${as_root[@]}" cp -R --remove-destination "$stage/." "$prefix"
if ! command -v ffmpeg >/dev/null || ! command -v ffprobe >/dev/null; then
  echo "ffmpeg is not installed: only WAV can be transcribed, no recordings of phones. To install it: sudo apt-get install ffmpeg" >&2
fi
echo "installed kithd, kith-report and $(printf '%s\n' "${!built_as[@]}" | sort | xargs | sed 's/ /, /g') in $prefix/bin" >&2
