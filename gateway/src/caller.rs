//! Who calls: what the gateway knows about a request and tells the services.

use crate::backend::Backend;
use crate::budget::Share;
use crate::error::ApiError;
use crate::public_url::PublicUrl;
use crate::session_cookie::{self, SessionChange};
use axum::extract::{ConnectInfo, FromRequestParts};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::metadata;
use http::header::{AUTHORIZATION, COOKIE, FORWARDED, ORIGIN, SET_COOKIE, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tonic::Status;
use tonic::body::Body;

const REQUEST_ID: &str = "x-request-id";
const FORWARDED_FOR: &str = "x-forwarded-for";
/// Longest part of a user agent that is passed on, in bytes.
const MAX_USER_AGENT: usize = 512;
/// No call takes longer, whatever its caller allows.
const LONGEST_CALL: Duration = Duration::from_secs(25);

/// Facts about one request, and the change to its session that the answer brings.
#[derive(Clone)]
pub(crate) struct Caller(Arc<Facts>);

struct Facts {
    authorization: Option<HeaderValue>,
    credential: Credential,
    address: IpAddr,
    user_agent: HeaderValue,
    request_id: HeaderValue,
    own_origin: bool,
    told: Mutex<Told>,
    /// Bytes of its body, until it is answered.
    body: Mutex<Option<Share>>,
    /// Its place among the requests under way.
    under_way: Mutex<Option<Share>>,
    is_body_read: AtomicBool,
}

/// What the servers told the gateway alone, beside their answers.
#[derive(Default)]
struct Told {
    change: Option<SessionChange>,
    uid: Option<HeaderValue>,
}

/// How a request says who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// It does not.
    None,
    /// By the session cookie, which browsers send without being asked.
    Cookie,
    /// By an authorization header; a cookie beside it is ignored.
    Header,
}

impl Caller {
    /// Reads the facts and takes out of the request what no one behind the gateway may see.
    pub fn read<B>(public_url: &PublicUrl, trusted_proxies: &[IpNet], request: &mut Request<B>) -> Self {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let headers = request.headers_mut();
        let https = public_url.is_https();

        let (authorization, credential) = match headers.get(AUTHORIZATION) {
            Some(value) => (Some(value.clone()), Credential::Header),
            None => match session_cookie::token(headers, https).and_then(bearer) {
                Some(value) => (Some(value), Credential::Cookie),
                None => (None, Credential::None),
            },
        };
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let facts = Facts {
            authorization,
            credential,
            address: client_address(peer, headers, trusted_proxies),
            user_agent: bounded_user_agent(headers),
            request_id: new_request_id(),
            own_origin: headers.get(ORIGIN).is_some_and(|o| *o == *public_url.origin()),
            told: Mutex::default(),
            body: Mutex::default(),
            under_way: Mutex::default(),
            is_body_read: AtomicBool::new(false),
        };
        headers.remove(COOKIE);
        drop_ours(headers);
        Self(Arc::new(facts))
    }

    /// How the request says who it is.
    pub fn credential(&self) -> Credential {
        self.0.credential
    }

    /// Whether the request names our own origin.
    pub fn is_own_origin(&self) -> bool {
        self.0.own_origin
    }

    /// Address of the visitor.
    pub fn address(&self) -> IpAddr {
        self.0.address
    }

    /// Holds the bytes of the request's body until it is answered.
    pub fn hold_body(&self, share: Share) {
        *locked(&self.0.body) = Some(share);
    }

    /// Holds the request's place among those under way.
    pub fn hold_place(&self, share: Share) {
        *locked(&self.0.under_way) = Some(share);
    }

    /// Returns the request's place among those under way, where it has one.
    pub fn take_place(&self) -> Option<Share> {
        locked(&self.0.under_way).take()
    }

    /// Records that the request's body was read to its end.
    pub fn body_ends(&self) {
        self.0.is_body_read.store(true, Ordering::Relaxed);
    }

    /// Whether the request's body was read to its end.
    pub fn is_body_read(&self) -> bool {
        self.0.is_body_read.load(Ordering::Relaxed)
    }

