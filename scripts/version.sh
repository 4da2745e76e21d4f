#!/usr/bin/env bash
# Prints how far the sources are from the release that they are called by, as build metadata of Semantic Versioning:
# commits since its tag, or since its number was written where there is no tag, the commit, and whether files were
# changed, such as "12.gabc1234.dirty". Prints nothing for the release itself, and nothing where there is no git to
# ask, as in an archive. What builds for others gives it to `swift build` as KITH_BUILD.
set -euo pipefail
cd "$(dirname "$0")/.."

release=$(sed -n 's/.*static let release = "\(.*\)"/\1/p' Sources/Bus/SoftwareVersion.swift)
# An archive may have been unpacked within somebody else's repository.
[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] || exit 0
state=$(git describe --tags --match "v$release" --long --always --abbrev=7 --dirty=.dirty 2>/dev/null) || exit 0
case $state in
  "v$release"-0-g*.dirty) echo "0.g${state##*-g}" ;;
  "v$release"-0-g*) ;;
  "v$release"-*) state=${state#"v$release"-}; echo "${state/-/.}" ;;
  *)
    # In a clone without its history only the commit is known.
    written=
    if [ "$(git rev-parse --is-shallow-repository)" = false ]; then
      written=$(git log -1 --format=%H -S"static let release = \"$release\"" -- Sources/Bus/SoftwareVersion.swift)
    fi
    echo "${written:+$(git rev-list --count "$written..HEAD").}g$state"
    ;;
esac
