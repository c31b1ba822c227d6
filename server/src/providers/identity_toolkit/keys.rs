//! The keys that sign ID tokens: the provider publishes them as a JWK set and rotates them every
//! few days.
//!
//! They are cached for the `max-age` of the response. An unknown key id triggers another read,
//! because keys rotate at any moment, but not before the minimum interval: forged key ids must not
//! cause a flood of requests.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, JwkSet, KeyAlgorithm};
use reqwest::header::{CACHE_CONTROL, HeaderMap};
use tokio::sync::{Mutex, RwLock};

use super::errors::{Result, ToolkitError};
use crate::providers::{recorded, send};

/// The age of keys whose response has no `max-age`.
const DEFAULT_AGE: Duration = Duration::from_mins(5);
const MAX_AGE: Duration = Duration::from_hours(24);
/// Expired keys stay usable for this time if they cannot be read again, so that an outage signs
/// nobody out.
const GRACE: Duration = Duration::from_hours(1);

/// The keys of one URL.
pub(super) struct Keys {
    http: reqwest::Client,
    url: String,
    min_interval: Duration,
    cached: RwLock<CachedKeys>,
    /// Time of the last read. Held during a read, so that many callers make one request.
    last_read: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct CachedKeys {
    keys: HashMap<String, DecodingKey>,
    fresh_until: Option<Instant>,
}

impl CachedKeys {
    fn is_usable(&self, now: Instant, grace: Duration) -> bool {
        self.fresh_until.is_some_and(|until| now < until + grace)
    }
}

impl Keys {
    pub(super) fn new(url: &str, http: reqwest::Client, min_interval: Duration) -> Self {
        let (cached, last_read) = (RwLock::default(), Mutex::default());
        Self { http, url: url.to_owned(), min_interval, cached, last_read }
    }

    /// The key of an id; `None` if the provider publishes none. An error if the keys cannot be read
    /// and the cached ones are too old.
    pub(super) async fn key(&self, kid: &str) -> Result<Option<DecodingKey>> {
        if let Some(key) = self.fresh_key(kid).await {
            return Ok(Some(key));
        }
        let mut last_read = self.last_read.lock().await;
        // Another caller may have read the keys during the wait for the lock.
        if let Some(key) = self.fresh_key(kid).await {
            return Ok(Some(key));
        }
        let now = Instant::now();
        let mut failed = None;
        if last_read.is_none_or(|at| now.duration_since(at) >= self.min_interval) {
            *last_read = Some(now);
            failed = self.read().await.err();
        }
        let cached = self.cached.read().await;
        if cached.is_usable(now, GRACE) {
            return Ok(cached.keys.get(kid).cloned());
        }
        Err(failed.unwrap_or_else(|| ToolkitError::unavailable("its keys could not be read")))
    }

    async fn fresh_key(&self, kid: &str) -> Option<DecodingKey> {
        let cached = self.cached.read().await;
        if cached.is_usable(Instant::now(), Duration::ZERO) { cached.keys.get(kid).cloned() } else { None }
    }

    async fn read(&self) -> Result<()> {
        let started = Instant::now();
        let (keys, age) = recorded("identity_keys_get", self.fetch()).await?;
        *self.cached.write().await = CachedKeys { keys, fresh_until: Some(started + age) };
        Ok(())
    }

    async fn fetch(&self) -> Result<(HashMap<String, DecodingKey>, Duration)> {
        let response = send(self.http.get(&self.url)).await.map_err(ToolkitError::transport)?;
        let (status, age) = (response.status(), max_age(response.headers()));
        let body = response.bytes().await.map_err(ToolkitError::transport)?;
        if !status.is_success() {
            return Err(ToolkitError::unavailable(format!("its keys answer {status}")));
        }
        let unreadable = |_| ToolkitError::Unreadable("the published keys");
        let set: JwkSet = serde_json::from_slice(&body).map_err(unreadable)?;
        let keys: HashMap<_, _> = set.keys.into_iter().filter_map(decoding_key).collect();
        if keys.is_empty() {
            return Err(ToolkitError::Unreadable("no key is published"));
        }
        Ok((keys, age))
    }
}

/// An RSA key for RS256, with its id.
fn decoding_key(jwk: Jwk) -> Option<(String, DecodingKey)> {
    let is_rsa = matches!(jwk.algorithm, AlgorithmParameters::RSA(_));
    let is_rs256 = is_rsa && jwk.common.key_algorithm.is_none_or(|name| name == KeyAlgorithm::RS256);
    let key = DecodingKey::from_jwk(&jwk).ok().filter(|_| is_rs256)?;
    Some((jwk.common.key_id?, key))
}

fn max_age(headers: &HeaderMap) -> Duration {
    let directives = headers.get(CACHE_CONTROL).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut directives = directives.split(',').map(str::trim);
    let seconds = directives.find_map(|directive| directive.strip_prefix("max-age=")?.parse().ok());
    seconds.map_or(DEFAULT_AGE, Duration::from_secs).min(MAX_AGE)
}
