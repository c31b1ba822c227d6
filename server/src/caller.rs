//! The caller of a request with its resolved token, for every service.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use garimpo_domain::person::email_as_compared;
use garimpo_domain::{SessionId, Timestamp, Uid};
use garimpo_proto::SessionChange;
use tokio::sync::OwnedSemaphorePermit;

use crate::address_rate_limiter::AddressRateLimiter;
use crate::client_network::limit_address;
use crate::error::{Error, ErrorReason, Result};
use crate::measures::LINES_LEFT_OUT;
use crate::store::ServiceTokenRow;
use denial::Denial;

pub(crate) mod denial;
mod service;

pub(crate) use service::TokenShare;
pub use service::{Scope, Service};

/// Prefix of a service token.
pub(crate) const SERVICE_PREFIX: &str = "gv_";
/// Message for a token that identifies no caller.
const UNKNOWN_TOKEN: &str = "the token is unknown, has ended or was revoked";
/// Log lines about denials, per client and second. Anybody can invent tokens.
static DENIAL_LINES: LazyLock<AddressRateLimiter> = LazyLock::new(|| AddressRateLimiter::per_second(10));
/// When a slot for one more watch may be free.
const WATCH_RETRY_AFTER: Duration = Duration::from_secs(5);

/// The caller of one request; every service finds it in the request's extensions.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Principal,
    /// The caller as the port read it.
    port: Arc<garimpo_proto::Caller>,
    /// The kind of token in the call, valid or not.
    pub shown: Shown,
    /// The service token in the call, if it was revoked.
    pub(crate) revoked: Option<Arc<ServiceTokenRow>>,
    /// The first reason for which a service was denied this call.
    denied: OnceLock<Denial>,
}

#[derive(Debug, Clone)]
pub enum Principal {
    /// No token, or the token of a session that has ended.
    Anonymous,
    /// The holder of a live session.
    Session(Arc<Identity>),
    /// The holder of a live ID token.
    IdToken(Arc<Identity>),
    /// A service of ours.
    Service(Arc<Service>),
}

/// The kind of token in a call, by its prefix alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Nothing,
    ServiceToken,
    /// A person's token, or any other text.
    Other,
}

impl Shown {
    fn of(tokens: &[String]) -> Self {
        match tokens.first() {
            None => Self::Nothing,
            Some(token) if token.starts_with(SERVICE_PREFIX) => Self::ServiceToken,
            Some(_) => Self::Other,
        }
    }
}

/// The identity behind a session or ID token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub uid: Uid,
    /// Lower case.
    pub email: String,
    pub display_name: String,
    /// Id of the session, or of the session with which the ID token was created. Empty for a token
    /// of an outside provider, which belongs to no session.
    pub session_id: SessionId,
    pub outside_token: Option<ShownToken>,
}

/// A call's token of an outside identity provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownToken {
    /// Hash of the token, by which it is revoked.
    pub id: String,
    /// When its holder entered the password.
    pub authenticated_at: Timestamp,
    /// When it expires, in real time.
    pub ends_at: Timestamp,
}

impl Caller {
    /// The caller of a request.
    pub fn of<T>(request: &tonic::Request<T>) -> Arc<Self> {
        let caller = request.extensions().get::<Arc<Self>>().cloned();
        caller.unwrap_or_else(|| Arc::new(Self::resolved(Arc::default(), Principal::Anonymous, None)))
    }

    /// A caller with the holder of its token, or the service token that was revoked.
    pub(crate) fn resolved(
        port: Arc<garimpo_proto::Caller>,
        principal: Principal,
        revoked: Option<Arc<ServiceTokenRow>>,
    ) -> Self {
        let shown = Shown::of(port.credential.tokens());
        Self { principal, port, shown, revoked, denied: OnceLock::new() }
    }

    /// Address of the visitor; `None` for a call that did not come over the public port.
    pub fn client_address(&self) -> Option<IpAddr> {
        self.port.address
    }

    /// Browser or program of the visitor.
    pub fn user_agent(&self) -> Option<&str> {
        self.port.user_agent.as_deref()
    }

    /// Id of this request, also in the log.
    pub fn request_id(&self) -> &str {
        &self.port.request_id
    }

    /// Whether a page of our own made the call.
    pub fn is_own_page(&self) -> bool {
        self.port.is_own_origin
    }

    /// The token of the call, valid or not.
    pub(crate) fn token(&self) -> Option<&str> {
        self.port.credential.tokens().first().map(String::as_str)
    }

    /// Gives the browser a session, or ends its session. Callers without a browser use no cookie.
    pub(crate) fn set_session(&self, change: SessionChange) {
        self.port.set_session(change);
    }

    /// Names the account that makes the call, for the log of its port.
    pub(crate) fn set_uid(&self, uid: &Uid) {
        self.port.set_uid(uid);
    }

    /// The person who calls, if a person calls.
    pub fn known(&self) -> Option<&Identity> {
        match &self.principal {
            Principal::Session(identity) | Principal::IdToken(identity) => Some(identity),
            Principal::Anonymous | Principal::Service(_) => None,
        }
    }

