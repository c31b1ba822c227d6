//! The caller of a request: facts that the gateway reads from it and passes to the services.

use crate::backend::Backend;
use crate::budget::Share;
use crate::error::ApiError;
use crate::public_url::PublicUrl;
use crate::session_cookie::{self, SessionChange};
use axum::extract::{ConnectInfo, FromRequestParts};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::{Surround, metadata};
use garimpo_telemetry::TRACEPARENT;
use http::header::{
    AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, FORWARDED, HOST, ORIGIN, SET_COOKIE,
    TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;
use parking_lot::{Mutex, MutexGuard};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tonic::body::Body;
use tonic::{Request, Response, Status};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Longest part of a user agent that is passed on, in bytes.
const MAX_USER_AGENT: usize = 512;
/// Upper bound of every call's deadline, also if its caller allows more.
const MAX_DEADLINE: Duration = Duration::from_secs(25);

/// One request: who sent it, what it holds of the budgets, and what its response carries.
#[derive(Clone)]
pub(crate) struct Caller(Arc<Facts>);

/// Facts about a request.
pub(crate) struct Facts {
    authorization: Vec<HeaderValue>,
    pub credential: Credential,
    /// Address of the visitor, behind trusted proxies.
    pub address: IpAddr,
    user_agent: HeaderValue,
    /// In logs and in the response.
    pub request_id: HeaderValue,
    /// Our span of this request, if there is one.
    traceparent: Option<HeaderValue>,
    /// Whether the `Origin` header is our own origin.
    pub is_own_origin: bool,
    state: Mutex<RequestState>,
}

#[derive(Default)]
pub(crate) struct RequestState {
    /// The changed session of the browser, from the servers' responses.
    pub session: Option<SessionChange>,
    /// The account that made the calls, from the servers' responses.
    uid: Option<HeaderValue>,
    /// Bytes of the request's body, held until the request ends.
    pub body_bytes: Option<Share>,
    /// The request's place among those under way.
    pub place: Option<Share>,
    /// Whether the request's body was read to its end.
    pub is_body_read: bool,
    /// When the body had arrived or was given up. Until then its sender takes the time, not we.
    pub body_ended: Option<Instant>,
}

/// How a request authenticates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    None,
    /// The session cookie, which browsers send with every request.
    Cookie,
    /// An authorization header. A cookie beside it is ignored.
    Header,
}

impl Deref for Caller {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.0
    }
}

impl Caller {
    /// Reads the facts, and removes from the request the headers that must not reach the services.
    pub fn read<B>(
        public_url: &PublicUrl,
        trusted_proxies: &[IpNet],
        request: &mut http::Request<B>,
    ) -> Self {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let headers = request.headers_mut();

        let (authorization, credential) = if let Some(value) = headers.get(AUTHORIZATION) {
            (vec![value.clone()], Credential::Header)
        } else {
            let tokens = session_cookie::tokens(headers, public_url.is_https());
            let bearers: Vec<_> = tokens.filter_map(bearer).collect();
            let credential = if bearers.is_empty() { Credential::None } else { Credential::Cookie };
            (bearers, credential)
        };
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let facts = Facts {
            authorization,
            credential,
            address: client_address(peer, headers, trusted_proxies),
            user_agent: bounded_user_agent(headers),
            request_id: new_request_id(),
            traceparent: headers.get(TRACEPARENT).cloned(),
            is_own_origin: headers.get(ORIGIN).is_some_and(|origin| *origin == *public_url.origin()),
            state: Mutex::default(),
        };
        headers.remove(COOKIE);
        drop_metadata(headers);
        Self(Arc::new(facts))
    }

    pub fn state(&self) -> MutexGuard<'_, RequestState> {
        self.state.lock()
    }

    /// Adds the request's id and the changed session to the response. Returns the account that made
    /// the calls.
    pub fn apply_response_context(&self, headers: &mut HeaderMap, https: bool) -> Option<HeaderValue> {
        let (session, uid) = {
            let mut state = self.state();
            (state.session.take(), state.uid.take())
        };
        if let Some(cookie) = session.and_then(|change| session_cookie::header(&change, https)) {
            headers.append(SET_COOKIE, cookie);
        }
        headers.insert(REQUEST_ID, self.request_id.clone());
        uid
    }

    /// Forwards one encoded call to a backend.
    pub async fn call(
        &self,
        backend: &Backend,
        mut request: http::Request<Body>,
    ) -> Result<http::Response<Body>, Status> {
        let deadline = deadline(request.headers());
        self.write_to(request.headers_mut());
        let mut response = timeout(deadline, backend.respond(request)).await.map_err(too_slow)??;
        self.take_context(response.headers_mut());
        Ok(response)
    }

    /// Takes out of a response what is for the gateway alone.
    fn take_context(&self, headers: &mut HeaderMap) {
        let mut state = self.state();
        state.uid = headers.remove(metadata::UID).or(state.uid.take());
        state.session = session_cookie::take_change(headers).or(state.session.take());
        drop(state);
        drop_metadata(headers);
    }

    fn write_to(&self, headers: &mut HeaderMap) {
        headers.remove(AUTHORIZATION);
        for authorization in &self.authorization {
            headers.append(AUTHORIZATION, authorization.clone());
        }
        if let Ok(address) = HeaderValue::from_str(&self.address.to_string()) {
            headers.insert(metadata::CLIENT_ADDRESS, address);
        }
        headers.insert(metadata::USER_AGENT, self.user_agent.clone());
        headers.insert(metadata::REQUEST_ID, self.request_id.clone());
        if let Some(traceparent) = &self.traceparent {
            headers.insert(TRACEPARENT, traceparent.clone());
        }
        if self.is_own_origin {
            headers.insert(metadata::OWN_ORIGIN, HeaderValue::from_static("1"));
        }
    }
}

