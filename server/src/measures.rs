//! Names of metrics.

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
/// Calls that wait for a connection of the pool.
pub(crate) const CALLS_WAITING: &str = "garimpo_database_calls_waiting";
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
/// Calls per second that the whole fleet may make to it.
pub(crate) const PROVIDER_BUDGET_FLEET: &str = "garimpo_provider_budget_fleet_calls_per_second";
/// Calls that wait for the budget.
pub(crate) const PROVIDER_BUDGET_WAITING: &str = "garimpo_provider_budget_calls_waiting";
/// Their wait.
pub(crate) const PROVIDER_BUDGET_WAIT_SECONDS: &str = "garimpo_provider_budget_wait_duration_seconds";
/// Passwords that are being hashed.
pub(crate) const PASSWORD_HASHES: &str = "garimpo_password_hashes_running";
/// Passwords that may be hashed at once.
pub(crate) const PASSWORD_HASHES_MAX: &str = "garimpo_password_hashes_max";
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
pub(crate) const LIMITED: &str = "garimpo_limited_total";

/// Counts a refusal by a limit; `limit` and `scope` come from fixed sets.
pub(crate) fn count_limited(limit: &'static str, scope: &'static str) {
    metrics::counter!(LIMITED, "limit" => limit, "scope" => scope).increment(1);
}
