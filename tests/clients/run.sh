#!/usr/bin/env bash
# Calls the running binary by buf curl, a third-party client, with reflection only.
set -euo pipefail
cd "$(dirname "$0")/../.."
buf=$PWD/tests/node_modules/.bin/buf
data=$(mktemp -d /tmp/garimpo-clients.XXXXXX)
env -i GARIMPO_DATA_DIR="$data" GARIMPO_LISTEN=127.0.0.1:0 GARIMPO_GRPC_LISTEN=127.0.0.1:0 GARIMPO_SANDBOX_LISTEN=127.0.0.1:0 \
  GARIMPO_METRICS_LISTEN=127.0.0.1:0 "${CARGO_TARGET_DIR:-target}/debug/garimpo" serve >"$data/log" 2>&1 &
pid=$!
trap 'kill -9 $pid 2>/dev/null; rm -rf "$data"' EXIT
address() { node -pe "JSON.parse(require('fs').readFileSync('$data/addresses.json'))['$1']"; }
ready() { [ -e "$data/addresses.json" ] && node -e "fetch('$(address metrics)/readyz').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"; }
for _ in $(seq 200); do ready 2>/dev/null && break; kill -0 $pid 2>/dev/null || { cat "$data/log"; exit 1; }; sleep 0.1; done
public=$(address public) internal=$(address grpc)
passed=0

# Decodes the details of an error, which buf curl prints as base64.
details() { node -e 'const text = require("fs").readFileSync(0, "utf8"); console.log(text, ...[...text.matchAll(/"value": *"([^"]+)"/g)].map((m) => Buffer.from(m[1], "base64").toString("latin1")))'; }

expect() { # what, pattern, command…
  local what=$1 pattern=$2 answer
  shift 2
  answer=$("$@" 2>&1) || true
  answer=$(details <<<"$answer")
  grep -qE -- "$pattern" <<<"$answer" || { echo "FAILED: $what: expected /$pattern/, got:"; echo "$answer"; exit 1; }
  passed=$((passed + 1))
}
grpc() { "$buf" curl --protocol grpc --http2-prior-knowledge "$@"; }
web() { "$buf" curl --protocol grpcweb --schema proto "$@"; }

person='{"email":"bia@exemplo.com.br","password":"segredo1","display_name":"Bia Lima"}'
expect "reflection lists the public services" garimpo.billing.v1.BillingService grpc --list-methods "$public"
listed=$(grpc --list-methods "$public")
! grep -qE 'EntitlementService|WebhookService' <<<"$listed" || { echo "FAILED: internal services show on the public port"; exit 1; }
expect "reflection lists the internal services on the internal port" EntitlementService grpc --list-methods "$internal"
expect "health on the public port" '"status": *"SERVING"' grpc -d '{}' "$public/grpc.health.v1.Health/Check"
expect "health on the internal port" '"status": *"SERVING"' grpc -d '{}' "$internal/grpc.health.v1.Health/Check"
expect "sign-up over gRPC" '"idToken": *"gi_' grpc -d "$person" "$public/garimpo.auth.v1.AuthService/SignUp"
expect "the email is taken, with its reason" EMAIL_IN_USE grpc -d "${person/segredo1/outra-senha}" "$public/garimpo.auth.v1.AuthService/SignUp"
expect "sign-in over gRPC-Web" '"email": *"bia@exemplo.com.br"' web -d '{"email":"bia@exemplo.com.br","password":"segredo1"}' "$public/garimpo.auth.v1.AuthService/SignIn"
expect "a wrong password over the internal port" INVALID_CREDENTIAL grpc -d '{"email":"bia@exemplo.com.br","password":"errada1"}' "$internal/garimpo.auth.v1.AuthService/SignIn"
expect "the catalogue over gRPC-Web" '"priceCentavos": *"9790"' web -d '{}' "$public/garimpo.billing.v1.BillingService/ListPlans"
token=$(grpc -d '{"email":"bia@exemplo.com.br","password":"segredo1"}' "$public/garimpo.auth.v1.AuthService/SignIn" | node -pe 'JSON.parse(require("fs").readFileSync(0)).idToken')
expect "the ID token authenticates on the internal port" '"authenticated": *true' grpc -H "authorization: Bearer $token" -d '{}' "$internal/garimpo.auth.v1.AuthService/GetSession"
expect "an account without invoices has an empty list" "^\{\}" grpc -H "authorization: Bearer $token" -d '{}' "$public/garimpo.billing.v1.BillingService/ListInvoices"
echo "$passed passed, 0 failed"
