#!/usr/bin/env bash
# Builds target/debian/garimpo_*.deb: the program of the dist profile with its site, units, manual pages and completions.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --profile dist -p garimpo
program=${CARGO_TARGET_DIR:-target}/dist/garimpo
generated=target/package
rm -rf "$generated"
mkdir -p "$generated"
"$program" manual "$generated/man"
"$program" completions bash >"$generated/garimpo.bash"
"$program" completions zsh >"$generated/_garimpo"
"$program" completions fish >"$generated/garimpo.fish"
"$(tests/setup/cargo-deb.sh)" --package garimpo --profile dist --no-build --quiet --output target/debian/
