//! Who makes a call: the gateway's metadata and the bearer token, read once for every service.
//!
//! The layer believes `x-garimpo-*` in process, or over the wire with the fleet's secret. It answers
//! UNAVAILABLE while the clock is not known, measures and logs each call, and turns a panic into INTERNAL.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use garimpo_domain::Timestamp;
use garimpo_domain::person::email_as_compared;
use garimpo_proto::errors::v1::ErrorReason;
use tokio::sync::OwnedSemaphorePermit;

use crate::error::Error;
use crate::store::identity::service_tokens::ServiceTokenRow;
use denial::Denial;

mod denial;
mod layer;
pub(crate) mod meters;
mod service;

pub(crate) use denial::describe as describe_denials;
pub(crate) use layer::{CallerLayer, Trust, bearer, tell_uid};
pub(crate) use service::TokenShare;
pub use service::{Scope, Service};

/// What a caller reads whose token is nobody's.
const UNKNOWN_TOKEN: &str = "the token is unknown, has ended or was revoked";
/// When a place for one more watch may be free.
const WATCH_AGAIN_IN: Duration = Duration::from_secs(5);
/// Longest text that is taken over from a header.
const LONGEST_TEXT: usize = 300;

/// The caller of one request; every service finds it in the request's extensions.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Who it is.
    pub principal: Principal,
    /// Address of the visitor, as the gateway told it.
    pub client_address: Option<String>,
    /// Browser or program of the visitor, as the gateway told it.
    pub user_agent: Option<String>,
    /// Id of this request, also in the log.
    pub request_id: String,
    /// Whether the call came through a gateway of ours.
    pub trusted: bool,
    /// Whether a page of our own made the call, as the gateway told it.
    pub own_origin: bool,
    /// What kind of token the call showed, alive or not.
    pub shown: Shown,
    /// Where the call came from, when no gateway of ours made it.
    peer: Option<IpAddr>,
    /// The service token that was shown, where it was revoked.
    revoked: Option<Arc<ServiceTokenRow>>,
    /// Why a service was not let in, once it was not.
    denied: OnceLock<Denial>,
}

/// Who makes a call.
#[derive(Debug, Clone)]
pub enum Principal {
    /// Nobody, or somebody whose session or token is not alive.
    Anonymous,
    /// The holder of a live session.
    Session(Arc<Identity>),
    /// The holder of a live ID token.
    IdToken(Arc<Identity>),
    /// A service of ours.
    Service(Arc<Service>),
}

/// What kind of token a call showed, by its look alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// None.
    Nothing,
    /// One that looks like a service token of ours.
    ServiceToken,
    /// A person's, or anything else.
    Other,
}

/// The identity that a session or ID token carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Opaque id of the account.
    pub uid: String,
    /// Lower-case email of the account.
    pub email: String,
    /// Name of the account.
    pub display_name: String,
    /// Id of the session (that beside which the ID token was made); empty with a token of an outside provider, which
    /// stands beside none.
    pub session_id: String,
    /// The token of an outside provider, where it is one.
    pub outside_token: Option<ShownToken>,
}

/// A token of an outside identity provider that a call has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownToken {
    /// Hash of the token, to end it by.
    pub id: String,
    /// When its holder showed the password.
    pub authenticated_at: Timestamp,
    /// When it ends by itself, in real time.
    pub ends_at: Timestamp,
}

impl Caller {
    /// The caller of a request.
    pub fn of<T>(request: &tonic::Request<T>) -> Arc<Self> {
        request.extensions().get::<Arc<Self>>().cloned().unwrap_or_else(|| Arc::new(Self::nobody()))
    }

    fn nobody() -> Self {
        Self {
            principal: Principal::Anonymous,
            client_address: None,
            user_agent: None,
            request_id: String::new(),
            trusted: false,
            own_origin: false,
            shown: Shown::Nothing,
            peer: None,
            revoked: None,
            denied: OnceLock::new(),
        }
    }

    /// The person who calls, if it is one.
    pub fn known(&self) -> Option<&Identity> {
        match &self.principal {
            Principal::Session(identity) | Principal::IdToken(identity) => Some(identity),
            Principal::Anonymous | Principal::Service(_) => None,
        }
    }

    /// The person who calls.
    ///
    /// # Errors
    /// UNAUTHENTICATED when it is nobody, PERMISSION_DENIED for a service token.
    pub fn identity(&self) -> Result<&Identity, Error> {
        match &self.principal {
            Principal::Session(identity) | Principal::IdToken(identity) => Ok(identity),
            Principal::Anonymous if self.shown == Shown::ServiceToken => {
                Err(self.denied(Denial::UnknownToken, UNKNOWN_TOKEN))
            }
            Principal::Anonymous => {
                Err(Error::refused(ErrorReason::Unauthenticated, "no live session or token"))
            }
            Principal::Service(_) => {
                Err(self.denied(Denial::WrongScope, "a service token acts for no person"))
            }
        }
    }

    /// The person who calls, when the email of the request is theirs.
    ///
    /// # Errors
    /// As [`Caller::identity`]; PERMISSION_DENIED for another email.
    pub fn identity_of_email(&self, email: &str) -> Result<&Identity, Error> {
        let identity = self.identity()?;
        if identity.email == email_as_compared(email) { Ok(identity) } else { Err(not_yours()) }
    }

