#!/usr/bin/env bash
# Builds target/debian/garimpo_*.deb: the program of the dist profile with its site, units, manual pages and completions.
set -euo pipefail
cd "$(dirname "$0")/.."
packaging/cargo.sh build --profile dist -p garimpo
program=${CARGO_TARGET_DIR:-target}/dist/garimpo
packaging/third-party.sh "$program"
generated=target/package
rm -rf "$generated/man"
mkdir -p "$generated"
"$program" manual "$generated/man"
"$program" completions bash >"$generated/garimpo.bash"
"$program" completions zsh >"$generated/_garimpo"
"$program" completions fish >"$generated/garimpo.fish"
# The commit's time for every file, so that two packages of one commit are equal. The build does not see it: C code would be
# compiled anew after every commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} "$(tests/setup/cargo-deb.sh)" --package garimpo --profile dist --no-build --quiet --output target/debian/
