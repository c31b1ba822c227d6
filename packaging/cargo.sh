#!/usr/bin/env bash
# Runs cargo for a program that is shipped: `packaging/cargo.sh build -p garimpo`. The program lists its crates
# (cargo-auditable) and names no folder of the machine that built it, so that every machine builds the same bytes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
auditable=$("$root/tests/setup/cargo-auditable.sh")
# The folders of the crates exist once they are fetched.
cargo fetch --locked --quiet --manifest-path "$root/Cargo.toml"
# The addresses that a program adapts at its start are a long list, which is packed here. It takes glibc 2.36 or newer to read.
flags=(-Clink-arg=-Wl,-z,pack-relative-relocs)
# Of several prefixes that match, the last counts.
flags+=("--remap-path-prefix=$root=garimpo" "--remap-path-prefix=$(realpath -m "${CARGO_TARGET_DIR:-$root/target}")=target")
for sources in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/; do flags+=("--remap-path-prefix=${sources%/}=crates"); done
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}")
export CARGO_ENCODED_RUSTFLAGS
exec "$auditable" auditable "$@"
