#!/usr/bin/env bash
# The package target/debian/garimpo_*.deb on a fresh Debian under systemd: install, start, restart, wrong settings,
# removal.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/containers.sh
tests/setup/debian.sh
package=${1:-$(ls -t target/debian/garimpo_*.deb | head -n 1)}

name=garimpo-debian-$$
on_exit "podman rm --force $name"
# systemd passes credentials to services by a mount that must reach them.
run --detach --name "$name" --systemd always --privileged localhost/garimpo-debian \
  sh -c 'mount --make-rshared / && exec /sbin/init' >/dev/null
debian() { inside "$name" "$@"; }
shell() { debian sh -c "$1"; }
within 30 "systemd has not started" debian systemctl is-system-running
installed=$SECONDS

podman cp "$package" "$name:/root/garimpo.deb"
shell 'DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends /root/garimpo.deb' >/dev/null 2>&1 ||
  fail "the package cannot be installed"
equal "$(shell 'systemctl is-enabled garimpo.service || true')" disabled "installing starts nothing"
equal "$(shell 'stat -c %a,%U /etc/garimpo/settings /etc/garimpo/secrets | tr "\n" " "')" "640,root 700,root " "the modes"
debian systemctl enable --quiet --now garimpo.socket garimpo.service || { debian journalctl -u garimpo; fail "it does not start"; }
shell 'curl -sf http://127.0.0.1:8080/planos' | grep -c '<title>' >/dev/null || fail "the site does not respond"
debian garimpo health --ready || fail "garimpo health"
equal "$(shell 'stat -c %a,%U /var/backups/garimpo')" 700,garimpo "the folder of backups"
shell 'garimpo-admin doctor | grep -q "the newest backup is missing"' || fail "a missing backup is no finding"
debian systemctl enable --quiet --now garimpo-backup.timer
debian systemctl start garimpo-backup.service || { debian journalctl -u garimpo-backup; fail "no backup"; }
shell 'test -s /var/backups/garimpo/*/garimpo.db' || fail "the backup is not in its folder"
debian garimpo-admin doctor || fail "garimpo-admin doctor"
equal "$(shell 'stat -c %a,%U /var/lib/garimpo')" 700,garimpo "the data folder"
echo "installed and serving after $((SECONDS - installed)) s"

# A restart refuses no connection.
shell 'cd /tmp; while [ ! -e stop ]; do curl -s -o /dev/null -w "%{http_code}\n" http://127.0.0.1:8080/api/auth/check-cookie; done >codes' &
debian systemctl restart garimpo
debian systemctl restart garimpo
shell 'touch /tmp/stop'
wait $!
equal "$(shell 'sort -u /tmp/codes')" 200 "the responses during two restarts"

# Wrong settings are named in the journal, and the next start applies them.
shell 'echo GARIMPO_PAYMENTS=stripe >>/etc/garimpo/settings'
equal "$(shell 'garimpo-admin --config 2>&1 | grep -c GARIMPO_STRIPE_SECRET_KEY')" 1 "the missing secret"
shell 'cat >>/etc/garimpo/settings' <<'SETTINGS'
GARIMPO_STRIPE_PUBLISHABLE_KEY=pk_test_1
GARIMPO_STRIPE_URL=http://127.0.0.1:9
SETTINGS
shell 'cd /etc/garimpo/secrets && echo sk_test_1 >STRIPE_SECRET_KEY && echo whsec_1 >STRIPE_WEBHOOK_SECRET'
equal "$(shell "garimpo-admin --config | grep -c 'GARIMPO_STRIPE_.*SECRET.*=\*\*\*'")" 2 "the secrets from files"
shell 'sed -i /GARIMPO_/d /etc/garimpo/settings; rm /etc/garimpo/secrets/*'

# Removing the package keeps the data.
shell 'DEBIAN_FRONTEND=noninteractive apt-get purge -yq garimpo' >/dev/null 2>&1 || fail "the package cannot be removed"
shell 'test -e /var/lib/garimpo/garimpo.db && test ! -e /etc/garimpo && test ! -e /usr/bin/garimpo' || fail "what the removal left"
echo "the package installs, restarts, refuses and leaves as documented"
