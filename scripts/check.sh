#!/usr/bin/env bash
# Checks the rules that the compiler does not: format, generated code, forbidden forms, documentation. Runs every check,
# names each that fails, and ends with 1 when one did.
set -uo pipefail
cd "$(dirname "$0")/.."

failures=0

# check WHAT COMMAND...: a check fails by its status or by printing findings; both are shown.
check() {
  local what=$1 findings
  shift
  if findings=$("$@" 2>&1) && [ -z "$findings" ]; then
    echo "ok    $what"
  else
    echo "FAIL  $what"
    [ -z "$findings" ] || printf '%s\n' "$findings" | sed 's/^/      /'
    failures=$((failures + 1))
  fi
}

# Files of the working tree that are or will be in git.
files() {
  git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
  done
}

written_swift() { files '*.swift' | grep -v -E '\.pb\.swift$|/Generated/'; }

format() { scripts/swift-files.sh | xargs -0 swift format lint --strict --parallel; }

shell_syntax() {
  files '*.sh' .ci/run | while IFS= read -r script; do
    bash -n "$script" || return 1
    [ -x "$script" ] || echo "$script cannot be executed"
  done
}

# An unknown feature name is accepted without a word by the compiler, and then does nothing.
upcoming_features() {
  local known
  known=$(swiftc -print-supported-features | sed -n '/"upcoming"/,/"experimental"/s/.*{ "name": "\([A-Za-z]*\)".*/\1/p')
  files '*Package.swift' | xargs sed -n 's/.*enableUpcomingFeature("\([^"]*\)").*/\1/p' | sort -u | while read -r feature; do
    grep -qx "$feature" <<<"$known" || echo "the compiler does not know the upcoming feature '$feature'"
  done
}

forbidden_forms() {
  written_swift | grep -v '^Tests/' |
    xargs grep -n -E '\b(TODO|FIXME|XXX|HACK)\b|\btry!|\bas!|\bfatalError\(|[])A-Za-z0-9_]![.)[]'
  # A function that is the state of a lock is wrapped anew at each access: see Lock.swift.
  written_swift | xargs grep -n -E '\b(Lock|Mutex)<\(*(@Sendable )?\([^<>]*\)( (async|throws)(\([A-Za-z]*\))?)* -> '
  files '*.sh' '*.py' '*.proto' '*.c' '*.h' '*.md' ':!scripts/check.sh' | xargs grep -n -E '\b(TODO|FIXME|XXX|HACK)\b'
  return 0
}

# A claim that the compiler cannot check has its argument on the line above.
unargued_unsafety() {
  written_swift | grep -v '^Tests/' | xargs awk '
    FNR == 1 { argued = 0 }
    /^ *\/\// { if (/is sound/) argued = 1; next }
    /@unchecked Sendable|nonisolated\(unsafe\)/ && !argued { print FILENAME ":" FNR ": " $0 }
    { argued = 0 }'
}

file_lengths() {
  { written_swift; files '*.sh' '*.py' '*.c' '*.h' '*.proto'; } | xargs wc -l |
    awk '$2 != "total" && $1 > 400 { print $2 " has " $1 " lines; split it by what it holds" }'
}

# A small type that one file of its folder uses stands in that file.
small_types() {
  local file types users
  written_swift | grep '^Sources/' | while IFS= read -r file; do
    [ "$(wc -l <"$file")" -lt 40 ] || continue
    types=$(sed -nE 's/^(@[a-z]+ )?((public|package|final|indirect) )*(struct|enum|class|actor|protocol) ([A-Z][A-Za-z]*).*/\5/p' "$file")
    [ -n "$types" ] || continue
    users=$(written_swift | grep '^Sources/' | grep -vxF "$file" | xargs grep -lwE "$(paste -sd'|' <<<"$types")")
    [ "$(wc -w <<<"$users")" = 1 ] && [ "$(dirname "$users")" = "$(dirname "$file")" ] || continue
    echo "$file has less than 40 lines and serves $users alone; move it there"
  done
}

# docs/architecture.md names each target once, and each one imports only targets below it.
targets_in_order() {
  local named
  named=$(sed -n '/^| target | what it is/,/^$/p' docs/architecture.md | cut -d'|' -f2 | grep -o '`[^`]*`' | tr -d '`')
  diff <(ls Sources | sort) <(sort <<<"$named") |
    sed -n 's/^< /docs\/architecture.md lacks the target /p; s/^> /docs\/architecture.md names twice, or without sources: /p'
  grep -rE '^(@[a-z]+(\([a-z]+\))? )?((public|package|internal|private|fileprivate) )?import [A-Za-z]+$' Sources --include='*.swift' |
    sed -E 's|^Sources/([^/]*)/.* ([A-Za-z]+)$|\1 \2|' | sort -u | awk '
      NR == FNR { place[$1] = NR; next }
      $1 in place && $2 in place && $1 != $2 && place[$1] > place[$2] { print "docs/architecture.md: " $1 " imports " $2 ", which is above it" }
    ' <(echo "$named") -
}

