#!/usr/bin/env bash
# Tests packaging/image/compose.yml unchanged, with the image localhost/garimpo and Debian's PostgreSQL and nginx: two processes
# start, people sign up through nginx, and the fleet continues without one process.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/containers.sh
tests/setup/fleet-services.sh
compose=$(tests/setup/python.sh tests/package/compose/requirements.txt)/bin/podman-compose
work=$(mktemp -d /tmp/garimpo-compose.XXXXXX)

# The files that an operator creates beside compose.yml.
folder=$work/packaging/image
mkdir -p "$folder" "$work/tests/package" "$folder/secrets" "$folder/certificates"
cp packaging/image/compose.yml "$folder"
cp -r tests/package/compose "$work/tests/package"
sed 's/10\.0\.0\.11:8080/garimpo-1:8080/; s/10\.0\.0\.12:8080/garimpo-2:8080/' docs/nginx.conf >"$folder/nginx.conf"
cat >"$folder/settings" <<'SETTINGS'
GARIMPO_PUBLIC_URL=https://garimpo.example
GARIMPO_PAYMENTS=stripe
GARIMPO_STRIPE_PUBLISHABLE_KEY=pk_test_1
GARIMPO_MAIL=smtp
GARIMPO_MAIL_FROM=Garimpo <ola@garimpo.example>
GARIMPO_CONVERSIONS=off
GARIMPO_ALLOW_SANDBOX=1
SETTINGS
password=$(head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n')
secret() { printf %s "$2" >"$folder/secrets/$1"; }
secret POSTGRES_PASSWORD "$password"
secret DATABASE_URL "postgres://garimpo:$password@postgres/garimpo"
secret STRIPE_SECRET_KEY sk_test_1
secret STRIPE_WEBHOOK_SECRET whsec_1
secret SMTP_URL smtps://mail.example
chmod 0444 "$folder"/secrets/*
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=garimpo.example -addext subjectAltName=DNS:garimpo.example \
  -keyout "$folder/certificates/site.key" -out "$folder/certificates/site.pem" 2>/dev/null

# Debian's crun needs a newer kernel interface than some machines have (tests/package/containers.sh).
cat >"$work/containers.conf" <<CONF
[engine]
runtime = "runc"
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=4096:4096"]
CONF
export CONTAINERS_CONF=$work/containers.conf
project=garimpo-compose-$$
fleet() { (cd "$folder" && "$compose" --project-name "$project" --file compose.yml --file "$work/tests/package/compose/services.yml" "$@"); }
began=$SECONDS
on_exit "fleet down --volumes --timeout 5"
on_exit "rm -rf $work"
fleet up --detach >"$work/log" 2>&1 || { cat "$work/log"; fail "the compose file does not start"; }
container() { echo "${project}_$1_1"; }
address() { podman inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$(container "$1")"; }
fail() { # complaint, with the last lines of each container
  echo "$1" >&2
  for name in postgres garimpo-1 garimpo-2 nginx; do echo "== $name" && podman logs --tail 5 "$(container $name)"; done >&2
  exit 1
}
visit() { # path, curl's options…
  local path=$1
  shift
  curl --silent --fail --max-time 5 --cacert "$folder/certificates/site.pem" --resolve "garimpo.example:443:$(address nginx)" \
    "$@" "https://garimpo.example$path"
}
for name in garimpo-1 garimpo-2; do
  within 120 "$name is not ready" inside "$(container $name)" /garimpo health --ready
done
within 30 "nginx does not serve the site" visit /planos --output /dev/null
echo "PostgreSQL, two processes and nginx serve after $((SECONDS - began)) s"

equal "$(podman inspect --format '{{.HostConfig.ReadonlyRootfs}} {{.Config.User}}' "$(container garimpo-2)")" "true 65532:65532" "root and user"

sign_up() { # email: over gRPC-Web, as the site does
  tests/node_modules/.bin/buf curl --protocol grpcweb --schema proto --cacert "$folder/certificates/site.pem" \
    --servername garimpo.example --data "{\"email\":\"$1\",\"password\":\"segredo-de-$$\",\"display_name\":\"Bia Lima\"}" \
    "https://$(address nginx)/garimpo.auth.v1.AuthService/SignUp"
}
answer=$(sign_up bia@exemplo.com.br) || { echo "$answer"; fail "sign-ups fail"; }
token=$(grep -o 'gi_[^"]*' <<<"$answer")
check_session() { visit /api/auth/check-cookie --header "authorization: Bearer $token" | grep -q bia@exemplo.com.br; }
check_session || fail "the session is not known"

# One process ends at once.
podman kill --signal KILL "$(container garimpo-1)" >/dev/null
within 10 "the session is lost with a process" check_session
sign_up caio@exemplo.com.br >/dev/null || fail "sign-ups fail without one process"
echo "the fleet goes on without one process"
