//! Google's Identity Toolkit over REST, as much of it as Garimpo uses.
//!
//! Typed calls live in `identity_toolkit/calls.rs`, the service account's access in `access.rs`, ID tokens and the keys
//! that sign them in `tokens.rs` and `keys.rs`. Nothing here is a rule of ours. Answers are never logged: they hold
//! tokens and, at the emulator, password hashes.

mod access;
mod calls;
mod errors;
mod keys;
#[cfg(test)]
mod tests;
mod tokens;

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use access::{Credentials, ServiceAccount};
pub use calls::{Profile, SignedIn};
pub use errors::ToolkitError;
pub use tokens::IdToken;

use access::Access;
use tokens::Verifier;

use super::{client_for, tell};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Two calls fit into what a visitor's request may take (the gateway's 20 s).
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);
/// An unknown key is looked for at most this often: forged key ids cause no flood of requests.
const KEYS_FLOOR: Duration = Duration::from_secs(10);

/// Where the provider is and who we are to it.
#[derive(Debug, Clone)]
pub struct ToolkitSettings {
    /// Base of the REST API without a trailing slash, for instance `https://identitytoolkit.googleapis.com`.
    pub url: String,
    /// API key of the project; never logged.
    pub api_key: SecretString,
    /// Id of the project: audience and issuer of its ID tokens.
    pub project: String,
    /// What proves to the provider that we may act on any identity of the project.
    pub credentials: Credentials,
    /// Where the keys are published that sign ID tokens (a JWK set).
    pub keys_url: String,
}

/// A client of the identity provider; clones share connections, access token and keys.
#[derive(Debug, Clone)]
pub struct IdentityToolkit {
    http: reqwest::Client,
    settings: Arc<ToolkitSettings>,
    access: Arc<Access>,
    verifier: Arc<Verifier>,
}

impl IdentityToolkit {
    /// Makes a client; nothing is sent yet.
    ///
    /// # Errors
    /// When a setting cannot stand in a header or the HTTP client cannot be built.
    pub fn new(settings: ToolkitSettings) -> Result<Self, ToolkitError> {
        const UNUSABLE: ToolkitError = ToolkitError::Unusable("the HTTP client could not be built");
        let locale = (HeaderName::from_static("x-firebase-locale"), HeaderValue::from_static("pt-BR"));
        let client = |url: &str| {
            client_for(url)
                .default_headers(HeaderMap::from_iter([locale.clone()]))
                .connect_timeout(CONNECT_TIMEOUT)
                .timeout(REQUEST_TIMEOUT)
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .map_err(|_| UNUSABLE)
        };
        let access = Access::new(settings.credentials.clone(), client(settings.credentials.url())?);
        let verifier = match &settings.credentials {
            Credentials::Emulator => Verifier::unsigned(&settings.project),
            Credentials::ServiceAccount(_) => Verifier::signed(
                &settings.project,
                &settings.keys_url,
                client(&settings.keys_url)?,
                KEYS_FLOOR,
            ),
        };
        let http = client(&settings.url)?;
        Ok(Self { http, settings: Arc::new(settings), access: access.into(), verifier: verifier.into() })
    }

    /// Checks an ID token of the provider: signature, audience, issuer and times.
    ///
    /// `None` is a token that proves nothing.
    ///
    /// # Errors
    /// [`ToolkitError::Unavailable`] while the keys cannot be read.
    pub async fn id_token(&self, token: &str) -> Result<Option<IdToken>, ToolkitError> {
        self.verifier.verify(token).await
    }

    /// A call that the API key alone allows.
    async fn public<T: DeserializeOwned>(
        &self,
        name: &'static str,
        method: &str,
        body: &impl Serialize,
    ) -> Result<T, ToolkitError> {
        let started = Instant::now();
        let answer = self.post(&format!("v1/{method}"), body, None).await;
        told(name, started, answer)
    }

    /// A call on the project that a service account alone may make.
    async fn privileged<T: DeserializeOwned>(
        &self,
        name: &'static str,
        method: &str,
        body: &impl Serialize,
    ) -> Result<T, ToolkitError> {
        let started = Instant::now();
        let path = format!("v1/projects/{}/{method}", self.settings.project);
        let answer = async {
            let bearer = self.access.bearer().await?;
            let answer = self.post(&path, body, Some(&bearer)).await;
            if answer.as_ref().is_err_and(ToolkitError::refuses_us) {
                self.access.forget().await;
            }
            answer
        };
        told(name, started, answer.await)
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        bearer: Option<&SecretString>,
    ) -> Result<T, ToolkitError> {
        let url = format!("{}/{path}", self.settings.url);
        let mut request = self.http.post(url).query(&[("key", self.settings.api_key.expose_secret())]);
        if let Some(bearer) = bearer {
            request = request.bearer_auth(bearer.expose_secret());
        }
        errors::read(request.json(body)).await
    }
}

/// Counts and logs a call that is over.
fn told<T>(name: &'static str, started: Instant, answer: Result<T, ToolkitError>) -> Result<T, ToolkitError> {
    let error = answer.as_ref().err();
    let outcome = error.map_or(super::Outcome::Ok, ToolkitError::outcome);
    tell(name, outcome, started.elapsed(), error.map(|error| error as _));
    answer
}
