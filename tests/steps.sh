# Shared functions of tests/run.sh and tests/soak.sh, sourced from the root of the repository. Steps
# print their seconds. The folder `work` is deleted at the end of the run.
root=$PWD
work=$(mktemp -d /tmp/garimpo-test.XXXXXX)
chmod 755 "$work"
# Scenarios that `make test` runs on SQLite only, and `make soak` also on PostgreSQL: long ones that
# do not depend on the database, and those whose statements other tests send to PostgreSQL.
sqlite_only=(
  coverage::
  faults::two_purchases::
  faults::webhook_events::
  year::a_year_of_one_subscription
  attacks::
  payment_authentication::
  boleto::
  sign_up::
  cancellation::
  card::
  new_card::
  boleto_behavior::
  disputes::
  contract::
  conversions::
  smtp::
  dashboard_acts::
  entitlements::
  rehearsal::
  bad_input::
  invoices::
  faults::provider::
  https::
  model::
  event_order::
  prices::
  crashes::crash_at_job_delivered
  crashes::crash_at_projection_committed
  crashes::crash_in_account_calls::
  crashes::crash_in_identity_calls::
  crashes::crash_in_operator_commands::
  password_reset::
  refund::
  boleto_renewal::
  card_renewal::
  session::
)
# Tests of the server that `make test` also runs on PostgreSQL: its locks and notifications, and
# with the scenarios nearly every statement of the store. The others run on SQLite only, and in
# `make soak` on PostgreSQL.
depends_on_database=(
  store::
  queue::
  app::tests::
  auth::tests::crash::
  auth::tests::life::
  auth::tests::sign_up::
  auth::tests::tokens::
  billing::entitlements::feed::
  billing::tests::checkout::
  billing::tests::new_card::a_cancellation_waits_for_a_payment_in_progress
  billing::tests::new_card::a_provider_failure_kept_under_the_idempotency_key
  billing::tests::once_per_person::
  billing::tests::race::
  billing::tests::reconciliation::the_paged_sweep
  operator::tests::
  retention::tests::
  tracking::tests::intake::
  users::tests::consent::
  users::tests::deletion::
)
# Scenarios of the site that also run through PgBouncer.
pooler_scenarios=(
  payment_authentication::
  boleto::
  boleto_behavior::
  sign_up::
  cancellation::
  card::
  new_card::
  account::
  disputes::
  entitlements::
  invoices::
  plan_change::
  password_reset::
  refund::
  boleto_renewal::
  card_renewal::
  session::
  simultaneous_calls::
)
# The tests' files are in memory if it has enough space, because thousands of commits with fsync are
# slow on a disk.
memory() { [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt "$1" ]; }
TMPDIR=$(mktemp -d -p "$(memory 4000000 && echo /dev/shm || echo /tmp)" garimpo-test.XXXXXX)
# nginx stores large bodies there under its own user.
chmod 755 "$TMPDIR"
export TMPDIR
# Its databases are some GB.
postgres=$(memory 12000000 && echo "$TMPDIR" || echo "$work")/postgres
began=$SECONDS
report=()

cleanup() {
  [ -d "$postgres/data" ] && tests/setup/postgres.sh "$postgres" stop || true
  [ -z "${identity_pid:-}" ] || kill $identity_pid 2>/dev/null || true
  [ -f "$work/identity/pid" ] && tests/setup/identity.sh "$work/identity" stop || true
  rm -rf "$work" "$TMPDIR"
}
trap cleanup EXIT

step() { # name, command…
  local name=$1 t=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@"
  report+=("$(printf '%-24s %4d s' "$name" $((SECONDS - t)))")
  echo "== ${report[-1]}"
}

in_parallel() { # name…: runs steps that mostly wait; prints the output of each when all are done
  local name pid failed=0 pids=()
  for name in "$@"; do
    step "$name" "$name" >"$work/$name.log" 2>&1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  for name in "$@"; do cat "$work/$name.log"; done
  return $failed
}

run_steps() { # name…
  local name
  for name in "$@"; do step "$name" "$name"; done
  printf '\n%s\n' "${report[@]}"
  printf '%-24s %4d s\n' total $((SECONDS - began))
}

npm_ci() { # folder: only when its lock changed
  [ "$1/node_modules/.package-lock.json" -nt "$1/package-lock.json" ] || { npm ci --prefix "$1" && touch "$1/node_modules/.package-lock.json"; }
}

postgres() { # one server for the run
  GARIMPO_TEST_POSTGRES_URL=$(tests/setup/postgres.sh "$postgres")
  export GARIMPO_TEST_POSTGRES_URL
}

# Installs and starts the emulator of the external identity provider while the product is built.
start_identity() {
  tests/setup/identity.sh "$work/identity" >"$work/identity.address" 2>"$work/identity.log" &
  identity_pid=$!
}
wait_for_identity() {
  wait $identity_pid || { cat "$work/identity.log" >&2; return 1; }
  identity_pid=
  GARIMPO_TEST_IDENTITY_EMULATOR=$(<"$work/identity.address")
  export GARIMPO_TEST_IDENTITY_EMULATOR
}

build() {
  make web
  cargo build --workspace --tests --bins --examples
}
