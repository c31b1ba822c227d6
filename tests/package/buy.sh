#!/usr/bin/env bash
# A buyer on https://garimpo.example: signs up over gRPC-Web, opens a checkout, pays by card at the provider, and gets access.
set -euo pipefail
site=https://garimpo.example provider=http://127.0.0.1:12112 jar=$(mktemp)
call() { curl -sS --fail-with-body --cookie "$jar" --cookie-jar "$jar" --header "origin: $site" "$@"; }

field() { # number, text: a string of a protobuf message
  printf "\\x$(printf %02x $(($1 * 8 + 2)))\\x$(printf %02x ${#2})%s" "$2"
}
message=$(mktemp)
{ field 1 ana@exemplo.com.br; field 2 segredo1; field 3 Ana; field 4 11987654321; } >"$message"
length=$(stat -c %s "$message")
{ printf "\\x00\\x00\\x00\\x00\\x$(printf %02x "$length")"; cat "$message"; } |
  call --header 'content-type: application/grpc-web+proto' --data-binary @- --output /dev/null \
    "$site/garimpo.auth.v1.AuthService/SignUp"
value() { sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p"; }
uid=$(call "$site/api/auth/check-cookie" | value uid)
[ -n "$uid" ] || { echo "no session" >&2; exit 1; }
session=$(call --json '{"email":"ana@exemplo.com.br","planName":"Elite Nível 2","interval":"semestral"}' \
  "$site/create-embedded-checkout-session" | value clientSecret)
[ -n "$session" ] || { echo "no checkout" >&2; exit 1; }
curl -sS --fail-with-body --output /dev/null --json '{"card":"4242424242424242"}' "$provider/_test/checkout/${session%%_secret_*}"
for _ in $(seq 100); do
  ! call "$site/api/users/$uid" | grep -q '"subscription_active":true' || exit 0
  sleep 0.2
done
echo "paid, and no access after 20 s" >&2
exit 1