    /// Id of the request, in logs and in answers.
    pub fn request_id(&self) -> &HeaderValue {
        &self.0.request_id
    }

    /// Ends the browser's session, whatever the server said.
    pub fn end_session(&self) {
        self.told().change = Some(SessionChange::End);
    }

    /// Puts the request's id on the answer, and the change to the session that its calls brought. Answers the account
    /// that made them.
    pub fn sign(&self, headers: &mut HeaderMap, https: bool) -> Option<HeaderValue> {
        let Told { change, uid } = std::mem::take(&mut *self.told());
        if let Some(cookie) = change.and_then(|change| session_cookie::header(&change, https)) {
            headers.append(SET_COOKIE, cookie);
        }
        headers.insert(REQUEST_ID, self.0.request_id.clone());
        uid
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        locked(&self.0.told)
    }

    /// The backend as this caller reaches it: every call carries the caller's facts, and a session in its answer
    /// is kept here instead of going out.
    pub fn wrap(&self, backend: &Backend) -> Backend {
        let (caller, backend) = (self.clone(), backend.clone());
        Backend::new(move |request| {
            let (caller, backend) = (caller.clone(), backend.clone());
            async move { caller.call(&backend, request).await }
        })
    }

    /// Makes one call.
    pub async fn call(
        &self,
        backend: &Backend,
        mut request: Request<Body>,
    ) -> Result<Response<Body>, Status> {
        let deadline = deadline(request.headers());
        self.write_to(request.headers_mut());
        let mut response = tokio::time::timeout(deadline, backend.answer(request))
            .await
            .map_err(|_| Status::deadline_exceeded("the call took too long"))??;
        if let Some(uid) = response.headers_mut().remove(metadata::UID) {
            self.told().uid = Some(uid);
        }
        if let Some(change) = session_cookie::take_change(response.headers_mut()) {
            self.told().change = Some(change);
        }
        drop_ours(response.headers_mut());
        Ok(response)
    }

