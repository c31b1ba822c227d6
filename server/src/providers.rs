//! Every wire that leaves the product, one file each; nothing else sends HTTP.

mod budget;
mod circuit;
pub mod identity_toolkit;
pub mod mail;
pub mod meta;
pub mod stripe;

use std::error::Error;
use std::time::Duration;

pub use budget::{CallClass, MAX_CALLS_PER_SECOND};

use crate::causes::Causes;
use crate::measures::{PROVIDER_REQUESTS, PROVIDER_SECONDS};

/// A client for one origin. Without TLS there is nothing to trust: reading the system's some hundred root certificates
/// would be half of a start.
pub(crate) fn client_for(origin: &str) -> reqwest::ClientBuilder {
    let builder = reqwest::Client::builder();
    if origin.starts_with("http://") { builder.tls_certs_only([]) } else { builder }
}

/// How a call to a provider ended; the name is the label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It answered.
    Ok,
    /// It understood and refused: our caller decides what that means.
    Refused,
    /// It does not take who we say we are: the operator's to mend.
    Unwelcome,
    /// It could not be reached, was late, overloaded or broken.
    Unavailable,
    /// It answered something that we cannot read, or cannot be asked at all.
    Unreadable,
    /// It was not asked, since it did not answer those before.
    CircuitOpen,
    /// It was not asked, because the budget of calls was used up for too long.
    OverBudget,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::Unwelcome => "unwelcome",
            Self::Unavailable => "unavailable",
            Self::Unreadable => "unreadable",
            Self::CircuitOpen => "circuit_open",
            Self::OverBudget => "over_budget",
        }
    }
}

/// Why a call got no answer. The address is left out, because it may name a key or an object.
fn wire_failure(error: reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    format!("connection failed: {}", Causes(&error.without_url()))
}

/// Counts and logs one call, with all its tries.
fn tell(call: &'static str, outcome: Outcome, took: Duration, error: Option<&(dyn Error + 'static)>) {
    let name = outcome.name();
    metrics::counter!(PROVIDER_REQUESTS, "call" => call, "outcome" => name).increment(1);
    metrics::histogram!(PROVIDER_SECONDS, "call" => call).record(took);
    let (error, duration_ms) = (error.map(|error| Causes(error).to_string()), took.as_millis() as u64);
    let is_read = call.ends_with("_get") || call.ends_with("_list");
    match outcome {
        // What goes well is no news, and the metrics count it. A read may ask for what is not there.
        Outcome::Ok => {
            tracing::debug!(target: "garimpo::provider", call, outcome = name, error, duration_ms, "{call} {name}");
        }
        Outcome::Refused if is_read => {
            tracing::debug!(target: "garimpo::provider", call, outcome = name, error, duration_ms, "{call} {name}");
        }
        Outcome::Refused => {
            tracing::info!(target: "garimpo::provider", call, outcome = name, error, duration_ms, "{call} {name}");
        }
        Outcome::Unwelcome => {
            tracing::error!(target: "garimpo::provider", call, outcome = name, error, duration_ms, "{call} {name}");
        }
        _ => {
            tracing::warn!(target: "garimpo::provider", call, outcome = name, error, duration_ms, "{call} {name}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn conexao_recusada_diz_a_causa_sem_o_endereco() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("bound"));
        drop(listener);
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = client_for(&origin).build().expect("a client");

        let failed = client.get(format!("{origin}/accounts?key=segredo")).send().await;

        let why = wire_failure(failed.expect_err("nobody listens"));
        assert!(why.contains("Connection refused") && !why.contains("segredo"), "{why}");
    }
}
