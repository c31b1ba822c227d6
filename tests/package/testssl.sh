#!/usr/bin/env bash
# Rates the https of the public port by testssl: protocols, cipher suites, headers, known
# vulnerabilities. A finding of the severity MEDIUM or above fails. The authority of the test's
# certificate is our own, and its name is not public.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/containers.sh
testssl=$(tests/setup/testssl.sh)
program=${1:-${CARGO_TARGET_DIR:-target}/dist/garimpo}
work=$(mktemp -d /tmp/garimpo-testssl.XXXXXX)
on_exit "rm -rf $work"

cd "$work"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 90 -subj "/CN=authority" -keyout ca.key -out ca.pem 2>/dev/null
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -keyout site.key -out site.csr 2>/dev/null
openssl x509 -req -in site.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 90 -out own.pem 2>/dev/null \
  -extfile <(printf 'subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:FALSE\n')
cat own.pem ca.pem >site.pem
cd - >/dev/null

env -i GARIMPO_DATA_DIR="$work/data" GARIMPO_LISTEN=127.0.0.1:0 GARIMPO_GRPC_LISTEN=127.0.0.1:0 GARIMPO_METRICS_LISTEN=127.0.0.1:0 \
  GARIMPO_SANDBOX_LISTEN=127.0.0.1:0 GARIMPO_TLS_CERT="$work/site.pem" GARIMPO_TLS_KEY="$work/site.key" "$program" serve 2>"$work/log" &
product=$!
on_exit "kill $product"
within 20 "the product does not start" test -e "$work/data/addresses.json"
address=$(sed -n 's#.*"public": "https://127.0.0.1:\([0-9]*\)".*#localhost:\1#p' "$work/data/addresses.json")
# Its exit code counts findings; the report has them.
"$testssl" --quiet --color 0 --warnings off --ip 127.0.0.1 --add-ca "$work/ca.pem" --severity LOW \
  --jsonfile "$work/report.json" "$address" >"$work/out" 2>&1 || true
[ -s "$work/report.json" ] || { tail -n 30 "$work/out"; fail "testssl made no report"; }
grep -E '^ *(SSLv|TLS 1|ALPN|Strict Transport|Has server cipher|Forward|Heartbleed|ROBOT|BREACH|LUCKY13|SWEET32)' "$work/out" || true
echo "findings (severity, id, finding):"
node - "$work/report.json" <<'JS'
const report = JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8'))
const found = report.filter(({ severity }) => ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL', 'WARN'].includes(severity))
// Our own authority has no revocation. All cipher suites are strong, so the client chooses,
// which knows its processor.
const ours = ['cert_revocation', 'cipher_order']
for (const { severity, id, finding } of found) console.log(` ${severity} ${id} ${finding}`)
const bad = found.filter(({ severity, id }) => !['LOW', 'WARN'].includes(severity) && !ours.includes(id))
if (bad.length > 0) throw new Error(`${bad.length} findings count`)
JS
echo "testssl finds nothing of the severity MEDIUM or above"
