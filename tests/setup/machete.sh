#!/usr/bin/env bash
# Prints the path of cargo-machete, building the pinned version into target/tools at first.
set -euo pipefail
version=0.9.1
root=$(cd "$(dirname "$0")/../.." && pwd)/target/tools/cargo-machete-$version
binary=$root/bin/cargo-machete
if [ ! -x "$binary" ]; then
  # A debug build, because it compiles faster and reads this tree in a second.
  cargo install cargo-machete --version "$version" --locked --debug --quiet --root "$root" >&2 ||
    { echo "cargo-machete is needed to lint: let cargo reach crates.io." >&2; exit 1; }
fi
echo "$binary"
