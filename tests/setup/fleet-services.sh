#!/usr/bin/env bash
# Makes the image localhost/garimpo-fleet-services once: Debian's PostgreSQL and nginx, for the test of the compose file.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/setup/containers.sh
podman image exists localhost/garimpo-fleet-services && exit
tests/setup/mmdebstrap.sh
mmdebstrap --quiet --variant=minbase --include=postgresql,nginx-light bookworm - |
  podman import --quiet - localhost/garimpo-fleet-services >/dev/null
