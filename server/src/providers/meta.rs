//! Meta's Conversions API over the Graph API: what was converted, in small batches.
//!
//! One event that the platform refuses makes it refuse the whole call; who sends decides what to do then. Nothing here
//! is a rule of ours, and an event is never logged.

mod errors;
mod event;

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::RETRY_AFTER;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

pub use errors::MetaError;
pub use event::{CustomData, Event};

use super::circuit::{Circuit, Health};
use super::{Outcome, client_for, tell};

/// Version of the Graph API without a setting; it holds for about two years after its day, 2026-07-29.
pub const API_VERSION: &str = "v26.0";

/// The call's name in log and metrics.
const CALL: &str = "conversion_send";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// A call carries a whole batch: the first that gets no answer is enough to ask more gently.
const FAILURES_TO_REST: u32 = 1;

/// Where the platform is, and who we are to it.
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
pub struct Meta {
    http: reqwest::Client,
    settings: Arc<MetaSettings>,
    circuit: Arc<Circuit>,
}

#[derive(Serialize)]
struct Body<'a> {
    data: &'a [Event],
    /// In the body rather than in the query, which stands in logs on the way.
    access_token: &'a str,
}

#[derive(Deserialize)]
struct Taken {
    events_received: usize,
}

impl Meta {
    /// Makes the client; nothing is sent yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be made.
    pub fn new(settings: MetaSettings) -> Result<Self, reqwest::Error> {
        let http = client_for(&settings.url)
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { http, settings: Arc::new(settings), circuit: Arc::new(Circuit::new(FAILURES_TO_REST)) })
    }

    /// Whether the platform may be asked now: after a call without answer one goes ahead every 3 s, so that an outage
    /// holds up nobody else's work. Only [`Meta::send`] takes that one call.
    pub fn may_be_asked(&self) -> bool {
        let may = self.circuit.would_let_through();
        if !may {
            tell(CALL, Outcome::CircuitOpen, Duration::ZERO, None);
        }
        may
    }

    /// Reports events, all or none; the platform counts each name and id once within 48 hours.
    ///
    /// # Errors
    /// See [`MetaError`].
    pub async fn send(&self, events: &[Event]) -> Result<(), MetaError> {
        let started = Instant::now();
        if !self.circuit.lets_through() {
            tell(CALL, Outcome::CircuitOpen, started.elapsed(), None);
            return Err(MetaError::Unavailable { why: "circuit open".to_owned(), retry_after: None });
        }
        let answer = self.post(events).await;
        let is_down = matches!(answer, Err(MetaError::Unavailable { .. }));
        self.circuit.record(if is_down { Health::Down } else { Health::Up });
        let error = answer.as_ref().err();
        let outcome = error.map_or(Outcome::Ok, MetaError::outcome);
        tell(CALL, outcome, started.elapsed(), error.map(|error| error as _));
        answer
    }

    async fn post(&self, events: &[Event]) -> Result<(), MetaError> {
        let MetaSettings { url, version, pixel_id, access_token } = &*self.settings;
        let body = Body { data: events, access_token: access_token.expose_secret() };
        let request = self.http.post(format!("{url}/{version}/{pixel_id}/events")).json(&body);
        let answer = request.send().await.map_err(MetaError::transport)?;
        let status = answer.status();
        let asked = answer.headers().get(RETRY_AFTER).and_then(|v| v.to_str().ok()?.parse().ok());
        let body = answer.bytes().await.map_err(MetaError::transport)?;
        if !status.is_success() {
            let asked = asked.map(Duration::from_secs);
            return Err(MetaError::from_answer(status.as_u16(), asked, &body).without(access_token));
        }
        match serde_json::from_slice::<Taken>(&body) {
            Ok(taken) if taken.events_received == events.len() => Ok(()),
            Ok(taken) => {
                let why = format!("it took {} of {} events", taken.events_received, events.len());
                Err(MetaError::Unavailable { why, retry_after: None })
            }
            Err(_) => {
                Err(MetaError::Unavailable { why: "an answer of another shape".into(), retry_after: None })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn perguntar_se_a_plataforma_descansa_nao_gasta_a_tentativa() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let platform = Meta::new(MetaSettings {
            url: "http://127.0.0.1:9".to_owned(),
            version: API_VERSION.to_owned(),
            pixel_id: "1".to_owned(),
            access_token: "a".into(),
        })
        .expect("a client");
        assert!(matches!(platform.send(&[]).await, Err(MetaError::Unavailable { .. })));
        assert!(!platform.may_be_asked(), "it rests");

        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(3)).await;

        assert!(platform.may_be_asked());
        assert!(platform.may_be_asked(), "the job that asked may have been dropped before its call");
    }
}
