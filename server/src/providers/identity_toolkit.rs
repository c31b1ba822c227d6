//! A client for the part of Google's Identity Toolkit (REST) that Garimpo uses.
//!
//! `calls` has the typed calls, `access` the service account's tokens, `tokens` and `keys` the ID
//! tokens and the keys that sign them, `rs256` the signatures. Nothing here holds a rule of the
//! product. Responses are never logged: they hold tokens and, at the emulator, password hashes.

mod access;
pub(crate) mod calls;
mod errors;
mod keys;
mod rs256;
#[cfg(test)]
mod tests;
mod tokens;

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use access::{Credentials, ServiceAccount};
pub use errors::ToolkitError;
pub use tokens::IdToken;

use access::AccessTokens;
use errors::Result;
use keys::Keys;
use tokens::Verifier;

use super::{client_for, recorded};

/// Two calls without a response fit into the gateway's limit of 20 s for a visitor's request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(8);
/// Shortest time between two reads of the keys, so that forged key ids cause no flood of requests.
const MIN_KEYS_INTERVAL: Duration = Duration::from_secs(10);

/// Address and credentials of the provider.
#[derive(Debug, Clone)]
pub struct ToolkitSettings {
    /// Base of the REST API without a trailing slash, for instance
    /// `https://identitytoolkit.googleapis.com`.
    pub url: String,
    /// API key of the project; never logged.
    pub api_key: SecretString,
    /// Id of the project: audience and issuer of its ID tokens.
    pub project: String,
    /// Credentials for calls on any identity of the project.
    pub credentials: Credentials,
    /// URL of the keys that sign ID tokens (a JWK set).
    pub keys_url: String,
}

/// A client of the identity provider; clones share connections, access token and keys.
#[derive(Clone)]
pub(crate) struct IdentityToolkit {
    http: reqwest::Client,
    settings: Arc<ToolkitSettings>,
    access: Arc<AccessTokens>,
    verifier: Arc<Verifier>,
}

impl IdentityToolkit {
    /// Creates a client; sends nothing.
    pub(crate) fn new(settings: ToolkitSettings) -> Result<Self> {
        let locale = (HeaderName::from_static("x-firebase-locale"), HeaderValue::from_static("pt-BR"));
        let client = |url: &str| {
            client_for(url)
                .default_headers(HeaderMap::from_iter([locale.clone()]))
                .timeout(REQUEST_TIMEOUT)
                .build()
                .map_err(|error| ToolkitError::unusable("the HTTP client could not be built", error))
        };
        let access = AccessTokens::new(settings.credentials.clone(), client(settings.credentials.url())?);
        let keys = match &settings.credentials {
            Credentials::Emulator => None,
            Credentials::ServiceAccount(_) => {
                let http = client(&settings.keys_url)?;
                Some(Keys::new(&settings.keys_url, http, MIN_KEYS_INTERVAL))
            }
        };
        let verifier = Verifier { project: settings.project.clone(), keys };
        let http = client(&settings.url)?;
        Ok(Self { http, settings: Arc::new(settings), access: access.into(), verifier: verifier.into() })
    }

    /// Checks an ID token: signature, audience, issuer and times; `None` if it is invalid.
    ///
    /// # Errors
    /// [`ToolkitError::Unavailable`] if the keys cannot be read.
    pub(crate) async fn id_token(&self, token: &str) -> Result<Option<IdToken>> {
        self.verifier.verify(token).await
    }

    /// A call with the API key.
    async fn public<T: DeserializeOwned>(
        &self,
        name: &'static str,
        method: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        recorded(name, self.post(&format!("v1/{method}"), body, None)).await
    }

    /// A call with the service account's token.
    async fn privileged<T: DeserializeOwned>(
        &self,
        name: &'static str,
        method: &str,
        body: &impl Serialize,
    ) -> Result<T> {
        let path = format!("v1/projects/{}/{method}", self.settings.project);
        let call = async {
            let bearer = self.access.bearer().await?;
            let result = self.post(&path, body, Some(&bearer)).await;
            if result.as_ref().is_err_and(ToolkitError::refuses_credentials) {
                self.access.forget().await;
            }
            result
        };
        recorded(name, call).await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        bearer: Option<&SecretString>,
    ) -> Result<T> {
        let url = format!("{}/{path}", self.settings.url);
        let mut request = self.http.post(url).query(&[("key", self.settings.api_key.expose_secret())]);
        if let Some(bearer) = bearer {
            request = request.bearer_auth(bearer.expose_secret());
        }
        errors::read(request.json(body)).await
    }
}
