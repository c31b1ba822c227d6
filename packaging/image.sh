#!/usr/bin/env bash
# Builds the image localhost/garimpo: one static program, without a network once cargo has its crates.
set -euo pipefail
cd "$(dirname "$0")/.."
tests/setup/containers.sh
# The flag is for the last step alone, so that `make deb` shares everything else.
packaging/cargo.sh rustc -p garimpo --bin garimpo --profile dist -- -C target-feature=+crt-static
program=${CARGO_TARGET_DIR:-target}/dist/garimpo
if readelf --program-headers --wide "$program" | grep -q INTERP; then
  echo "$program needs a dynamic loader, which the image does not have." >&2
  exit 1
fi
packaging/third-party.sh "$program"
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
version=$("$program" --version)
# The commit's time, so that two images of one program are equal.
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
install -m 0755 "$program" "$context/garimpo"
mkdir "$context/data"
# The authorities of the providers' certificates.
install -D -m 0644 /etc/ssl/certs/ca-certificates.crt "$context/rootfs/etc/ssl/certs/ca-certificates.crt"
install -D -m 0644 -t "$context/rootfs/usr/share/doc/garimpo" LICENSE target/package/third-party/*
# Docker's format, because OCI's has no health check.
buildah bud --quiet --isolation chroot --format docker --timestamp "$epoch" \
  --label org.opencontainers.image.title=garimpo --label "org.opencontainers.image.version=${version#garimpo }" \
  --label org.opencontainers.image.licenses=MIT \
  --tag localhost/garimpo --file packaging/image/Containerfile "$context"
