#!/usr/bin/env bash
# Generates the Swift code, the service reference and the description of the API from proto/. With --check: fails when the
# checked-in files differ.
set -euo pipefail
cd "$(dirname "$0")/.."

out=.
if [ "${1:-}" = --check ]; then
  out=$(mktemp -d)
  trap 'rm -rf "$out"' EXIT
  mkdir -p "$out/Sources/KithMessages/Generated" "$out/Sources/Assistants/Generated" "$out/Sources/protoc-gen-kith" "$out/Tests/KithMessagesTests/Generated" "$out/docs/api"
fi

scripts/build.sh protoc-gen-swift
bin=$(scripts/build.sh --show-bin-path)
messages=(proto/kith/v1/{wire,work,events,system,contacts,records,monica,people,calls,channels,care,plan,measurements,reminders,keys,devices,backups}.proto)
swift_opts=(--swift_opt=FileNaming=DropPath --swift_opt=UseAccessLevelOnImports=true)

# First the options, which the other generator is built of.
protoc -I proto --plugin="$bin/protoc-gen-swift" "${swift_opts[@]}" \
  --swift_out="$out/Sources/protoc-gen-kith" proto/kith/v1/options.proto
scripts/build.sh protoc-gen-kith
protoc -I proto --plugin="$bin/protoc-gen-swift" "${swift_opts[@]}" --swift_opt=Visibility=Public \
  --swift_out="$out/Sources/KithMessages/Generated" "${messages[@]}"
protoc -I proto --plugin="$bin/protoc-gen-kith" --kith_opt=swift \
  --kith_out="$out/Sources/KithMessages/Generated" "${messages[@]}"
protoc -I proto --plugin="$bin/protoc-gen-kith" --kith_opt=tools --kith_out="$out/Sources/Assistants/Generated" "${messages[@]}"
protoc -I proto --plugin="$bin/protoc-gen-kith" --kith_opt=types \
  --kith_out="$out/Tests/KithMessagesTests/Generated" "${messages[@]}"
protoc -I proto --plugin="$bin/protoc-gen-kith" --kith_opt=markdown --kith_out="$out/docs" "${messages[@]}"
protoc -I proto --plugin="$bin/protoc-gen-kith" --kith_opt=openapi --kith_out="$out/docs/api" "${messages[@]}"

if [ "$out" != . ]; then
  diff -r Sources/KithMessages/Generated "$out/Sources/KithMessages/Generated"
  diff -r Sources/Assistants/Generated "$out/Sources/Assistants/Generated"
  diff -r Tests/KithMessagesTests/Generated "$out/Tests/KithMessagesTests/Generated"
  diff Sources/protoc-gen-kith/options.pb.swift "$out/Sources/protoc-gen-kith/options.pb.swift"
  diff docs/services.md "$out/docs/services.md"
  diff docs/api/openapi.json "$out/docs/api/openapi.json"
  echo "what is generated is what proto/ says"
fi
