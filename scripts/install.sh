#!/usr/bin/env bash
# Builds the programs in release and installs them into bin/ of PREFIX (/usr/local), where kithd finds the others beside
# itself, the language model of caregiving, the manual and the licences into share/, and what a debugger needs into bin/.debug/. Swift's own
# libraries are linked in: the programs then run where there is no Swift, take less memory and answer sooner. kithd and kith-report
# are links to kith, which contains all three. With --web before PREFIX, kith-web too, whose libraries are fetched and built only
# then; with --homeassistant, kith-homeassistant too. What follows PREFIX goes to `swift build`. Root is asked for, by sudo, only where the folder is not the caller's.
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

scripts/setup.sh
KITH_BUILD=$(scripts/version.sh)
export KITH_BUILD
for product in "${built_as[@]}"; do swift build "${options[@]}" --product "$product"; done
built=$(swift build "${options[@]}" --show-bin-path)
scripts/speech-model.sh

stripped=$(mktemp -d)
trap 'rm -rf "$stripped"' EXIT
for program in "${!built_as[@]}"; do
  objcopy --only-keep-debug --compress-debug-sections "$built/${built_as[$program]}" "$stripped/$program.debug"
  # A debugger looks for the file of this name in .debug beside the program.
  (cd "$stripped" && objcopy --strip-unneeded --add-gnu-debuglink="$program.debug" "$built/${built_as[$program]}" "$program")
done

"$stripped/kith" help --man "$stripped/man1"
(exec -a kithd "$stripped/kith" help --man "$stripped/man8")
for program in kith-web kith-homeassistant; do
  [ ! -e "$stripped/$program" ] || "$stripped/$program" help --man "$stripped/man8"
done
# Bash reads it into itself, so the line that names a shell to run it says nothing.
"$stripped/kith" --generate-completion-script bash | sed '1{/^#!/d}' >"$stripped/kith.bash"
"$stripped/kith" --generate-completion-script zsh >"$stripped/_kith"
"$stripped/kith" --generate-completion-script fish >"$stripped/kith.fish"

as_root=()
if ! install -d "$prefix/bin" 2>/dev/null || ! [ -w "$prefix/bin" ]; then as_root=(sudo); fi
for program in "${!built_as[@]}"; do
  "${as_root[@]}" install -D -t "$prefix/bin" "$stripped/$program"
  "${as_root[@]}" install -D -m 644 -t "$prefix/bin/.debug" "$stripped/$program.debug"
done
for name in kithd kith-report; do "${as_root[@]}" ln -sfn kith "$prefix/bin/$name"; done
"${as_root[@]}" install -D -m 644 -t "$prefix/share/kith/speech" .build/speech/caregiving.lm.bin
for section in man1 man8; do "${as_root[@]}" install -D -m 644 -t "$prefix/share/man/$section" "$stripped/$section"/*; done
"${as_root[@]}" install -D -m 644 "$stripped/kith.bash" "$prefix/share/bash-completion/completions/kith"
"${as_root[@]}" install -D -m 644 -t "$prefix/share/zsh/site-functions" "$stripped/_kith"
"${as_root[@]}" install -D -m 644 -t "$prefix/share/fish/vendor_completions.d" "$stripped/kith.fish"
"${as_root[@]}" install -D -m 644 -t "$prefix/share/doc/kith" LICENSE NOTICE THIRD-PARTY.md
"${as_root[@]}" install -D -m 644 -t "$prefix/share/doc/kith/licenses" licenses/*
if ! command -v ffmpeg >/dev/null || ! command -v ffprobe >/dev/null; then
  echo "ffmpeg is not installed: only WAV can be transcribed, no recordings of phones. To install it: sudo apt-get install ffmpeg" >&2
fi
echo "installed kithd, kith-report and $(printf '%s\n' "${!built_as[@]}" | sort | xargs | sed 's/ /, /g') in $prefix/bin" >&2
