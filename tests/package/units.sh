#!/usr/bin/env bash
# Checks the units of packaging/systemd: systemd must read them without a warning and rate their
# exposure at 2.0 or less.
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/setup/systemd.sh
units=$(mktemp -d /tmp/garimpo-units.XXXXXX)
trap 'rm -rf "$units"' EXIT
cp packaging/systemd/* "$units"
# The program may not be installed here.
sed -i 's#^ExecStart=/usr/bin/garimpo#ExecStart=/bin/true#' "$units"/*.service
# An unknown name is only a warning, so every line counts.
complaints=$(SYSTEMD_LOG_LEVEL=warning systemd-analyze verify --man=no "$units"/* 2>&1) && [ -z "$complaints" ] ||
  { echo "$complaints"; exit 1; }
for unit in packaging/systemd/*.service; do
  report=$(systemd-analyze security --offline=true --no-pager --threshold=20 "$unit") || { echo "$report"; exit 1; }
  tail -n 1 <<<"$report"
done
