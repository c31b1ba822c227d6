#!/usr/bin/env bash
# Installs the distribution's buildah, podman, runc and aardvark-dns when they are missing: the
# first builds the image of packaging/image, the others run it, and the last lets containers of one
# network find each other by name. The tests make certificates by openssl and call the product by
# curl.
set -euo pipefail
PATH=$PATH:/usr/sbin
found() { command -v buildah && command -v podman && command -v runc && command -v iptables && command -v openssl && command -v curl && [ -x /usr/lib/podman/aardvark-dns ]; }
found >/dev/null && exit
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends buildah podman runc netavark aardvark-dns iptables ca-certificates openssl curl; } >&2
fi
found >/dev/null || { echo "buildah, podman, runc, aardvark-dns, iptables, openssl and curl are needed for the image: install your distribution's packages and try again." >&2; exit 1; }
