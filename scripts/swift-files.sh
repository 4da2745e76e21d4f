#!/usr/bin/env bash
# Lists the Swift files that people write, each ended by NUL.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z --cached --others --exclude-standard -- '*.swift' ':!*.pb.swift' ':!*/Generated/*' |
  while IFS= read -r -d '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done
