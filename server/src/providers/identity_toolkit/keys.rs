//! The keys that sign ID tokens: published by the provider as a JWK set, changed every few days.
//!
//! They are kept for as long as the answer allows (`Cache-Control: max-age`). An unknown key id makes them be read once
//! more, since keys change at any moment, but not more often than the floor: whoever forges ids moves no request.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jsonwebtoken::DecodingKey;
use reqwest::header::{CACHE_CONTROL, HeaderMap};
use serde::Deserialize;
use tokio::sync::{Mutex, RwLock};

use super::{ToolkitError, told};

/// For how long the keys of an answer without `max-age` are taken.
const DEFAULT_AGE: Duration = Duration::from_mins(5);
/// No answer is kept longer.
const LONGEST_AGE: Duration = Duration::from_hours(24);
/// Keys that could not be read again are taken this much longer: an outage of their address signs nobody out.
const GRACE: Duration = Duration::from_hours(1);

/// The keys of one address.
pub(super) struct Keys {
    http: reqwest::Client,
    url: String,
    floor: Duration,
    known: RwLock<Known>,
    /// Held while the keys are read, so that many callers make one request; the last try.
    reading: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct Known {
    keys: HashMap<String, DecodingKey>,
    fresh_until: Option<Instant>,
}

impl Known {
    fn is_fresh(&self, now: Instant) -> bool {
        self.fresh_until.is_some_and(|until| now < until)
    }

    fn is_usable(&self, now: Instant) -> bool {
        self.fresh_until.is_some_and(|until| now < until + GRACE)
    }
}

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<serde_json::Value>,
}

/// What we use of a JWK; one of another kind does not read as this and is passed over.
#[derive(Deserialize)]
struct RsaJwk {
    kid: String,
    kty: String,
    #[serde(default)]
    alg: Option<String>,
    n: String,
    e: String,
}

impl Keys {
    pub(super) fn new(url: &str, http: reqwest::Client, floor: Duration) -> Self {
        let (known, reading) = (RwLock::default(), Mutex::default());
        Self { http, url: url.to_owned(), floor, known, reading }
    }

    /// The key of an id; `None` when the provider publishes none.
    ///
    /// # Errors
    /// When the keys cannot be read and those that are known are too old.
    pub(super) async fn key(&self, kid: &str) -> Result<Option<DecodingKey>, ToolkitError> {
        if let Some(key) = self.fresh(kid).await {
            return Ok(Some(key));
        }
        let mut tried = self.reading.lock().await;
        // Whoever held the lock before may have read them.
        if let Some(key) = self.fresh(kid).await {
            return Ok(Some(key));
        }
        let now = Instant::now();
        let may_ask = tried.is_none_or(|at| now.duration_since(at) >= self.floor);
        let failed = if may_ask {
            *tried = Some(now);
            self.read().await.err()
        } else {
            None
        };
        let known = self.known.read().await;
        if known.is_usable(now) {
            return Ok(known.keys.get(kid).cloned());
        }
        Err(failed.unwrap_or_else(|| ToolkitError::Unavailable("its keys could not be read".to_owned())))
    }

    async fn fresh(&self, kid: &str) -> Option<DecodingKey> {
        let known = self.known.read().await;
        if known.is_fresh(Instant::now()) { known.keys.get(kid).cloned() } else { None }
    }

    async fn read(&self) -> Result<(), ToolkitError> {
        let started = Instant::now();
        let answer = self.fetch().await;
        let (keys, age) = told("identity_keys_get", started, answer)?;
        *self.known.write().await = Known { keys, fresh_until: Some(started + age) };
        Ok(())
    }

    async fn fetch(&self) -> Result<(HashMap<String, DecodingKey>, Duration), ToolkitError> {
        let answer = self.http.get(&self.url).send().await.map_err(ToolkitError::transport)?;
        let (status, age) = (answer.status(), max_age(answer.headers()));
        let body = answer.bytes().await.map_err(ToolkitError::transport)?;
        if !status.is_success() {
            return Err(ToolkitError::Unavailable(format!("its keys answer {status}")));
        }
        let set: JwkSet =
            serde_json::from_slice(&body).map_err(|_| ToolkitError::Unreadable("the published keys"))?;
        let keys: HashMap<_, _> = set.keys.into_iter().filter_map(rsa_key).collect();
        if keys.is_empty() {
            return Err(ToolkitError::Unreadable("no key is published"));
        }
        Ok((keys, age))
    }
}

fn rsa_key(jwk: serde_json::Value) -> Option<(String, DecodingKey)> {
    let jwk: RsaJwk = serde_json::from_value(jwk).ok()?;
    if jwk.kty != "RSA" || jwk.alg.is_some_and(|alg| alg != "RS256") {
        return None;
    }
    Some((jwk.kid, DecodingKey::from_rsa_components(&jwk.n, &jwk.e).ok()?))
}

fn max_age(headers: &HeaderMap) -> Duration {
    let told = headers.get(CACHE_CONTROL).and_then(|value| value.to_str().ok());
    let mut directives = told.unwrap_or_default().split(',').map(str::trim);
    let seconds = directives.find_map(|directive| directive.strip_prefix("max-age=")?.parse().ok());
    seconds.map_or(DEFAULT_AGE, Duration::from_secs).min(LONGEST_AGE)
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Keys").field("url", &self.url).finish_non_exhaustive()
    }
}
