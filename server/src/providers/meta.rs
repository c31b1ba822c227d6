//! Meta's Conversions API over the Graph API: conversions in small batches.
//!
//! The platform refuses a whole call for one event that it refuses; the caller decides what to do
//! then. Nothing here holds a rule of the product, and events are never logged.

mod errors;
mod event;

use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

pub(crate) use errors::MetaError;
pub(crate) use event::{CustomData, ServerEvent};

use super::circuit::{Circuit, Health};
use super::{CallOutcome, client_for, record_unsent, recorded, retry_after, send};

/// Default version of the Graph API; it works for about two years after its release, 2026-07-29.
pub const API_VERSION: &str = "v26.0";

/// Name of the call in logs and metrics.
const CALL: &str = "conversion_send";
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// A call carries a whole batch, so the first fault opens the circuit.
const MAX_FAULTS: u32 = 1;

/// Address and credentials of the platform.
#[derive(Debug, Clone)]
pub struct MetaSettings {
    /// Base of the Graph API without a trailing slash, for instance `https://graph.facebook.com`.
    pub url: String,
    /// Version of the API, `v26.0`.
    pub version: String,
    /// Id of the pixel (data set) that counts the events.
    pub pixel_id: String,
    /// Access token of a system user; never logged.
    pub access_token: SecretString,
}

/// A client of the platform; clones share connections and circuit.
#[derive(Debug, Clone)]
pub(crate) struct Meta {
    http: reqwest::Client,
    settings: Arc<MetaSettings>,
    circuit: Arc<Circuit>,
}

#[derive(Serialize)]
struct Body<'a> {
    data: &'a [ServerEvent],
    /// In the body, because proxies log the query.
    access_token: &'a str,
}

#[derive(Deserialize)]
struct Received {
    events_received: usize,
}

impl Meta {
    /// Creates a client; sends nothing.
    pub(crate) fn new(settings: MetaSettings) -> Result<Self, reqwest::Error> {
        let http = client_for(&settings.url).timeout(REQUEST_TIMEOUT).build()?;
        Ok(Self { http, settings: Arc::new(settings), circuit: Arc::new(Circuit::new(MAX_FAULTS)) })
    }

    /// Whether the circuit allows a call now, so that an outage does not delay other work. It does
    /// not acquire the trial call; [`Meta::send`] does.
    pub(crate) fn allows_call(&self) -> bool {
        let is_allowed = self.circuit.allows_call();
        if !is_allowed {
            record_unsent(CALL, CallOutcome::CircuitOpen);
        }
        is_allowed
    }

    /// Sends events, all or none; the platform counts each name and id once within 48 hours.
    pub(crate) async fn send(&self, events: &[ServerEvent]) -> Result<(), MetaError> {
        if !self.circuit.try_acquire() {
            record_unsent(CALL, CallOutcome::CircuitOpen);
            return Err(MetaError::unavailable("circuit open"));
        }
        recorded(CALL, async {
            let result = self.post(events).await;
            let is_down = matches!(result, Err(MetaError::Unavailable { .. }));
            self.circuit.record(if is_down { Health::Down } else { Health::Up });
            result
        })
        .await
    }

    async fn post(&self, events: &[ServerEvent]) -> Result<(), MetaError> {
        let MetaSettings { url, version, pixel_id, access_token } = &*self.settings;
        let body = Body { data: events, access_token: access_token.expose_secret() };
        let request = self.http.post(format!("{url}/{version}/{pixel_id}/events")).json(&body);
        let response = send(request).await.map_err(MetaError::transport)?;
        let (status, asked) = (response.status(), retry_after(response.headers()));
        let body = response.bytes().await.map_err(MetaError::transport)?;
        if !status.is_success() {
            return Err(MetaError::from_response(status.as_u16(), asked, &body).without(access_token));
        }
        match serde_json::from_slice::<Received>(&body) {
            Ok(Received { events_received: count }) if count == events.len() => Ok(()),
            Ok(Received { events_received: count }) => {
                Err(MetaError::unavailable(format!("it took {count} of {} events", events.len())))
            }
            // The parser's error is dropped, because it may quote the response.
            Err(_) => Err(MetaError::unavailable("an answer of another shape")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn checking_whether_the_platform_allows_calls_does_not_spend_the_attempt() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let platform = Meta::new(MetaSettings {
            url: "http://127.0.0.1:9".to_owned(),
            version: API_VERSION.to_owned(),
            pixel_id: "1".to_owned(),
            access_token: "a".into(),
        })
        .expect("a client");
        assert!(matches!(platform.send(&[]).await, Err(MetaError::Unavailable { .. })));
        assert!(!platform.allows_call(), "it rests");

        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3)).await;

        assert!(platform.allows_call());
        assert!(platform.allows_call(), "the job that asked may have been dropped before its call");
    }
}
