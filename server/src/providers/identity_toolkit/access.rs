//! Access tokens of the project's service account: it signs an assertion, and the provider issues a
//! token of an hour for it (RFC 7523). The token is cached until shortly before its end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::errors::{self, Result, ToolkitError};
use super::rs256;
use crate::clock::system_now;

const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SCOPE: &str = "https://www.googleapis.com/auth/identitytoolkit";
/// Longest validity of an assertion that the provider accepts.
const ASSERTION_SECONDS: i64 = 3600;
/// A token is renewed this long before its end, so that none expires during a call.
const RENEWAL_MARGIN: Duration = Duration::from_mins(1);

/// Credentials for calls on any identity of the project.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// The vendor's emulator: a fixed access token, and unsigned ID tokens.
    Emulator,
    /// A service account.
    ServiceAccount(Arc<ServiceAccount>),
}

impl Credentials {
    /// URL of the token endpoint.
    pub(super) fn url(&self) -> &str {
        match self {
            Self::Emulator => "http://",
            Self::ServiceAccount(account) => &account.token_url,
        }
    }
}

/// A service account, read from its key file.
pub struct ServiceAccount {
    email: String,
    key_id: String,
    key: EncodingKey,
    token_url: String,
}

impl std::fmt::Debug for ServiceAccount {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ServiceAccount").field("email", &self.email).finish_non_exhaustive()
    }
}

/// The JSON file that the provider issues for a service account.
#[derive(Deserialize)]
struct KeyFile {
    client_email: String,
    private_key_id: String,
    private_key: SecretString,
}

impl ServiceAccount {
    /// Reads a key file; `token_url` is the endpoint that exchanges its assertions.
    ///
    /// # Errors
    /// [`ToolkitError::Unusable`] if it is not the key file of a service account.
    pub fn read(key_file: &str, token_url: &str) -> Result<Self> {
        let why = "not the JSON key file of a service account (client_email, private_key)";
        // The parser's error is dropped, because it may quote the private key.
        let file: KeyFile =
            serde_json::from_str(key_file).map_err(|_| ToolkitError::Unusable { why, source: None })?;
        let key = EncodingKey::from_rsa_pem(file.private_key.expose_secret().as_bytes())
            .map_err(|error| ToolkitError::unusable(why, error))?;
        Ok(Self {
            email: file.client_email,
            key_id: file.private_key_id,
            key,
            token_url: token_url.to_owned(),
        })
    }

    fn assertion(&self) -> Result<String> {
        #[derive(Serialize)]
        struct Claims<'a> {
            iss: &'a str,
            scope: &'a str,
            aud: &'a str,
            iat: i64,
            exp: i64,
        }
        let iat = system_now().as_unix_seconds();
        let exp = iat + ASSERTION_SECONDS;
        let claims = Claims { iss: &self.email, scope: SCOPE, aud: &self.token_url, iat, exp };
        let header = Header { kid: Some(self.key_id.clone()), ..Header::new(Algorithm::RS256) };
        rs256::sign(&header, &claims, &self.key)
            .map_err(|error| ToolkitError::unusable("the service account's key does not sign", error))
    }
}

/// Returns access tokens, with one request for many callers.
#[derive(Debug)]
pub(super) struct AccessTokens {
    credentials: Credentials,
    http: reqwest::Client,
    token: Mutex<Option<(SecretString, Instant)>>,
}

#[derive(Deserialize)]
struct Granted {
    access_token: SecretString,
    expires_in: u64,
}

impl AccessTokens {
    pub(super) fn new(credentials: Credentials, http: reqwest::Client) -> Self {
        Self { credentials, http, token: Mutex::new(None) }
    }

    /// A token that is valid for some time.
    pub(super) async fn bearer(&self) -> Result<SecretString> {
        let Credentials::ServiceAccount(account) = &self.credentials else { return Ok("owner".into()) };
        let mut token = self.token.lock().await;
        if let Some((token, _)) = token.as_ref().filter(|(_, ends)| *ends > Instant::now() + RENEWAL_MARGIN) {
            return Ok(token.clone());
        }
        let form = [("grant_type", GRANT), ("assertion", &account.assertion()?)];
        let granted: Granted = errors::read(self.http.post(&account.token_url).form(&form)).await?;
        *token =
            Some((granted.access_token.clone(), Instant::now() + Duration::from_secs(granted.expires_in)));
        Ok(granted.access_token)
    }

    /// Drops a token that the provider refuses.
    pub(super) async fn forget(&self) {
        *self.token.lock().await = None;
    }
}

#[cfg(test)]
pub(super) mod tests;
