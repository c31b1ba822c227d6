#!/usr/bin/env bash
# Prints the path of a tool of crates.io, building that version into target/tools at first.
# cargo-tool.sh NAME VERSION "what it is needed for" [options of cargo install…]
set -euo pipefail
name=$1 version=$2 purpose=$3
shift 3
root=$(cd "$(dirname "$0")/../.." && pwd)/target/tools/$name-$version
binary=$root/bin/$name
if [ ! -x "$binary" ]; then
  # A debug build without debug information, because it compiles faster than the tool then runs.
  CARGO_PROFILE_DEV_DEBUG=false cargo install "$name" --version "$version" --locked --debug --quiet --root "$root" "$@" >&2 && [ -x "$binary" ] ||
    { echo "$name is needed $purpose: let cargo reach crates.io." >&2; exit 1; }
fi
echo "$binary"
