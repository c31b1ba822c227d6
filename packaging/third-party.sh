#!/usr/bin/env bash
# third-party.sh PROGRAM: writes to target/package/third-party what a package carries about other people's software.
# THIRD-PARTY.md has the licences of the crates (the site has its own in third-party.txt), and crates.cdx.json and
# site.cdx.json list the crates of the program and the packages of the site (CycloneDX).
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/.."
target=$PWD/target/package/third-party
rm -rf "$target"
mkdir -p "$target"
node packaging/crates.mjs "$program" "$target"
# Without the time and the random number of this run, so that two builds of one commit write the same.
npm sbom --prefix web --package-lock-only --omit dev --sbom-format cyclonedx | node -e '
  const list = JSON.parse(require("fs").readFileSync(0))
  delete list.serialNumber
  delete list.metadata.timestamp
  console.log(JSON.stringify(list, null, 1))' >"$target/site.cdx.json"
