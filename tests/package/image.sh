#!/usr/bin/env bash
# The image localhost/garimpo: at most 30 MB, of which 16 MB are sent, not root, on a read-only root without capabilities. It serves the site, reports
# its health, and ends cleanly.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/package/containers.sh
image=localhost/garimpo
# The goal of the program's size (docs/speed.md), and what its compressed form takes.
MAX_BYTES=45000000
MAX_SENT_BYTES=20000000

bytes=$(podman image inspect --format '{{.Size}}' $image)
[ "$bytes" -le $MAX_BYTES ] || fail "the image has $bytes bytes, more than $MAX_BYTES"
sent=$(podman save $image | gzip | wc -c)
[ "$sent" -le $MAX_SENT_BYTES ] || fail "the image is sent as $sent bytes, more than $MAX_SENT_BYTES"
equal "$(podman image inspect --format '{{.User}}' $image)" 65532:65532 "the user of the image"

name=garimpo-image-$$
on_exit "podman rm --force $name"
run --detach --name "$name" --read-only --cap-drop all --security-opt no-new-privileges --memory 768m \
  --env GARIMPO_LISTEN=0.0.0.0:8080 --env GARIMPO_PUBLIC_URL=http://garimpo.example \
  --env GARIMPO_ALLOW_HTTP=1 --env GARIMPO_ALLOW_SANDBOX=1 $image >/dev/null
within 30 "the server is not ready" inside "$name" /garimpo health --ready
podman --runtime runc healthcheck run "$name" || fail "the health check fails while the product serves"
address=$(podman inspect --format '{{.NetworkSettings.IPAddress}}' "$name")
curl --silent --fail "http://$address:8080/planos" | grep -c '<title>' >/dev/null || fail "the site is not in the image"
podman cp "$name:/etc/ssl/certs/ca-certificates.crt" - | tar -xO | grep -c 'BEGIN CERTIFICATE' >/dev/null ||
  fail "the providers' certificates cannot be checked"
equal "$(podman top "$name" huser | tail -n 1)" 65532 "the user of the process"

podman stop --time 30 "$name" >/dev/null
equal "$(podman inspect --format '{{.State.ExitCode}}' "$name")" 0 "the exit code after SIGTERM"
echo "the image has $bytes bytes, sent as $sent, serves and ends as documented"
