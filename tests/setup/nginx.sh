#!/usr/bin/env bash
# Prints the path of nginx, and installs the distribution's package if there is none. openssl
# creates the test's certificate.
set -euo pipefail
found() { PATH=$PATH:/usr/sbin command -v nginx && command -v openssl >/dev/null; }
if ! found >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends nginx openssl; } >&2
  fi
  found >/dev/null || { echo "nginx and openssl are needed for the tests of the fleet: install your distribution's packages and try again." >&2; exit 1; }
fi
found
