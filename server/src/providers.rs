//! Clients of the external services: every outbound request leaves from here.

mod budget;
pub mod captcha;
mod circuit;
pub mod identity_toolkit;
pub mod mail;
pub mod meta;
pub mod stripe;

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use budget::{CallClass, MAX_CALLS_PER_SECOND};
use garimpo_telemetry::{Span, TRACEPARENT};
use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::causes::Causes;
use crate::measures::{PROVIDER_REQUESTS, PROVIDER_SECONDS};
use crate::request_id;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// A longer pause of a provider is cut to this: a wrong header must not delay due work.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(1);

/// A client for one origin. It follows no redirects. Without TLS it reads no root certificates,
/// because that takes about half of the process's start.
pub(crate) fn client_for(origin: &str) -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none());
    if origin.starts_with("http://") { builder.tls_certs_only([]) } else { builder }
}

/// The result of a provider call; its name is the label in metrics and logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum CallOutcome {
    Ok,
    /// The provider refused the call; the caller decides what that means.
    Refused,
    /// The provider refused our credentials, which the operator has to correct.
    #[strum(serialize = "unwelcome")]
    CredentialsRefused,
    /// The payment provider refused our key (401). No call works until the operator replaces it.
    Unauthorized,
    /// Our key lacks the permission of this call (403).
    Forbidden,
    /// The provider was unreachable, late, overloaded or broken.
    Unavailable,
    /// The response has an unknown shape, or the request could not be built.
    Unreadable,
    /// Not sent: the circuit is open.
    CircuitOpen,
    /// Not sent: the budget of calls was used up for too long.
    OverBudget,
    /// Not sent: too many calls of one client wait. It is its own doing, and no alarm.
    ClientOverBudget,
}

/// The error of a provider's client.
trait CallError: Error + 'static {
    fn outcome(&self) -> CallOutcome;
}

/// Makes a call with all its attempts as a span of the current trace; counts and logs it.
async fn recorded<T, E: CallError>(
    call: &'static str,
    sending: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let started = Instant::now();
    let mut span = Span::client(call, &request_id::trace());
    let trace = span.context().clone();
    let result = request_id::within_span(trace, sending).await;
    let error = result.as_ref().err();
    let outcome = error.map_or(CallOutcome::Ok, CallError::outcome);
    record(call, outcome, started.elapsed(), error.map(|error| error as _));
    let label: &'static str = outcome.into();
    span.set("garimpo.provider.outcome", label);
    if outcome != CallOutcome::Ok {
        span.fail(label);
    }
    result
}

/// Sends a request with the trace that it belongs to, if that is recorded.
async fn send(mut request: reqwest::RequestBuilder) -> Result<reqwest::Response, reqwest::Error> {
    let trace = request_id::trace();
    if let Some(header) = trace.is_recorded().then(|| trace.header()).flatten() {
        request = request.header(TRACEPARENT, header);
    }
    request.send().await
}

/// Counts and logs a call that was not sent.
fn record_unsent(call: &'static str, outcome: CallOutcome) {
    record(call, outcome, Duration::ZERO, None);
}

fn record(call: &'static str, outcome: CallOutcome, took: Duration, error: Option<&(dyn Error + 'static)>) {
    let label: &'static str = outcome.into();
    metrics::counter!(PROVIDER_REQUESTS, "call" => call, "outcome" => label).increment(1);
    metrics::histogram!(PROVIDER_SECONDS, "call" => call).record(took);
    let (error, duration_ms) = (error.map(|error| Causes(error).to_string()), took.as_millis() as u64);
    macro_rules! log {
        ($level:ident) => {
            tracing::$level!(
                target: "garimpo::provider", call, outcome = label, error, duration_ms, "{call} {label}"
            )
        };
    }
    let is_read = call.ends_with("_get") || call.ends_with("_list");
    match outcome {
        // Metrics count successes. A read of an object that does not exist is not a failure.
        CallOutcome::Ok => log!(debug),
        CallOutcome::Refused if is_read => log!(debug),
        CallOutcome::Refused => log!(info),
        // A restricted key may lack the permission to read its account.
        CallOutcome::Forbidden if is_read => log!(info),
        CallOutcome::CredentialsRefused | CallOutcome::Unauthorized | CallOutcome::Forbidden => log!(error),
        _ => log!(warn),
    }
}

/// States why a call got no response. The URL is removed, because it may hold a key or an id.
fn transport_failure(error: reqwest::Error) -> (&'static str, Arc<reqwest::Error>) {
    let why = if error.is_timeout() { "no answer in time" } else { "connection failed" };
    (why, Arc::new(error.without_url()))
}

/// Reads `Retry-After` in seconds; the providers send no dates.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_refused_connection_reports_the_cause_without_the_address() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("bound"));
        drop(listener);
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = client_for(&origin).build().expect("a client");

        let failed = client.get(format!("{origin}/accounts?key=segredo")).send().await;

        let (why, cause) = transport_failure(failed.expect_err("nobody listens"));
        let text = format!("{why}: {}", Causes(&*cause));
        assert!(text.contains("Connection refused") && !text.contains("segredo"), "{text}");
    }
}