    /// Demands a service token with a scope, and counts one call of it.
    ///
    /// # Errors
    /// As [`Caller::require_calls`].
    pub fn require_scope(&self, scope: Scope) -> Result<(), Error> {
        self.require_calls(scope, 1)
    }

    /// Demands a service token with a scope, and counts as many calls of it as this one is worth.
    ///
    /// # Errors
    /// UNAUTHENTICATED for nobody, PERMISSION_DENIED for everybody else without the scope, TOO_MANY_REQUESTS with the
    /// pause beyond the token's pace.
    pub fn require_calls(&self, scope: Scope, calls: u32) -> Result<(), Error> {
        match &self.principal {
            Principal::Service(service) if service.has(scope) => {
                service.share.pace.take(calls).map_err(|pause| {
                    self.denied(Denial::TooManyCalls, "this token calls too often").retry_after(pause)
                })
            }
            Principal::Anonymous if self.shown != Shown::Nothing => {
                Err(self.denied(Denial::UnknownToken, UNKNOWN_TOKEN))
            }
            Principal::Anonymous => Err(self.denied(Denial::NoToken, "no token came with the call")),
            _ => {
                let needed = format!("a service token with {} is needed", scope.name());
                Err(self.denied(Denial::WrongScope, needed))
            }
        }
    }

    /// Takes one of the watches that the token may have open at once; it is held until it is dropped.
    ///
    /// # Errors
    /// TOO_MANY_REQUESTS with a pause when all are taken.
    pub(crate) fn open_watch(&self) -> Result<Option<OwnedSemaphorePermit>, Error> {
        let Principal::Service(service) = &self.principal else { return Ok(None) };
        let full = "this token has as many watches open as it may";
        let refused = || self.denied(Denial::TooManyWatches, full).retry_after(WATCH_AGAIN_IN);
        service.share.watch().map(Some).ok_or_else(refused)
    }

    /// The refusal of a call that only our pages and our services may make. Who showed a token meant to be a service,
    /// so that is noted as a denial.
    pub(crate) fn not_our_page(&self, message: &str) -> Error {
        let why = match &self.principal {
            Principal::Anonymous if self.shown == Shown::Nothing => None,
            Principal::Anonymous => Some(Denial::UnknownToken),
            Principal::Service(_) | Principal::IdToken(_) => Some(Denial::WrongScope),
            Principal::Session(_) => None,
        };
        if let Some(why) = why {
            let _ = self.denied.set(why);
        }
        Error::refused(ErrorReason::PermissionDenied, message)
    }

    /// A refusal of a service, noted for the call's line in the log and its metric.
    fn denied(&self, why: Denial, message: impl Into<String>) -> Error {
        // The first one is what the call ends with.
        let _ = self.denied.set(why);
        Error::refused(why.reason(), message)
    }

    /// The refusal of a watch whose token was revoked since it began: its call has had its line long ago.
    pub(crate) fn ended(&self, rpc: &str) -> Error {
        denial::tell(Denial::UnknownToken, rpc, self);
        Error::refused(ErrorReason::Unauthenticated, "the token was revoked")
    }

    /// The address by which limits count: an IPv6 address counts by its /64, since a household holds a whole one.
    pub fn limit_address(&self) -> String {
        let Some(address) = &self.client_address else { return "direct".to_owned() };
        match address.parse::<IpAddr>().map(|address| address.to_canonical()) {
            Ok(IpAddr::V6(address)) => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
            Ok(IpAddr::V4(address)) => address.to_string(),
            Err(_) => address.clone(),
        }
    }
}

/// The first three groups of an IPv6 /64 by which limits count, which are those of its /48: a /48
/// is rented as easily as a /64. `None` for other addresses.
pub(crate) fn site_of(limit_address: &str) -> Option<&str> {
    let (site, _) = limit_address.strip_suffix("::/64")?.rsplit_once(':')?;
    Some(site)
}

/// The network that an address belongs to: its /48, or an IPv4 address by itself.
pub(crate) fn network_of(limit_address: &str) -> &str {
    site_of(limit_address).unwrap_or(limit_address)
}

/// The refusal for what belongs to somebody else; it says nothing about whether it exists.
pub(crate) fn not_yours() -> Error {
    Error::refused(ErrorReason::PermissionDenied, "only the caller's own uid and email are allowed")
}

/// Takes a text over from a header: without control characters and not too long.
fn header_text(value: &http::HeaderValue) -> Option<String> {
    let text = String::from_utf8_lossy(value.as_bytes());
    let clean: String = text.chars().filter(|letter| !letter.is_control()).take(LONGEST_TEXT).collect();
    if clean.is_empty() { None } else { Some(clean) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(address: &str) -> String {
        Caller { client_address: Some(address.to_owned()), ..Caller::nobody() }.limit_address()
    }

    #[test]
    fn limites_contam_ipv6_por_rede_de_64() {
        assert_eq!(from("2001:db8:1:2:3:4:5:6"), from("2001:db8:1:2::9"));
        assert_ne!(from("2001:db8:1:2::1"), from("2001:db8:1:3::1"));
        assert_eq!(from("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network_of(&from("2001:db8:1:2::1")), "2001:db8:1");
        assert_eq!(network_of(&from("192.0.2.7")), "192.0.2.7");
    }
}
