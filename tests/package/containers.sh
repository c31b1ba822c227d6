# Shared functions of the package tests; sourced.
tests/setup/containers.sh

fail() {
  echo "$1" >&2
  exit 1
}
equal() { [ "$1" = "$2" ] || fail "$3: found '$1', expected '$2'"; }

cleanups=()
on_exit() { cleanups+=("$1"); }
clean_up() { for command in "${cleanups[@]}"; do $command >/dev/null 2>&1 || true; done; }
trap clean_up EXIT

# Debian's crun needs a newer kernel interface than some machines have, and a machine may have lower limits than podman asks for.
run() { podman --runtime runc run --ulimit nofile="$(ulimit -Hn):$(ulimit -Hn)" --ulimit nproc=4096:4096 "$@"; }
inside() { podman --runtime runc exec --interactive "$@"; }

within() { # seconds, complaint, command…: waits until the command succeeds
  local seconds=$1 complaint=$2 deadline=$((SECONDS + $1))
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || fail "$complaint after $seconds s"
    sleep 0.2
  done
}
