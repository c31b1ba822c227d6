#!/usr/bin/env bash
# Prints the path of cargo-deb, building the pinned version into target/tools at first.
set -euo pipefail
version=3.8.0
root=$(cd "$(dirname "$0")/../.." && pwd)/target/tools/cargo-deb-$version
binary=$root/bin/cargo-deb
if [ ! -x "$binary" ]; then
  # A debug build, because it compiles faster and packs one program.
  cargo install cargo-deb --version "$version" --locked --debug --quiet --root "$root" >&2 ||
    { echo "cargo-deb is needed for the package: let cargo reach crates.io." >&2; exit 1; }
fi
echo "$binary"
