//! Handshakes of the public port: their limit in total and per client, and their time limit.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use garimpo_gateway::budget::{Budget, BudgetLimits};
use rustls::ServerConfig;
use rustls::crypto::ring::{Ticketer, default_provider};
use tokio::net::TcpStream;
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::server::TlsStream;

use super::current::{CHALLENGE_PROTOCOL, CurrentCertificate, is_challenge};

/// Time limit of a handshake; a slower client is disconnected.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of an unsent response that a connection holds encrypted. A client that does not read is
/// detected only after this many bytes.
const SEND_BUFFER: usize = 32 * 1024;
const HANDSHAKES: &str = "garimpo_tls_handshakes_total";

/// Accepts https connections.
#[derive(Clone)]
pub struct Handshakes {
    site: Arc<ServerConfig>,
    challenge: Arc<ServerConfig>,
    budget: Budget,
    timeout: Duration,
}

/// Result of a handshake; its name is the label in metrics.
#[derive(Clone, Copy, strum::IntoStaticStr, strum::EnumIter)]
#[strum(serialize_all = "snake_case")]
enum Outcome {
    Ok,
    /// The client speaks no TLS, offers nothing that we accept, or went away.
    Failed,
    /// The client took too long.
    Late,
    /// The authority checked the host.
    Challenge,
}

impl Handshakes {
    pub fn new(certificate: Arc<CurrentCertificate>, limits: BudgetLimits) -> Result<Self> {
        metrics::describe_counter!(HANDSHAKES, "TLS handshakes of the public port by their result.");
        for outcome in <Outcome as strum::IntoEnumIterator>::iter() {
            count(outcome, 0);
        }
        Ok(Self {
            site: Arc::new(config(certificate.clone(), &[b"h2", b"http/1.1"])?),
            challenge: Arc::new(config(certificate, &[CHALLENGE_PROTOCOL])?),
            budget: Budget::new("handshakes", limits),
            timeout: TIMEOUT,
        })
    }

    /// Handshakes with another time limit.
    #[cfg(test)]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The encrypted stream of a visitor; `None` ends the connection. Without a client only the
    /// limit of all clients together counts.
    pub async fn accept(&self, stream: TcpStream, client: Option<IpAddr>) -> Option<TlsStream<TcpStream>> {
        // The budget counts the refusal. None is sent, because a client reads none before the
        // handshake.
        let _share = self.budget.claim(client, 1).ok()?;
        // A task keeps the memory of its largest state, so the handshake is boxed and freed early.
        let shaking = Box::pin(self.shake(stream));
        let (outcome, stream) = match tokio::time::timeout(self.timeout, shaking).await {
            Ok(Ok(Some(stream))) => (Outcome::Ok, Some(stream)),
            Ok(Ok(None)) => (Outcome::Challenge, None),
            Ok(Err(error)) => {
                tracing::debug!(%error, "a TLS handshake failed");
                (Outcome::Failed, None)
            }
            Err(_) => (Outcome::Late, None),
        };
        count(outcome, 1);
        stream
    }

    /// Returns `None` for the authority, whose check ends with the handshake.
    async fn shake(&self, stream: TcpStream) -> std::io::Result<Option<TlsStream<TcpStream>>> {
        let begun = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream).await?;
        if is_challenge(&begun.client_hello()) {
            let mut stream = begun.into_stream(self.challenge.clone()).await?;
            tokio::io::AsyncWriteExt::shutdown(&mut stream).await?;
            return Ok(None);
        }
        let limited = |connection: &mut rustls::ServerConnection| {
            connection.set_buffer_limit(Some(SEND_BUFFER));
        };
        begun.into_stream_with(self.site.clone(), limited).await.map(Some)
    }
}

fn count(outcome: Outcome, by: u64) {
    metrics::counter!(HANDSHAKES, "outcome" => <&'static str>::from(outcome)).increment(by);
}

/// TLS 1.2 and 1.3 with the cipher suites of rustls. Sessions are resumed by tickets, whose keys
/// change every few hours, so that resumption needs no memory for each client.
fn config(certificate: Arc<CurrentCertificate>, protocols: &[&[u8]]) -> Result<ServerConfig> {
    let mut config = ServerConfig::builder_with_provider(default_provider().into())
        .with_safe_default_protocol_versions()
        .context("TLS versions")?
        .with_no_client_auth()
        .with_cert_resolver(certificate);
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    config.ticketer = Ticketer::new().context("TLS tickets")?;
    Ok(config)
}
