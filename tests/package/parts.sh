#!/usr/bin/env bash
# Checks the lists of parts that `make deb image` wrote: every crate of the program has its licence, every package of the
# site is listed, and the program names the commit and no folder of this machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/containers.sh
parts=target/package/third-party
deb=$(ls -t target/debian/garimpo_*.deb | head -n 1)
program=$(mktemp)
on_exit "rm -f $program"
dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/bin/garimpo >"$program"
chmod +x "$program"

crates=$(node -p "
  const { components } = JSON.parse(require('fs').readFileSync('$parts/crates.cdx.json'))
  components.filter((part) => part.scope === 'required').map((part) => part.name + ' ' + part.version).join('\n')")
without=$(grep -vxF -f <(sed -n 's/^- //p' $parts/THIRD-PARTY.md) <<<"$crates" || true)
[ -z "$without" ] || fail "crates of the program without a licence in THIRD-PARTY.md: $without"
packages=$(node -p "require('zlib').brotliDecompressSync(require('fs').readFileSync('web/dist/third-party.txt.br')).toString()" |
  sed -nE 's/^([@a-z][^ ]*) ([0-9][^ ]*) \(.*\)$/\1@\2/p')
listed=$(node -p "
  const { components } = JSON.parse(require('fs').readFileSync('$parts/site.cdx.json'))
  components.map((part) => part['bom-ref']).join('\n')")
without=$(grep -vxF -f <(echo "$listed") <<<"$packages" || true)
[ -z "$without" ] || fail "packages of the site that site.cdx.json lacks: $without"

commit=$(git rev-parse --short=10 HEAD)
version=$("$program" --version)
grep -q "$commit" <<<"$version" || fail "the package's program is '$version', not of commit $commit"
equal "$(run --rm --read-only localhost/garimpo --version)" "$version" "the version of the image's program"
for folder in "$PWD" "${CARGO_HOME:-$HOME/.cargo}"; do
  ! grep -qaF "$folder" "$program" || fail "the program names $folder"
done
contents=$(dpkg-deb --contents "$deb")
for file in copyright THIRD-PARTY.md crates.cdx.json site.cdx.json; do
  grep -q "usr/share/doc/garimpo/$file" <<<"$contents" || fail "the package has no $file"
done
for line in "License: MIT" "Permission is hereby granted"; do
  dpkg-deb --fsys-tarfile "$deb" | tar -xO ./usr/share/doc/garimpo/copyright | grep "$line" >/dev/null ||
    fail "the package's copyright lacks '$line'"
done
echo "$version has $(wc -l <<<"$crates") crates and $(wc -l <<<"$packages") packages of npm, all with licences"
