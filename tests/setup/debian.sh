#!/usr/bin/env bash
# Makes the image localhost/garimpo-debian once: a fresh Debian with systemd, like a newly installed server.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/setup/containers.sh
podman image exists localhost/garimpo-debian && exit
tests/setup/mmdebstrap.sh
mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,dbus,ca-certificates,curl bookworm - |
  podman import --quiet - localhost/garimpo-debian >/dev/null
