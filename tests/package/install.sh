#!/usr/bin/env bash
# Runs the section Install of docs/operation.md on a fresh Debian, line by line as it is written: from the package to the first
# sale over https. Then it restores the backup by each of the marked blocks. It prints the seconds of each step.
#
# The script does what a person does: the editor writes prepared files, and a buyer buys with curl. Pebble is the certificate
# authority, and the sandbox is the payment provider.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/containers.sh
tests/setup/debian.sh
package=${1:-$(ls -t target/debian/garimpo_*.deb | head -n 1)}
pebble=$(tests/setup/pebble.sh | head -n 1)
work=$(mktemp -d /tmp/garimpo-first-day.XXXXXX)
on_exit "rm -rf $work"

# The steps of the document: a line `N<tab>command` for each line of its blocks.
awk '/^## Install$/ { on = 1; next } /^##/ { on = 0 }
  on && /^[0-9]+\. / { step = $1 + 0 }
  on && /^ *```/ { inside = !inside; next }
  on && inside { sub(/^ +/, ""); print step "\t" $0 }' docs/operation.md >"$work/steps"
equal "$(cut -f 1 "$work/steps" | sort -u | tr '\n' ' ')" "1 2 3 4 5 " "the steps of the document"

name=garimpo-first-day-$$
on_exit "podman rm --force $name"
# systemd passes credentials to services by a mount that must reach them. The site's name leads to the machine itself.
run --detach --name "$name" --systemd always --privileged --add-host garimpo.example:127.0.0.1 localhost/garimpo-debian \
  sh -c 'mount --make-rshared / && exec /sbin/init' >/dev/null
shell() { inside "$name" bash -c "$1"; }
within 30 "systemd has not started" inside "$name" systemctl is-system-running

# The services outside the machine. Pebble's own https has a certificate of another authority.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE \
  -keyout "$work/pebble.key" -out "$work/pebble.pem" 2>/dev/null
cat >"$work/pebble.json" <<'JSON'
{"pebble": {"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000", "certificate": "/opt/pebble.pem",
  "privateKey": "/opt/pebble.key", "httpPort": 80, "tlsPort": 443, "ocspResponderURL": "", "externalAccountBindingRequired": false}}
JSON
cat >"$work/editor" <<'SH'
#!/bin/sh
# Replaces a person's editor: writes the prepared file of the same name.
exec cp "/opt/typed/$(basename "$1")" "$1"
SH
mkdir "$work/typed"
sed -E 's/^#(GARIMPO_[A-Z_]+=)/\1/' packaging/debian/settings |
  sed 's/^GARIMPO_STRIPE_PUBLISHABLE_KEY=.*/GARIMPO_STRIPE_PUBLISHABLE_KEY=pk_test_garimpo/' >"$work/typed/settings"
# Settings of a trial installation: the addresses of the authority and of the provider.
cat >>"$work/typed/settings" <<'SETTINGS'
GARIMPO_ACME_URL=https://localhost:14000/dir
GARIMPO_ACME_CA=/opt/pebble.pem
GARIMPO_STRIPE_URL=http://127.0.0.1:12112
GARIMPO_STRIPE_SCRIPT_URL=http://127.0.0.1:12112/v3/
GARIMPO_ALLOW_SANDBOX=1
SETTINGS
echo sk_test_garimpo >"$work/typed/STRIPE_SECRET_KEY"
echo whsec_garimpo >"$work/typed/STRIPE_WEBHOOK_SECRET"
echo smtp://127.0.0.1:2525 >"$work/typed/SMTP_URL"
podman cp "$pebble" "$name:/opt/pebble"
for file in pebble.json pebble.pem pebble.key typed; do podman cp "$work/$file" "$name:/opt/$file"; done
podman cp "$work/editor" "$name:/usr/local/bin/editor"
podman cp tests/package/buy.sh "$name:/opt/buy.sh"
podman cp "$package" "$name:/root/"
shell 'chmod 755 /opt/pebble /usr/local/bin/editor && chmod 644 /opt/pebble.pem
  systemd-run --quiet --unit=pebble --setenv=PEBBLE_VA_NOSLEEP=1 /opt/pebble -config /opt/pebble.json'

provider() { # starts the payment provider, which is the same program
  shell 'systemd-run --quiet --unit=provider --property=DynamicUser=yes --property=StateDirectory=provider \
    --setenv=GARIMPO_DATA_DIR=/var/lib/provider --setenv=GARIMPO_METRICS_LISTEN=127.0.0.1:9466 \
    --setenv=GARIMPO_SANDBOX_LISTEN=127.0.0.1:12112 --setenv=GARIMPO_SANDBOX_URL=http://127.0.0.1:12112 \
    --setenv=GARIMPO_SANDBOX_WEBHOOK=https://garimpo.example/webhooks/stripe garimpo sandbox'
}

run_step() { # step: runs its lines with a person's key
  local line lines began=$SECONDS
  mapfile -t lines < <(awk -F '\t' -v step="$1" '$1 == step { print $2 }' "$work/steps")
  for line in "${lines[@]}"; do
    echo "  $line"
    line=${line/rk_test_…/sk_test_garimpo}
    # Answers apt's question with yes.
    line=${line/#apt install /DEBIAN_FRONTEND=noninteractive apt-get install -yq }
    shell "cd /root && export GARIMPO_STRIPE_URL=${2:-} && [ -n \"\$GARIMPO_STRIPE_URL\" ] || unset GARIMPO_STRIPE_URL; $line" \
      >"$work/out" 2>&1 || { cat "$work/out"; shell 'journalctl --no-pager -n 40' || true; fail "step $1 fails: $line"; }
  done
  echo "step $1: $((SECONDS - began)) s"
}

began=$SECONDS
run_step 1
provider
# Installs the test authority's root, as browsers and the provider have the roots of public authorities.
within 20 "Pebble does not respond" shell 'curl -sf --cacert /opt/pebble.pem https://localhost:15000/roots/0 \
  >/usr/local/share/ca-certificates/pebble.crt'
shell 'update-ca-certificates >/dev/null 2>&1 && systemctl restart provider'
run_step 2 http://127.0.0.1:12112
run_step 3
run_step 4
sale=$SECONDS
shell 'bash /opt/buy.sh' || { shell 'journalctl --no-pager -n 40'; fail "the first sale"; }
echo "the first sale: $((SECONDS - sale)) s"
run_step 5
leads_to_https() {
  [ "$(shell 'curl -s -m 1 -o /dev/null -w "%{http_code} %{redirect_url}" http://garimpo.example/planos')" = \
    "301 https://garimpo.example/planos" ]
}
leads_to_https || fail "the port for http"
equal "$(shell 'curl -s -o /dev/null -w "%{http_version} %{ssl_verify_result}" https://garimpo.example/')" "2 0" "the protocol"
equal "$(shell 'stat -c %a,%U /var/lib/garimpo/acme/certificate.json')" 600,garimpo "the certificate's file"
# A restart keeps the certificate, and refuses no connection.
shell 'systemctl restart garimpo && curl -sf -o /dev/null https://garimpo.example/planos' || fail "the restart"
equal "$(shell 'journalctl --no-pager -u garimpo | grep -c "a certificate was ordered"')" 1 "the orders"
echo "from the package to the first sale over https in $((SECONDS - began)) s"

run_restore() { # mark: the lines of this block of docs/operation.md, with a visitor every second
  local line lines began=$SECONDS backup
  backup=$(shell 'ls -d /var/backups/garimpo/*Z | tail -n 1')
  mapfile -t lines < <(awk -v begin="<!-- $1:begin -->" -v end="<!-- $1:end -->" \
    '$0 == begin { on = 1; next } $0 == end { on = 0 } on && !/^```/' docs/operation.md)
  [ ${#lines[@]} -ge 4 ] || fail "docs/operation.md has no block $1"
  shell 'rm -f /tmp/leaves; while [ ! -e /tmp/leaves ]; do curl -sk -m 1 -o /dev/null https://garimpo.example/planos; sleep 1; done' &
  for line in "${lines[@]}"; do
    echo "  $line"
    shell "${line//\/var\/backups\/garimpo\/2026-11-21T100000Z/$backup}" >"$work/out" 2>&1 ||
      { cat "$work/out"; shell 'journalctl --no-pager -n 40'; fail "$1 fails: $line"; }
    # A visit happens between any two lines.
    sleep 1.5
  done
  shell 'touch /tmp/leaves'
  wait $!
  shell 'garimpo-admin subscriber ana@exemplo.com.br | grep -q "elite_nivel_2 by"' || fail "$1: the buyer is gone"
  within 20 "$1: port 80 is closed" leads_to_https
  # Port 80 and the replica come back with the service, each only if it is enabled.
  equal "$(shell 'systemctl is-active garimpo-litestream.service')" inactive "$1: a replica that is not enabled"
  echo "$1: $((SECONDS - began)) s"
}
run_restore restore
run_restore restore-by-hand
