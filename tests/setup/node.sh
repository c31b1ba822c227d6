#!/usr/bin/env bash
# Prints an error when Node.js is missing or too old. It installs nothing.
set -euo pipefail
command -v node >/dev/null || { echo "Node.js 20.19 or newer is needed and was not found: install it and try again." >&2; exit 1; }
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  { echo "Node.js 20.19 or newer is needed, found $(node --version)." >&2; exit 1; }
