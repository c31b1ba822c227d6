//! The metrics that are counted in several files: name, and what `/metrics` says of each.

macro_rules! measures {
    ($($kind:ident const $name:ident = $metric:literal: $description:literal;)*) => {
        $(
            #[doc = $description]
            pub(crate) const $name: &str = $metric;
        )*

        /// Describes each metric of this file.
        pub(crate) fn describe() {
            $(measures!(@$kind $name, $description);)*
        }
    };
    (@counter $name:ident, $description:literal) => {
        metrics::describe_counter!($name, $description)
    };
    (@gauge $name:ident, $description:literal) => {
        metrics::describe_gauge!($name, $description)
    };
    (@histogram $name:ident, $description:literal) => {
        metrics::describe_histogram!($name, $description)
    };
}

measures! {
    counter const STORE_COMMITS = "garimpo_store_commits_total":
        "Committed transactions.";
    counter const STORE_JOBS = "garimpo_store_jobs_total":
        "Writes in committed transactions; by commit, how well writes share one.";
    counter const STORE_CONFLICTS = "garimpo_store_conflicts_total":
        "Transactions that lost against another and were run again.";
    gauge const CONNECTIONS = "garimpo_database_connections":
        "Connections of this process to PostgreSQL by state: idle, in_use; none with SQLite.";
    gauge const CALLS_WAITING = "garimpo_database_calls_waiting":
        "Reads and writes that wait for a connection to PostgreSQL.";
    gauge const CONNECTIONS_MAX = "garimpo_database_connections_max":
        "Connections to PostgreSQL that this process may open; 0 with SQLite.";
    histogram const CONNECTION_WAIT_SECONDS = "garimpo_database_connection_wait_duration_seconds":
        "Time for which a read or a write waited for a connection to PostgreSQL.";
    counter const PROVIDER_REQUESTS = "garimpo_provider_requests_total":
        "Calls to providers, each with all its tries, by call and outcome.";
    histogram const PROVIDER_SECONDS = "garimpo_provider_request_duration_seconds":
        "Time of a call to a provider, with all its tries.";
    gauge const PROVIDER_CIRCUIT_OPEN = "garimpo_provider_circuit_open":
        "1 while the payment provider does not answer and is not asked.";
    gauge const PROVIDER_BUDGET = "garimpo_provider_budget_calls_per_second":
        "Calls per second that this server may make to the payment provider: its share of the fleet's.";
    gauge const PROVIDER_BUDGET_FLEET = "garimpo_provider_budget_fleet_calls_per_second":
        "Calls per second that the whole fleet may make to the payment provider.";
    gauge const PROVIDER_BUDGET_WAITING = "garimpo_provider_budget_calls_waiting":
        "Calls to the payment provider that wait for the budget, by class.";
    histogram const PROVIDER_BUDGET_WAIT_SECONDS = "garimpo_provider_budget_wait_duration_seconds":
        "Time for which a call to the payment provider waited for the budget, by class.";
    gauge const PASSWORD_HASHES = "garimpo_password_hashes_running":
        "Passwords that are being hashed.";
    gauge const PASSWORD_HASHES_MAX = "garimpo_password_hashes_max":
        "Passwords that may be hashed at once.";
    gauge const CLOCK_SKEW = "garimpo_database_clock_skew_seconds":
        "Seconds by which the database's clock is ahead of this machine's; 0 for an embedded database.";
    counter const EVENTS_IGNORED = "garimpo_events_ignored_total":
        "Events of the payment provider about no customer of ours, by kind.";
    counter const EVENTS_MISSED = "garimpo_events_missed_total":
        "Events of the payment provider that no webhook delivered and reconciliation found, by kind.";
    counter const PRICE_DIFFERENCES = "garimpo_checkout_price_differences_total":
        "Checkout sessions whose amount at the payment provider is not our price, by whether it is higher or lower.";
    counter const MAILS_UNDELIVERABLE = "garimpo_mails_undeliverable_total":
        "Mails that their recipient's address does not take.";
    counter const MAILS_LIMITED = "garimpo_mails_limited_total":
        "Mails that were not sent, because their recipient got too many.";
    counter const CONVERSIONS = "garimpo_conversions_total":
        "Conversions by event and by what became of them: sent, no_consent, account_gone, off, parked.";
    counter const LIMITED = "garimpo_limited_total":
        "Refusals by a limit and by whose limit it is.";
}

/// Counts a refusal by a limit; `limit` and `scope` come from fixed sets.
pub(crate) fn count_limited(limit: &'static str, scope: &'static str) {
    metrics::counter!(LIMITED, "limit" => limit, "scope" => scope).increment(1);
}
