//! A request under way: its caller, and what it holds of the budgets.

use crate::backend::Backend;
use crate::budget::Share;
use crate::error::ApiError;
use crate::public_url::PublicUrl;
use crate::session_cookie;
use axum::extract::{ConnectInfo, FromRequestParts};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::{Caller, Credential, Handlers, Reply, Services};
use garimpo_telemetry::TraceContext;
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
use tonic::{Request, Status};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Longest part of a user agent that is passed on, in bytes.
const MAX_USER_AGENT: usize = 512;
/// Upper bound of every call's deadline, also if its caller allows more.
const MAX_DEADLINE: Duration = Duration::from_secs(25);

/// A request under way.
#[derive(Clone)]
pub(crate) struct RequestContext(Arc<Context>);

pub(crate) struct Context {
    pub caller: Arc<Caller>,
    /// Address of the visitor, behind trusted proxies.
    pub address: IpAddr,
    state: Mutex<RequestState>,
}

#[derive(Default)]
pub(crate) struct RequestState {
    /// Bytes of the request's body, held until the request ends.
    pub body_bytes: Option<Share>,
    /// The request's place among those under way.
    pub place: Option<Share>,
    /// Whether the request's body was read to its end.
    pub is_body_read: bool,
    /// When the body had arrived or was given up. Until then its sender takes the time, not we.
    pub body_ended: Option<Instant>,
}

impl Deref for RequestContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0
    }
}

impl RequestContext {
    /// Reads the caller of a request that runs in the span of `trace`. The cookie ends here.
    pub fn read<B>(
        public_url: &PublicUrl,
        trusted_proxies: &[IpNet],
        trace: TraceContext,
        request: &mut http::Request<B>,
    ) -> Self {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let headers = request.headers_mut();
        let address =
            client_address(peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), headers, trusted_proxies);
        let caller = Caller {
            address: Some(address),
            peer,
            user_agent: bounded_user_agent(headers),
            request_id: hex::encode(rand::random::<[u8; 12]>()),
            trace,
            is_own_origin: headers.get(ORIGIN).is_some_and(|origin| *origin == *public_url.origin()),
            credential: credential(headers, public_url.is_https()),
            ..Caller::default()
        };
        headers.remove(COOKIE);
        Self(Arc::new(Context { caller: Arc::new(caller), address, state: Mutex::default() }))
    }

    pub fn state(&self) -> MutexGuard<'_, RequestState> {
        self.state.lock()
    }

    /// Adds the request's id and the changed session to the response.
    pub fn complete(&self, headers: &mut HeaderMap, https: bool) {
        let changed = self.caller.session();
        if let Some(cookie) = changed.and_then(|change| session_cookie::header(&change, https)) {
            headers.append(SET_COOKIE, cookie);
        }
        if let Ok(mut id) = HeaderValue::from_str(&self.caller.request_id) {
            // HTTP/2 does not index sensitive values. Each id is sent once, so indexing it would
            // only evict other headers.
            id.set_sensitive(true);
            headers.insert(REQUEST_ID, id);
        }
    }

    /// Forwards one encoded call to the services.
    pub async fn forward(
        &self,
        backend: &Backend,
        mut request: http::Request<Body>,
    ) -> Result<http::Response<Body>, Status> {
        let deadline = deadline(request.headers());
        request.extensions_mut().insert(self.caller.clone());
        timeout(deadline, backend.respond(request)).await.map_err(too_slow)
    }

    /// Makes one direct call of the `package.Service/Method` `rpc`.
    pub async fn call<Q: Send, R: Send>(
        &self,
        services: &Services,
        deadline: Duration,
        rpc: &'static str,
        message: Q,
        call: impl for<'a> FnOnce(&'a Handlers, Request<Q>) -> Reply<'a, R> + Send,
    ) -> Result<R, Status> {
        timeout(deadline, services.call(rpc, &self.caller, message, call)).await.map_err(too_slow)?
    }
}

fn too_slow(_: Elapsed) -> Status {
    Status::deadline_exceeded("the call took too long")
}

impl<S: Sync> FromRequestParts<S> for RequestContext {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get().cloned().ok_or_else(|| ApiError::new(ErrorReason::Internal))
    }
}

/// The credential of a request: an authorization header excludes the cookie.
fn credential(headers: &HeaderMap, https: bool) -> Credential {
    if let Some(value) = headers.get(AUTHORIZATION) {
        return Credential::bearer(value);
    }
    let tokens: Vec<_> = session_cookie::tokens(headers, https).map(str::to_owned).collect();
    if tokens.is_empty() { Credential::None } else { Credential::Cookie(tokens) }
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

fn bounded_user_agent(headers: &HeaderMap) -> Option<String> {
    let bytes = headers.get(USER_AGENT)?.as_bytes();
    let visible = bytes.iter().copied().filter(|byte| (0x20..0x7f).contains(byte));
    let text: String = visible.take(MAX_USER_AGENT).map(char::from).collect();
    (!text.is_empty()).then_some(text)
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
