//! Metrics of the certificate.

use time::OffsetDateTime;

const EXPIRY: &str = "garimpo_tls_certificate_expiry_seconds";
const FAILURES: &str = "garimpo_tls_certificate_failures_total";

/// The counter of failures exists from the start, because an alarm on growth ignores a series that
/// begins at one.
pub fn describe(source: &'static str) {
    metrics::describe_gauge!(EXPIRY, "When the certificate of the public port expires, in Unix seconds.");
    metrics::describe_counter!(
        FAILURES,
        "Certificates that could not be taken: changed files that are wrong, or failed orders."
    );
    metrics::counter!(FAILURES, "source" => source).increment(0);
}

/// Records the expiry of the certificate in use.
pub fn set_expiry(not_after: OffsetDateTime) {
    let seconds = u32::try_from(not_after.unix_timestamp()).unwrap_or(u32::MAX);
    metrics::gauge!(EXPIRY).set(f64::from(seconds));
}

/// Counts a certificate that could not be used.
pub fn count_failure(source: &'static str) {
    metrics::counter!(FAILURES, "source" => source).increment(1);
}