    fn write_to(&self, headers: &mut HeaderMap) {
        if let Some(authorization) = &self.0.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        if let Ok(address) = HeaderValue::from_str(&self.0.address.to_string()) {
            headers.insert(metadata::CLIENT_ADDRESS, address);
        }
        headers.insert(metadata::USER_AGENT, self.0.user_agent.clone());
        headers.insert(metadata::REQUEST_ID, self.0.request_id.clone());
        if self.0.own_origin {
            headers.insert(metadata::OWN_ORIGIN, HeaderValue::from_static("1"));
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get().cloned().ok_or_else(|| ApiError::new(ErrorReason::Internal))
    }
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bearer(token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// What servers believe comes from nobody outside.
fn drop_ours(headers: &mut HeaderMap) {
    let ours: Vec<_> =
        headers.keys().filter(|name| name.as_str().starts_with(metadata::PREFIX)).cloned().collect();
    for name in ours {
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
    HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("0"))
}

/// The caller's own `grpc-timeout`, bounded by ours.
fn deadline(headers: &HeaderMap) -> Duration {
    let asked = headers.get("grpc-timeout").and_then(|v| v.to_str().ok()).and_then(grpc_timeout);
    asked.map_or(LONGEST_CALL, |t| t.min(LONGEST_CALL))
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

/// Headers that speak about one hop or to the gateway alone, and never pass to the services.
pub(crate) fn drop_hop_headers(headers: &mut HeaderMap) {
    for name in [
        "connection",
        "keep-alive",
        "proxy-connection",
        "transfer-encoding",
        "upgrade",
        "host",
        "content-length",
    ] {
        headers.remove(name);
    }
    headers.remove(FORWARDED);
    headers.remove(FORWARDED_FOR);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn address(peer: &str, forwarded: &[&'static str], trusted: &[&str]) -> String {
        let headers: HeaderMap = forwarded
            .iter()
            .map(|v| (http::HeaderName::from_static(FORWARDED_FOR), HeaderValue::from_static(v)))
            .collect();
        let trusted: Vec<IpNet> = trusted.iter().map(|t| t.parse().unwrap()).collect();
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn endereco_do_cliente_e_o_ultimo_salto_que_nao_e_proxy_de_confianca() {
        let proxies = ["10.0.0.0/8"];
        assert_eq!(address("203.0.113.9", &["1.2.3.4"], &[]), "203.0.113.9");
        assert_eq!(address("203.0.113.9", &["1.2.3.4"], &proxies), "203.0.113.9");
        assert_eq!(address("10.0.0.1", &["1.2.3.4, 5.6.7.8"], &proxies), "5.6.7.8");
        assert_eq!(address("10.0.0.1", &["1.2.3.4", "5.6.7.8, 10.0.0.2"], &proxies), "5.6.7.8");
        assert_eq!(address("10.0.0.1", &["10.0.0.3"], &proxies), "10.0.0.3");
        assert_eq!(address("10.0.0.1", &[], &proxies), "10.0.0.1");
        assert_eq!(address("10.0.0.1", &["5.6.7.8, lixo"], &proxies), "10.0.0.1");
        assert_eq!(address("10.0.0.1", &["5.6.7.8:443"], &proxies), "5.6.7.8");
    }

    #[test]
    fn byte_fora_do_ascii_escrito_pelo_cliente_nao_esconde_o_salto_do_proxy() {
        let line = HeaderValue::from_bytes(b"\xe9, 198.51.100.77").unwrap();
        let headers = HeaderMap::from_iter([(http::HeaderName::from_static(FORWARDED_FOR), line)]);

        let client =
            client_address("127.0.0.1".parse().unwrap(), &headers, &["127.0.0.0/8".parse().unwrap()]);

        assert_eq!(client.to_string(), "198.51.100.77");
    }

    #[test]
    fn endereco_vai_inteiro_e_ipv4_mapeado_e_ipv4() {
        assert_eq!(address("2001:db8:1:2:3:4:5:6", &[], &[]), "2001:db8:1:2:3:4:5:6");
        assert_eq!(
            address("::ffff:10.0.0.1", &["[2001:db8:a:b:c::1]"], &["10.0.0.0/8"]),
            "2001:db8:a:b:c::1"
        );
        assert_eq!(address("::ffff:1.2.3.4", &[], &[]), "1.2.3.4");
    }

    #[test]
    fn prazo_do_chamador_vale_ate_o_nosso() {
        assert_eq!(grpc_timeout("10S"), Some(Duration::from_secs(10)));
        assert_eq!(grpc_timeout("250m"), Some(Duration::from_millis(250)));
        for bad in ["", "S", "123456789S", "1x", "é"] {
            assert_eq!(grpc_timeout(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn qualquer_prazo_e_lido_ou_ignorado_e_nunca_passa_do_nosso(text in prop_oneof![any::<String>(), "[0-9]{0,10}[HMSmunx]?"]) {
            let Ok(value) = HeaderValue::from_str(&text) else { return Ok(()) };
            let headers = HeaderMap::from_iter([(http::HeaderName::from_static("grpc-timeout"), value)]);
            prop_assert!(deadline(&headers) <= LONGEST_CALL);
        }

        #[test]
        fn qualquer_x_forwarded_for_de_quem_nao_e_proxy_nao_muda_o_endereco(
            line in prop_oneof![any::<String>(), "[0-9a-f:., \\[\\]]{0,40}"]
        ) {
            let Ok(value) = HeaderValue::from_bytes(line.as_bytes()) else { return Ok(()) };
            let headers = HeaderMap::from_iter([(http::HeaderName::from_static(FORWARDED_FOR), value)]);
            let peer: IpAddr = "203.0.113.9".parse().expect("an address");
            prop_assert_eq!(client_address(peer, &headers, &[]), peer);
            let _ = client_address(peer, &headers, &["203.0.113.0/24".parse().expect("a net")]);
        }

        #[test]
        fn qualquer_user_agent_vai_adiante_visivel_e_curto(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
            let Ok(value) = HeaderValue::from_bytes(&bytes) else { return Ok(()) };
            let kept = bounded_user_agent(&HeaderMap::from_iter([(USER_AGENT, value)]));
            prop_assert!(kept.len() <= MAX_USER_AGENT && kept.to_str().is_ok());
        }
    }
}