# Each public type of the libraries that others may build on has an example. A nested type is in that of the type around it.
examples() {
  written_swift | grep -E '^Sources/(KithMessages|Bus|BusZeroMQ|ZeroMQ|EventLoop)/' | xargs awk '
    FNR == 1 { example = 0 }
    /^\/\/\// { if (/```swift/) example = 1; next }
    /^@[a-zA-Z]+(\(.*\))?$/ { next }
    /^(@[a-z]+ )?public .*(struct|enum|class|actor|protocol) [A-Z]/ && !example { print FILENAME ":" FNR ": no example: " $0 }
    { example = 0 }'
}

# Each rpc is in the service reference, and is sent by the command line tool, the client library below it, kith-web, or its pages and their scripts.
methods_documented_and_reachable() {
  awk '
    /^service / { service = $2 }
    /^  rpc / { split($0, part, /[ ()]+/); name = part[3]; request = part[4] }
    /role: / { match($0, /role: [A-Z]+/); print service, name, request, substr($0, RSTART + 6, RLENGTH - 6) }
  ' proto/kith/v1/*.proto | while read -r service name request role; do
    grep -q "^### kith.v1.$service/$name\$" docs/services.md || echo "docs/services.md lacks $service/$name"
    [ "$role" != WORKER ] || continue
    grep -rqw "$request" Sources/Commands Sources/KithClient Sources/BusZeroMQ/Client Sources/Web 2>/dev/null ||
      grep -rqF "\"$service/$name\"" Sources/WebFiles/pages || grep -rqw "Methods.${service,}$name" Sources/Pages ||
      echo "neither kith nor kith-web sends $service/$name"
  done
}

# Each reason that an answer or a state may have is on a page. Those of the programs' starts are told on their standard error.
reasons_documented() {
  written_swift | grep '^Sources/' |
    grep -v -E '^Sources/(Commands|Help|KithClient|KithWorker|BusZeroMQ/Client)/|Configuration|WorkerProcess|StoreFile|DiskFile' |
    xargs grep -ohE '\.[a-z][A-Za-z]+, "[A-Z][A-Z_]{3,}"' | sed -E 's/.*"(.*)"/\1/' | grep -vxE 'GET|POST|PUT|DELETE' | sort -u | while read -r reason; do
    grep -qw "$reason" docs/protocol.md docs/operations.md docs/http.md || echo "$reason is not in docs/protocol.md, operations.md or http.md"
  done
}

