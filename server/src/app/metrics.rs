//! Descriptions of the metrics that are counted in several files.

use crate::caller::denial;
use crate::measures::{
    CALLS_WAITING, CLOCK_SKEW, CONNECTION_WAIT_SECONDS, CONNECTIONS, CONNECTIONS_MAX, CONVERSIONS,
    EVENTS_IGNORED, EVENTS_MISSED, LIMITED, MAILS_LIMITED, MAILS_UNDELIVERABLE, PASSWORD_HASHES,
    PASSWORD_HASHES_MAX, PRICE_DIFFERENCES, PROVIDER_BUDGET, PROVIDER_BUDGET_FLEET,
    PROVIDER_BUDGET_WAIT_SECONDS, PROVIDER_BUDGET_WAITING, PROVIDER_CIRCUIT_OPEN, PROVIDER_REQUESTS,
    PROVIDER_SECONDS, STORE_COMMITS, STORE_CONFLICTS, STORE_JOBS,
};
use crate::providers::CallClass;

/// Describes the metrics, and creates those that alarms watch, so that their first change is seen.
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
    metrics::describe_gauge!(CALLS_WAITING, "Reads and writes that wait for a connection to PostgreSQL.");
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
        PROVIDER_BUDGET_FLEET,
        "Calls per second that the whole fleet may make to the payment provider."
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
    metrics::describe_gauge!(PASSWORD_HASHES_MAX, "Passwords that may be hashed at once.");
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
    denial::describe_metrics();
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
    for name in [PROVIDER_CIRCUIT_OPEN, PASSWORD_HASHES, CLOCK_SKEW, CALLS_WAITING] {
        metrics::gauge!(name).increment(0.0);
    }
}
