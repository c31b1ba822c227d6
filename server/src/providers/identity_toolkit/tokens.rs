//! ID tokens of the provider: who signed them, for whom, and until when.
//!
//! The signature is checked first and by one algorithm alone, whatever the token says of itself. Their times are real
//! ones.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use garimpo_domain::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;

use super::ToolkitError;
use super::keys::Keys;
use crate::clock::system_now;

/// The provider's clock and ours may differ by this.
const LEEWAY_SECONDS: i64 = 10;
/// The provider's tokens live an hour; what claims more than a day is not one of them.
const LONGEST_LIFE_SECONDS: i64 = 86_400;
/// Longer texts are no token of the provider.
const LONGEST: usize = 8 * 1024;
/// The provider's longest id of an identity.
const LONGEST_SUBJECT: usize = 128;

/// An ID token that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdToken {
    /// Opaque id of the identity.
    pub local_id: String,
    /// When it showed what it knows (a password, usually); a refreshed token keeps that moment.
    pub authenticated_at: Timestamp,
    /// When the token ends.
    pub ends_at: Timestamp,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: String,
    exp: i64,
    iat: i64,
    auth_time: i64,
}

#[derive(Deserialize)]
struct UnsignedHeader {
    alg: String,
}

/// Checks ID tokens of one project.
#[derive(Debug)]
pub(super) struct Verifier {
    project: String,
    /// None at the emulator, which signs nothing: a setting says so, never the token.
    keys: Option<Keys>,
}

impl Verifier {
    /// For tokens that the provider's published keys sign.
    pub(super) fn signed(project: &str, keys_url: &str, http: reqwest::Client, floor: Duration) -> Self {
        Self { project: project.to_owned(), keys: Some(Keys::new(keys_url, http, floor)) }
    }

    /// For the emulator's.
    pub(super) fn unsigned(project: &str) -> Self {
        Self { project: project.to_owned(), keys: None }
    }

    /// The token, if it proves something now.
    pub(super) async fn verify(&self, token: &str) -> Result<Option<IdToken>, ToolkitError> {
        if token.len() > LONGEST {
            return Ok(None);
        }
        let claims = match &self.keys {
            Some(keys) => signed_claims(keys, token).await?,
            None => unsigned_claims(token),
        };
        Ok(claims.and_then(|claims| self.checked(claims, system_now().as_unix_seconds())))
    }

    fn checked(&self, claims: Claims, now: i64) -> Option<IdToken> {
        let issuer = claims.iss.strip_prefix("https://securetoken.google.com/");
        let is_ours = claims.aud == self.project && issuer == Some(self.project.as_str());
        let lives = (now - LEEWAY_SECONDS + 1..=now + LONGEST_LIFE_SECONDS).contains(&claims.exp);
        let is_past = |at: i64| (0..=now + LEEWAY_SECONDS).contains(&at);
        let names =
            !claims.sub.is_empty() && claims.sub.len() <= LONGEST_SUBJECT && !claims.sub.contains('\0');
        if !(is_ours && lives && is_past(claims.iat) && is_past(claims.auth_time) && names) {
            return None;
        }
        Some(IdToken {
            local_id: claims.sub,
            authenticated_at: Timestamp::from_unix_seconds(claims.auth_time),
            ends_at: Timestamp::from_unix_seconds(claims.exp),
        })
    }
}

async fn signed_claims(keys: &Keys, token: &str) -> Result<Option<Claims>, ToolkitError> {
    let Ok(header) = jsonwebtoken::decode_header(token) else { return Ok(None) };
    let (Algorithm::RS256, Some(kid)) = (header.alg, header.kid) else { return Ok(None) };
    let Some(key) = keys.key(&kid).await? else { return Ok(None) };
    Ok(verified(token, &key))
}

/// The claims, if this key signed them. What they say is checked in one place for every token.
fn verified(token: &str, key: &DecodingKey) -> Option<Claims> {
    let mut signature = Validation::new(Algorithm::RS256);
    signature.required_spec_claims.clear();
    signature.validate_exp = false;
    signature.validate_aud = false;
    Some(jsonwebtoken::decode(token, key, &signature).ok()?.claims)
}

fn unsigned_claims(token: &str) -> Option<Claims> {
    let mut parts = token.split('.');
    let (header, claims) = (parts.next()?, parts.next()?);
    if parts.next() != Some("") || parts.next().is_some() {
        return None;
    }
    let read = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
    let header: UnsignedHeader = serde_json::from_slice(&read(header)?).ok()?;
    if header.alg != "none" {
        return None;
    }
    serde_json::from_slice(&read(claims)?).ok()
}

#[cfg(test)]
pub(crate) mod tests;