# The anchors of a Markdown page's headings, as GitHub makes them, with their level and text: `2 three-words Three words`.
headings() {
  LC_ALL=C.UTF-8 awk '
    /^```/ { inCode = !inCode }
    !inCode && /^#+ / {
      level = length($1)
      text = substr($0, level + 2)
      anchor = tolower(text)
      gsub(/[^[:alnum:]_ -]/, "", anchor)
      gsub(/ /, "-", anchor)
      print level, anchor, text
    }' "$1"
}

# Relative links of Markdown pages lead to files, and to headings in them.
links() {
  files '*.md' | while IFS= read -r page; do
    grep -o -E '\]\([^)]+\)' "$page" | sed -E 's/^\]\(//; s/\)$//' | grep -v -E '^(https?|mailto):' |
      while IFS= read -r target; do
        file=${target%%#*}
        [ -z "$file" ] || [ -e "$(dirname "$page")/$file" ] || { echo "$page: no such file: $target"; continue; }
        [[ $target == *.md#* || $target == "#"* ]] || continue
        file=${file:+$(dirname "$page")/$file}
        headings "${file:-$page}" | grep "^[0-9]* ${target#*#} " >/dev/null || echo "$page: no such heading: $target"
      done || true
  done
}

# Paths that pages name exist. Those with a placeholder, such as NAME, are not looked at.
named_paths() {
  files '*.md' | while IFS= read -r page; do
    grep -o -E '`(Sources|Tests|Fuzz|Benchmarks|docs|examples|proto|scripts)/[^` ]+`' "$page" | tr -d '`' | grep -v -E '[*<{]|NAME' |
      sort -u | while IFS= read -r path; do
        [ -e "$path" ] || echo "$page: no such path: $path"
      done || true
  done
}

# A page of more than 150 lines begins with a list of its sections, in their order.
contents() {
  files '*.md' | while IFS= read -r page; do
    [ "$(wc -l <"$page")" -gt 150 ] || continue
    diff <(sed -n '/^## /q; s/^\* \[\(.*\)\](#\(.*\))$/\2 \1/p' "$page") <(headings "$page" | sed -n 's/^2 //p') |
      sed -n "s|^<|$page: only in the contents list, or in another place there:|p; s|^>|$page: missing in the contents list:|p"
  done
}

# The list of decisions has each page once, in the order of their numbers, under the title that the page has.
decisions_listed() {
  local page name number title
  files 'docs/decisions/[0-9]*.md' | cut -c1-19 | sort | uniq -d | sed 's/$/: two pages have this number/'
  diff <(grep -E '^[0-9]+\. ' docs/decisions/README.md) <(
    files 'docs/decisions/[0-9]*.md' | sort | while IFS= read -r page; do
      name=$(basename "$page")
      number=$((10#${name%%-*}))
      title=$(head -1 "$page")
      echo "$number. [${title#"# $number. "}]($name)"
    done) | sed -n 's/^</only in docs\/decisions\/README.md, or in another place there:/p; s/^>/missing there:/p'
}

# The release and its day are written in one place; the newest one that CHANGELOG.md describes is the same.
one_version() {
  local release newest day seconds
  release=$(sed -n 's/^ *static let release = "\(.*\)"$/\1/p' Sources/Bus/SoftwareVersion.swift)
  newest=$(sed -n 's/^## \[\([0-9][^]]*\)\] - [0-9-]*$/\1/p' CHANGELOG.md | head -1)
  [[ $release =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || echo "Sources/Bus/SoftwareVersion.swift has no release that can be read: '$release'"
  [ "$newest" = "$release" ] || echo "CHANGELOG.md describes '$newest' as the newest release, Sources/Bus/SoftwareVersion.swift says '$release'"
  day=$(sed -n 's/^## \[[0-9][^]]*\] - \([0-9-]*\)$/\1/p' CHANGELOG.md | head -1)
  seconds=$(sed -n 's/^ *public static let released: Int64 = \([0-9_]*\)_000_000_000 .*$/\1/p' Sources/Bus/SoftwareVersion.swift | tr -d _)
  [ "$(date -ud "$day" +%s)" = "$seconds" ] || echo "CHANGELOG.md has '$day' as the day of the newest release, Sources/Bus/SoftwareVersion.swift another"
}

# Tests that SECURITY.md names are there: `FILE::TEST`, where FILE may have its folder in front, and TEST is a function of it.
security_tests() {
  local named file test
  named=$(grep -oE '`[^` ]+\.(py|swift)::[^`]+`' SECURITY.md | tr -d '`' | sort -u)
  [ "$(wc -l <<<"$named")" -gt 50 ] || echo "SECURITY.md names hardly any test"
  while IFS= read -r test; do
    file=$(files "Tests/**/${test%%::*}" "Tests/${test%%::*}")
    [ "$(wc -w <<<"$file")" = 1 ] || { echo "SECURITY.md: not one file of this name: $test"; continue; }
    grep -qE "(def|func) \`?${test#*::}\`?\(" "$file" || echo "SECURITY.md: no such test: $test"
  done <<<"$named"
}

# THIRD-PARTY.md has a row for each Swift package, and for each library that a module map links; and no row for another package.
third_party_named() {
  local packages links link
  # It names the packages of packages, and is made by SwiftPM; without those of kith-web unless KITH_WEB is 1. SwiftPM adds none to a file
  # that is there already.
  grep -q hummingbird Package.resolved 2>/dev/null || { rm -f Package.resolved; KITH_WEB=1 swift package resolve >/dev/null 2>&1; } || echo "the packages cannot be resolved"
  packages=$({ sed -n 's/.*"location" : "\(.*\)".*/\1/p' Package.resolved; sed -n 's/.*\.package(url: "\([^"]*\)".*/\1/p' Package.swift; } |
    sed 's/\.git$//' | sort -u)
  diff <(grep -oE '^\| <https://[^>]+>' THIRD-PARTY.md | sed 's/^| <//; s/>$//' | sort -u) <(echo "$packages") |
    sed -n 's/^> /THIRD-PARTY.md lacks /p; s/^< /THIRD-PARTY.md has a row for a package that is not used: /p'
  links=$(files 'Sources/*/module.modulemap' | xargs sed -n 's/^ *link "\(.*\)"$/\1/p')
  for link in $links sqlite3; do
    grep -q "^| .*\`$link\`.* |" THIRD-PARTY.md || echo "THIRD-PARTY.md lacks the library $link"
  done
}

check "shell scripts" shell_syntax
check "format" format
check "upcoming features" upcoming_features
check "forbidden forms" forbidden_forms
check "arguments for what is unchecked" unargued_unsafety
check "file lengths" file_lengths
check "small types" small_types
check "targets in order" targets_in_order
check "examples" examples
check "links" links
check "named paths" named_paths
check "contents lists" contents
check "decisions" decisions_listed
check "software of others" third_party_named
check "tests of SECURITY.md" security_tests
check "version" one_version
check "reasons" reasons_documented
check "methods" methods_documented_and_reachable

echo "building the generators"
if scripts/protos.sh --check; then
  echo "ok    generated code"
else
  echo "FAIL  generated code: run scripts/protos.sh"
  failures=$((failures + 1))
fi

[ $failures = 0 ] || { echo "$failures checks failed" >&2; exit 1; }