    /// The person who calls; UNAUTHENTICATED for an anonymous call, PERMISSION_DENIED for a
    /// service.
    pub fn identity(&self) -> Result<&Identity> {
        match &self.principal {
            Principal::Session(identity) | Principal::IdToken(identity) => Ok(identity),
            Principal::Anonymous if self.shown == Shown::ServiceToken => {
                Err(self.deny(Denial::UnknownToken, UNKNOWN_TOKEN))
            }
            Principal::Anonymous => {
                Err(Error::refused(ErrorReason::Unauthenticated, "no live session or token"))
            }
            Principal::Service(_) => Err(self.deny(Denial::WrongScope, "a service token acts for no person")),
        }
    }

    /// The person who calls, if the request's email is theirs; PERMISSION_DENIED otherwise.
    pub fn identity_of_email(&self, email: &str) -> Result<&Identity> {
        let identity = self.identity()?;
        if identity.email == email_as_compared(email) { Ok(identity) } else { Err(not_yours()) }
    }

    /// Requires a service token with a scope, and counts one call against its rate limit.
    pub fn require_scope(&self, scope: Scope) -> Result<()> {
        self.require_calls(scope, 1)
    }

    /// Requires a service token with a scope, and counts `calls` against its rate limit.
    ///
    /// UNAUTHENTICATED without a valid token, PERMISSION_DENIED without the scope,
    /// TOO_MANY_REQUESTS beyond the token's rate.
    pub fn require_calls(&self, scope: Scope, calls: u32) -> Result<()> {
        match &self.principal {
            Principal::Service(service) if service.has(scope) => {
                service.share.limiter.take(calls).map_err(|pause| {
                    self.deny(Denial::TooManyCalls, "this token calls too often").retry_after(pause)
                })
            }
            Principal::Anonymous if self.shown != Shown::Nothing => {
                Err(self.deny(Denial::UnknownToken, UNKNOWN_TOKEN))
            }
            Principal::Anonymous => Err(self.deny(Denial::NoToken, "no token came with the call")),
            _ => {
                let needed = format!("a service token with {} is needed", scope.name());
                Err(self.deny(Denial::WrongScope, needed))
            }
        }
    }

    /// Acquires one of the watches that the token may have open at once, until the permit is
    /// dropped; TOO_MANY_REQUESTS if all are open.
    pub(crate) fn open_watch(&self) -> Result<Option<OwnedSemaphorePermit>> {
        let Principal::Service(service) = &self.principal else { return Ok(None) };
        let full = "this token has as many watches open as it may";
        let refused = || self.deny(Denial::TooManyWatches, full).retry_after(WATCH_RETRY_AFTER);
        service.share.watch().map(Some).ok_or_else(refused)
    }

    /// The refusal of a call that only our pages and our services may make. A call with a token was
    /// meant to be a service's, so it is recorded as a denial.
    pub(crate) fn not_our_page(&self, message: &str) -> Error {
        let denial = match &self.principal {
            Principal::Anonymous if self.shown == Shown::Nothing => None,
            Principal::Anonymous => Some(Denial::UnknownToken),
            Principal::Service(_) | Principal::IdToken(_) => Some(Denial::WrongScope),
            Principal::Session(_) => None,
        };
        if let Some(denial) = denial {
            let _ = self.denied.set(denial);
        }
        Error::refused(ErrorReason::PermissionDenied, message)
    }

    /// The refusal of a service, recorded for the call's log line and metric.
    fn deny(&self, denial: Denial, message: impl Into<String>) -> Error {
        // The first denial is the one with which the call ends.
        let _ = self.denied.set(denial);
        Error::refused(denial.reason(), message)
    }

    /// The reason for which a service was denied this call.
    pub(crate) fn denial(&self) -> Option<Denial> {
        self.denied.get().copied()
    }

    /// The refusal of a watch whose token was revoked while it was open. It is logged here, because
    /// the call was logged when the watch began.
    pub(crate) fn watch_revoked(&self, rpc: &str) -> Error {
        self.log_denial(Denial::UnknownToken, rpc);
        Error::refused(ErrorReason::Unauthenticated, "the token was revoked")
    }

    /// Counts and logs a denial; the token is logged by id and name, never by its text.
    pub(crate) fn log_denial(&self, denial: Denial, rpc: &str) {
        denial.count(self.port.address.is_some());
        let address = self.port.address.or(self.port.peer);
        if DENIAL_LINES.check(&limit_address(address)).is_err() {
            metrics::counter!(LINES_LEFT_OUT, "class" => "denied").increment(1);
            return;
        }
        let token = match &self.principal {
            Principal::Service(service) => Some(&service.token),
            _ => self.revoked.as_deref(),
        };
        tracing::warn!(
            target: "garimpo::call",
            rpc,
            denied = denial.name(),
            token.id = token.map(|token| token.id.as_str()),
            token.name = token.map(|token| token.name.as_str()),
            user.id = self.known().map(|identity| &*identity.uid),
            client.address = address.map(tracing::field::display),
            "{rpc} denied: {}",
            denial.name()
        );
    }

    /// The address by which limits count this caller.
    pub fn limit_address(&self) -> String {
        limit_address(self.port.address)
    }
}

/// The refusal of what belongs to another account; it does not reveal whether that exists.
pub(crate) fn not_yours() -> Error {
    Error::refused(ErrorReason::PermissionDenied, "only the caller's own uid and email are allowed")
}