/// Every call carries the caller's facts, and a session in its response stays in the gateway.
impl Surround for Caller {
    async fn run<Q: Send, R: Send, F>(
        &self,
        _: &'static str,
        mut request: Request<Q>,
        call: impl FnOnce(Request<Q>) -> F + Send,
    ) -> Result<Response<R>, Status>
    where
        F: Future<Output = Result<Response<R>, Status>> + Send,
    {
        let deadline = deadline(request.metadata().as_ref());
        self.write_to(request.metadata_mut().as_mut());
        let mut answer = timeout(deadline, call(request)).await.map_err(too_slow)?;
        self.take_context(match &mut answer {
            Ok(response) => response.metadata_mut().as_mut(),
            Err(status) => status.metadata_mut().as_mut(),
        });
        answer
    }
}

fn too_slow(_: Elapsed) -> Status {
    Status::deadline_exceeded("the call took too long")
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get().cloned().ok_or_else(|| ApiError::new(ErrorReason::Internal))
    }
}

fn bearer(token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Drops our own metadata: only the gateway may send it to servers, and only servers to the
/// gateway.
fn drop_metadata(headers: &mut HeaderMap) {
    let names: Vec<_> =
        headers.keys().filter(|name| name.as_str().starts_with(metadata::PREFIX)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// The last X-Forwarded-For hop that is not a trusted proxy.
fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted = |ip: IpAddr| trusted.iter().any(|net| net.contains(&ip));
    let mut client = peer.to_canonical();
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    // Bytes, because a client can write any byte into the hops before those of our proxies.
    let hops = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    for hop in hops {
        if !is_trusted(client) {
            break;
        }
        let Some(address) = str::from_utf8(hop).ok().and_then(|hop| hop_address(hop.trim())) else { break };
        client = address;
    }
    client
}

/// An address as proxies write it: with or without a port, IPv6 with or without brackets.
fn hop_address(hop: &str) -> Option<IpAddr> {
    let bare = hop.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse().ok().or_else(|| hop.parse::<SocketAddr>().ok().map(|s| s.ip()));
    address.map(|ip| ip.to_canonical())
}

fn bounded_user_agent(headers: &HeaderMap) -> HeaderValue {
    let text = headers.get(USER_AGENT).map(HeaderValue::as_bytes).unwrap_or_default();
    let visible: Vec<u8> =
        text.iter().copied().filter(|b| (0x20..0x7f).contains(b)).take(MAX_USER_AGENT).collect();
    HeaderValue::from_bytes(&visible).unwrap_or(HeaderValue::from_static(""))
}

fn new_request_id() -> HeaderValue {
    let id = hex::encode(rand::random::<[u8; 12]>());
    let mut id = HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("0"));
    // HTTP/2 does not index sensitive values. Each id is sent once, so indexing it would only evict
    // other headers.
    id.set_sensitive(true);
    id
}

/// The caller's own `grpc-timeout`, at most ours.
fn deadline(headers: &HeaderMap) -> Duration {
    let requested = headers.get("grpc-timeout").and_then(|v| v.to_str().ok()).and_then(grpc_timeout);
    requested.map_or(MAX_DEADLINE, |time| time.min(MAX_DEADLINE))
}

/// Reads `grpc-timeout`: at most eight digits and a unit.
fn grpc_timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let n: u64 = (digits.len() <= 8).then(|| digits.parse().ok())??;
    Some(match unit {
        "H" => Duration::from_secs(n * 3600),
        "M" => Duration::from_secs(n * 60),
        "S" => Duration::from_secs(n),
        "m" => Duration::from_millis(n),
        "u" => Duration::from_micros(n),
        "n" => Duration::from_nanos(n),
        _ => return None,
    })
}

/// Headers of one hop, and those that are for the gateway alone.
const HOP_HEADERS: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    TRANSFER_ENCODING,
    UPGRADE,
    HOST,
    CONTENT_LENGTH,
    FORWARDED,
    FORWARDED_FOR,
];

/// Drops the headers that are not for the services.
pub(crate) fn drop_hop_headers(headers: &mut HeaderMap) {
    for name in &HOP_HEADERS {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests;
