//! Names and meanings of what the server measures (design section 11); rpcs have theirs in `caller/meters.rs`, the queue
//! in `queue/gauges.rs`, refused services in `caller/denial.rs`.

use crate::caller::describe_denials;
use crate::providers::CallClass;

/// Transactions that were committed.
pub(crate) const STORE_COMMITS: &str = "garimpo_store_commits_total";
/// Writes that they held.
pub(crate) const STORE_JOBS: &str = "garimpo_store_jobs_total";
/// Transactions of PostgreSQL that were run again.
pub(crate) const STORE_CONFLICTS: &str = "garimpo_store_conflicts_total";
/// Connections of the pool, by state.
pub(crate) const CONNECTIONS: &str = "garimpo_database_connections";
/// Connections that the pool may open.
pub(crate) const CONNECTIONS_MAX: &str = "garimpo_database_connections_max";
/// Wait for a connection of the pool.
pub(crate) const CONNECTION_WAIT_SECONDS: &str = "garimpo_database_connection_wait_duration_seconds";
/// Calls to providers.
pub(crate) const PROVIDER_REQUESTS: &str = "garimpo_provider_requests_total";
/// Their time.
pub(crate) const PROVIDER_SECONDS: &str = "garimpo_provider_request_duration_seconds";
/// Whether the payment provider is given a rest.
pub(crate) const PROVIDER_CIRCUIT_OPEN: &str = "garimpo_provider_circuit_open";
/// Calls per second that this server may make to the payment provider.
pub(crate) const PROVIDER_BUDGET: &str = "garimpo_provider_budget_calls_per_second";
/// Calls that wait for the budget.
pub(crate) const PROVIDER_BUDGET_WAITING: &str = "garimpo_provider_budget_calls_waiting";
/// Their wait.
pub(crate) const PROVIDER_BUDGET_WAIT_SECONDS: &str = "garimpo_provider_budget_wait_duration_seconds";
/// Passwords that are being hashed.
pub(crate) const PASSWORD_HASHES: &str = "garimpo_password_hashes_running";
/// Seconds by which the database's clock is ahead.
pub(crate) const CLOCK_SKEW: &str = "garimpo_database_clock_skew_seconds";
/// Events of no customer of ours.
pub(crate) const EVENTS_IGNORED: &str = "garimpo_events_ignored_total";
/// Events that no webhook delivered.
pub(crate) const EVENTS_MISSED: &str = "garimpo_events_missed_total";
/// Checkout sessions whose amount is not our price.
pub(crate) const PRICE_DIFFERENCES: &str = "garimpo_checkout_price_differences_total";

/// Mails that their recipient's address does not take.
pub(crate) const MAILS_UNDELIVERABLE: &str = "garimpo_mails_undeliverable_total";
/// Mails that were not sent, because their recipient got too many.
pub(crate) const MAILS_LIMITED: &str = "garimpo_mails_limited_total";
/// Conversions whose job has ended.
pub(crate) const CONVERSIONS: &str = "garimpo_conversions_total";

/// Refusals by a limit.
const LIMITED: &str = "garimpo_limited_total";

/// Counts a refusal by a limit; `limit` and `scope` come from fixed sets.
pub(crate) fn count_limited(limit: &'static str, scope: &'static str) {
    metrics::counter!(LIMITED, "limit" => limit, "scope" => scope).increment(1);
}

/// Describes them, and shows from the start those that alarms watch, so that their first change is seen.
pub(crate) fn describe() {
    metrics::describe_counter!(STORE_COMMITS, "Committed transactions.");
    metrics::describe_counter!(
        STORE_JOBS,
        "Writes in committed transactions; by commit, how well writes share one."
    );
    metrics::describe_counter!(STORE_CONFLICTS, "Transactions that lost against another and were run again.");
    metrics::describe_gauge!(
        CONNECTIONS,
        "Connections of this process to PostgreSQL by state: idle, in_use; none with SQLite."
    );
    metrics::describe_gauge!(
        CONNECTIONS_MAX,
        "Connections to PostgreSQL that this process may open; 0 with SQLite."
    );
    metrics::describe_histogram!(
        CONNECTION_WAIT_SECONDS,
        "Time for which a read or a write waited for a connection to PostgreSQL."
    );
    metrics::describe_counter!(
        PROVIDER_REQUESTS,
        "Calls to providers, each with all its tries, by call and outcome."
    );
    metrics::describe_histogram!(PROVIDER_SECONDS, "Time of a call to a provider, with all its tries.");
    metrics::describe_gauge!(
        PROVIDER_CIRCUIT_OPEN,
        "1 while the payment provider does not answer and is not asked."
    );
    metrics::describe_gauge!(
        PROVIDER_BUDGET,
        "Calls per second that this server may make to the payment provider: its share of the fleet's."
    );
    metrics::describe_gauge!(
        PROVIDER_BUDGET_WAITING,
        "Calls to the payment provider that wait for the budget, by class."
    );
    metrics::describe_histogram!(
        PROVIDER_BUDGET_WAIT_SECONDS,
        "Time for which a call to the payment provider waited for the budget, by class."
    );
    for class in CallClass::ALL {
        metrics::gauge!(PROVIDER_BUDGET_WAITING, "class" => class.name()).increment(0.0);
    }
    metrics::describe_gauge!(PASSWORD_HASHES, "Passwords that are being hashed.");
    metrics::describe_counter!(
        EVENTS_IGNORED,
        "Events of the payment provider about no customer of ours, by kind."
    );
    metrics::describe_counter!(
        EVENTS_MISSED,
        "Events of the payment provider that no webhook delivered and reconciliation found, by kind."
    );
    metrics::describe_counter!(
        PRICE_DIFFERENCES,
        "Checkout sessions whose amount at the payment provider is not our price, by whether it is higher or lower."
    );
    for direction in ["higher", "lower"] {
        metrics::counter!(PRICE_DIFFERENCES, "provider" => direction).increment(0);
    }
    metrics::describe_counter!(MAILS_UNDELIVERABLE, "Mails that their recipient's address does not take.");
    metrics::counter!(MAILS_UNDELIVERABLE).increment(0);
    metrics::describe_counter!(
        MAILS_LIMITED,
        "Mails that were not sent, because their recipient got too many."
    );
    metrics::counter!(MAILS_LIMITED).increment(0);
    metrics::describe_counter!(LIMITED, "Refusals by a limit and by whose limit it is.");
    metrics::counter!(LIMITED, "limit" => "hashes_waiting", "scope" => "client").increment(0);
    metrics::counter!(LIMITED, "limit" => "attempts", "scope" => "client").increment(0);
    describe_denials();
    metrics::describe_counter!(
        CONVERSIONS,
        "Conversions by event and by what became of them: sent, no_consent, account_gone, off, parked."
    );
    for name in [STORE_COMMITS, STORE_JOBS, STORE_CONFLICTS] {
        metrics::counter!(name).increment(0);
    }
    metrics::describe_gauge!(
        CLOCK_SKEW,
        "Seconds by which the database's clock is ahead of this machine's; 0 for an embedded database."
    );
    for name in [PROVIDER_CIRCUIT_OPEN, PASSWORD_HASHES, CLOCK_SKEW] {
        metrics::gauge!(name).increment(0.0);
    }
}
