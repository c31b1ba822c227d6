//! ID tokens of the provider: signature, audience, issuer and times.
//!
//! The signature is checked first and with one algorithm, whatever the token's header names. The
//! times are checked against the system's clock.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use garimpo_domain::{Timestamp, Uid};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;

use super::errors::Result;
use super::keys::Keys;
use super::rs256;
use crate::clock::system_now;

/// Allowed difference between the provider's clock and ours.
const LEEWAY_SECONDS: i64 = 10;
/// The provider's tokens are valid for an hour; a longer validity than a day is a forgery.
const MAX_LIFE_SECONDS: i64 = 86_400;
/// Longer texts are not decoded.
const MAX_TOKEN_BYTES: usize = 8 * 1024;
/// Length of the provider's longest identity id.
const MAX_SUBJECT_BYTES: usize = 128;

/// A valid ID token of the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdToken {
    pub local_id: Uid,
    /// When the person entered the password; a refreshed token keeps that instant. A token from
    /// before the last change of the password is not valid.
    pub authenticated_at: Timestamp,
    /// When it expires, in real time.
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

/// Header of a token with extensions that a reader must understand (RFC 7515, 4.1.11).
#[derive(Deserialize)]
struct CriticalHeader {
    crit: Option<serde_json::Value>,
}

/// Checks ID tokens of one project.
pub(super) struct Verifier {
    pub project: String,
    /// The published keys, which sign tokens. `None` for the emulator, which signs nothing: the
    /// settings decide this, never the token.
    pub keys: Option<Keys>,
}

impl Verifier {
    /// The token, if it is valid now.
    pub(super) async fn verify(&self, token: &str) -> Result<Option<IdToken>> {
        if token.len() > MAX_TOKEN_BYTES {
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
        let is_alive = (now - LEEWAY_SECONDS + 1..=now + MAX_LIFE_SECONDS).contains(&claims.exp);
        let is_past = |at: i64| (0..=now + LEEWAY_SECONDS).contains(&at);
        let has_subject =
            !claims.sub.is_empty() && claims.sub.len() <= MAX_SUBJECT_BYTES && !claims.sub.contains('\0');
        if !(is_ours && is_alive && is_past(claims.iat) && is_past(claims.auth_time) && has_subject) {
            return None;
        }
        Some(IdToken {
            local_id: Uid::new(claims.sub),
            authenticated_at: Timestamp::from_unix_seconds(claims.auth_time),
            ends_at: Timestamp::from_unix_seconds(claims.exp),
        })
    }
}

async fn signed_claims(keys: &Keys, token: &str) -> Result<Option<Claims>> {
    if has_critical_extensions(token) {
        return Ok(None);
    }
    let Ok(header) = jsonwebtoken::decode_header(token) else { return Ok(None) };
    let (Algorithm::RS256, Some(kid)) = (header.alg, header.kid) else { return Ok(None) };
    let Some(key) = keys.key(&kid).await? else { return Ok(None) };
    Ok(verified(token, &key))
}

/// We understand no extension. A header that cannot be read is refused later.
fn has_critical_extensions(token: &str) -> bool {
    let header = token.split('.').next().and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let header = header.and_then(|header| serde_json::from_slice::<CriticalHeader>(&header).ok());
    header.is_none_or(|header| header.crit.is_some())
}

/// The claims, if this key signed them. `Verifier::checked` checks the claims of every token,
/// because the emulator's tokens need the same checks.
fn verified(token: &str, key: &DecodingKey) -> Option<Claims> {
    let mut signature = Validation::new(Algorithm::RS256);
    signature.required_spec_claims.clear();
    signature.validate_exp = false;
    signature.validate_aud = false;
    rs256::verify(token, key, &signature).ok()
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
pub mod tests;
