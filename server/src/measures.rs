//! The metrics of the server: name, and what `/metrics` says of each.

use metrics::Gauge;

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
    counter const DENIALS = "garimpo_denials_total":
        "Calls of services that were not let in, by reason and port.";
    counter const LINES_LEFT_OUT = "garimpo_log_lines_left_out_total":
        "Log lines that were left out, because one client caused too many.";
    counter const RPC_REQUESTS = "garimpo_rpc_requests_total":
        "Answered calls by rpc and code.";
    histogram const RPC_SECONDS = "garimpo_rpc_request_duration_seconds":
        "Time to the answer's head of a call.";
    gauge const JOBS = "garimpo_jobs":
        "Jobs of the queue by kind and state (waiting, parked), counted up to 1,000: every server tells the same.";
    gauge const OLDEST_JOB_SECONDS = "garimpo_oldest_job_seconds":
        "How long the oldest waiting job of a kind has been due.";
    counter const JOBS_UNREADABLE = "garimpo_jobs_unreadable_total":
        "Jobs that were parked because this program cannot read a column of their row.";
    gauge const REFUNDS_DUE = "garimpo_refunds_due":
        "Refunds by Pix that wait for the operator: every server tells the same.";
    gauge const DISPUTE_ANSWER_BY = "garimpo_dispute_answer_by_timestamp_seconds":
        "When the first dispute must be answered, in Unix seconds; 0 without one: every server tells the same.";
    gauge const INQUIRY_ANSWER_BY = "garimpo_inquiry_answer_by_timestamp_seconds":
        "When the first inquiry must be answered, in Unix seconds; 0 without one: every server tells the same.";
    gauge const PROVIDER_LOSSES = "garimpo_provider_losses":
        "Accounts that paid and that the payment provider does not have: every server tells the same.";
    gauge const PROVIDER_STOPPED = "garimpo_reconciliation_stopped":
        "1 while reconciliation is stopped, since the payment provider does not know our customers.";
    gauge const SELLING_STOPPED = "garimpo_selling_stopped":
        "1 while nothing is sold, since the provider has payers whom this database without accounts does not know.";
    gauge const DOCTOR_FINDINGS = "garimpo_doctor_findings":
        "Findings of the hourly doctor by invariant, at most 100 each: every server tells the same.";
    gauge const DOCTOR_UNCHECKED = "garimpo_doctor_unchecked":
        "1 if the last run of the hourly doctor could not check the invariant.";
    gauge const DOCTOR_RAN = "garimpo_doctor_last_run_timestamp_seconds":
        "End of the doctor's last run, in Unix seconds; 0 before the first.";
}

/// Counts a refusal by a limit; `limit` and `scope` come from fixed sets.
pub(crate) fn count_limited(limit: &'static str, scope: &'static str) {
    metrics::counter!(LIMITED, "limit" => limit, "scope" => scope).increment(1);
}

/// Counts one in a gauge until it is dropped.
pub(crate) struct Counted(Gauge);

impl Counted {
    pub(crate) fn in_gauge(gauge: Gauge) -> Self {
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}
