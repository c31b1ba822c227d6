#!/usr/bin/env bash
# Prints the path of cargo-mutants, building the pinned version into tests/.cache at first.
set -euo pipefail
version=27.1.0
root=$(cd "$(dirname "$0")/.." && pwd)/.cache/cargo-mutants-$version
binary=$root/bin/cargo-mutants
if [ ! -x "$binary" ]; then
  # A debug build, because it compiles faster and cargo-mutants spends its time in cargo.
  cargo install cargo-mutants --version "$version" --locked --debug --quiet --root "$root" >&2 ||
    { echo "cargo-mutants is needed for the mutation tests: let cargo reach crates.io." >&2; exit 1; }
fi
echo "$binary"
