#!/usr/bin/env bash
# Makes the image localhost/garimpo-debian once: a fresh Debian with systemd, as a server has it after its installation.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/setup/containers.sh
podman image exists localhost/garimpo-debian && exit
if ! command -v mmdebstrap >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends mmdebstrap >&2
fi
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is needed to test the package: install it and try again." >&2; exit 1; }
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus,ca-certificates,curl bookworm - |
  podman import --quiet - localhost/garimpo-debian >/dev/null
