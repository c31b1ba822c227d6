#!/usr/bin/env bash
# Tests docs/alerts.yml by promtool, and parses every query of the dashboards.
set -euo pipefail
cd "$(dirname "$0")/../.."
promtool=$(tests/setup/promtool.sh)
"$promtool" test rules tests/alarms/alerts.test.yml
queries=$(mktemp /tmp/garimpo-queries.XXXXXX)
trap 'rm -f "$queries"' EXIT
node -e '
  const fs = require("fs")
  const queries = process.argv.slice(1).flatMap((file) => JSON.parse(fs.readFileSync(file, "utf8")).panels)
    .flatMap((panel) => panel.targets ?? []).map((target) => target.expr)
  const rules = queries.map((expr, at) => ({ record: `query:${at}`, expr }))
  console.log(JSON.stringify({ groups: [{ name: "queries", rules }] }))' docs/grafana/*.json >"$queries"
"$promtool" check rules "$queries"
