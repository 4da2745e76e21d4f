#!/usr/bin/env bash
# Makes Debian's packages of kith, kith-report, kith-pocketsphinx, kith-web and kith-homeassistant in .build/packages,
# and has lintian read them. It builds the programs as scripts/install.sh does, which takes half an hour the first
# time; with --from PREFIX it packs those that install.sh put into PREFIX. The version is that of the programs. The
# same programs give the same packages, byte for byte: their time is that of the newest commit, or SOURCE_DATE_EPOCH.
set -euo pipefail
cd "$(dirname "$0")/.."
from=
case "${1:-}" in
  "") ;;
  --from) from=$(realpath "${2:?--from needs the folder that install.sh installed into}") ;;
  *) echo "package.sh: '$1' is no option; the only one is --from PREFIX" >&2; exit 2 ;;
esac

scripts/setup.sh debhelper lintian
tree=.build/package/kith
rm -rf .build/package
mkdir -p "$tree"
cp -r packaging/debian "$tree/debian"
if [ -n "$from" ]; then
  cp -a "$from" "$tree/built"
else
  scripts/install.sh --web --homeassistant "$tree/built"
fi

# Units as people install them by hand, but for the paths.
unit() { sed -e '1{/^# System unit:/d}' -e 's#^ExecStart=\(/usr/local\|%h/.local\)/bin/#ExecStart=/usr/bin/#' "examples/systemd/$1.service"; }
for unit in kith-web kith-homeassistant; do unit $unit >"$tree/debian/$unit.service"; done
unit kithd | sed 's#^ExecStart=.*#& --config /etc/kith/kithd.toml#' >"$tree/debian/kith.kithd.service"
mkdir "$tree/units"
for unit in kithd-user kithd-worker kithd-worker-user; do unit $unit >"$tree/units/$unit.service"; done
echo 'units/*.service' >"$tree/debian/kith.examples"
for package in kith kith-web kith-homeassistant; do
  sed "s/PACKAGE/$package/g" packaging/debian/postrm.in >"$tree/debian/$package.postrm"
done
for package in kith-web kith-homeassistant; do
  sed "s/PACKAGE/$package/g" packaging/debian/prerm.in >"$tree/debian/$package.prerm"
done
cp -r THIRD-PARTY.md licenses docs "$tree"
# By its own name, debhelper would take it for the changelog of the packages.
cp CHANGELOG.md "$tree/docs/release-notes.md"
for package in kith kith-report kith-pocketsphinx kith-web kith-homeassistant; do
  printf 'THIRD-PARTY.md\nlicenses\n' >"$tree/debian/$package.docs"
done
echo 'docs/*.md' >>"$tree/debian/kith.docs"

version=$("$tree/built/bin/kith" --version | cut -d' ' -f2)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
cat >"$tree/debian/changelog" <<END
kith ($version) unstable; urgency=medium

  * /usr/share/doc/kith/release-notes.md.gz says what changed.

 -- $maintainer  $(LC_ALL=C date -uR -d "@$SOURCE_DATE_EPOCH")
END

(cd "$tree" && dpkg-buildpackage --build=binary --no-sign --no-pre-clean >../build.log 2>&1) ||
  { cat .build/package/build.log >&2; exit 1; }
mkdir -p .build/packages
rm -f .build/packages/*.deb
mv .build/package/*.deb .build/packages/
lintian --allow-root --fail-on error,warning .build/packages/*.deb
(cd .build/packages && du --bytes ./*.deb) >&2
