#!/usr/bin/env bash
# Installs the distribution's buildah, podman and runc when they are missing: the first builds the image of packaging/image,
# the others run it.
set -euo pipefail
found() { command -v buildah && command -v podman && command -v runc; }
found >/dev/null && exit
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends buildah podman runc ca-certificates; } >&2
fi
found >/dev/null || { echo "buildah, podman and runc are needed for the image: install your distribution's packages and try again." >&2; exit 1; }
