#!/usr/bin/env bash
# Checks the crates and the npm packages for known vulnerabilities. If the data cannot be fetched,
# the script succeeds, and its last lines list the packages that were not checked.
set -euo pipefail
cd "$(dirname "$0")/../.."
deny=$(tests/setup/cargo-deny.sh)
tests/setup/node.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0 unchecked=()

"$deny" check sources || failed=1
if "$deny" fetch db >"$log" 2>&1; then
  "$deny" check advisories || failed=1
  echo "advisories of $(git -C "$(ls -td "${CARGO_HOME:-$HOME/.cargo}"/advisory-dbs/*/ | head -n 1)" log -1 --format=%cs)"
else
  unchecked+=("crates, because the advisories of RustSec could not be fetched: $(grep -i -m 1 -E 'error|fatal' "$log" || true)")
fi

# The packages in the site, then those that build and test it.
for arguments in "--prefix web --omit dev" "--prefix web" "--prefix tests" "--prefix tests/lighthouse"; do
  # shellcheck disable=SC2086
  if npm audit $arguments --json >"$log" 2>/dev/null; then
    echo "npm audit $arguments: no vulnerability"
  elif node -e 'process.exit(JSON.parse(require("fs").readFileSync(process.argv[1])).vulnerabilities ? 0 : 1)' "$log" 2>/dev/null; then
    npm audit $arguments || true
    failed=1
  else
    unchecked+=("npm $arguments, because the registry gave no advisories: $(grep -m 1 '"message"' "$log" || true)")
  fi
done
for what in "${unchecked[@]}"; do echo "NOT CHECKED: $what"; done
exit $failed
