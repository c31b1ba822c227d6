//! Fake services that return what a test sets and record their calls.

use axum::Router;
use axum::body::Body as AxumBody;
use axum::extract::ConnectInfo;
use bytes::{BufMut, Bytes, BytesMut};
use futures::future::BoxFuture;
use garimpo_gateway::budget::GatewayLimits;
use garimpo_gateway::{Advertising, Checkout, Files, PublicUrl, Settings};
use garimpo_proto::{Caller, DirectCall, Handlers, SessionChange, Surround};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use prost::Message;
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Extensions, Status};
use tower::ServiceExt;

pub const HTTP: &str = "http://127.0.0.1:8080";
/// A well-formed signature header of an event.
pub const SIGNATURE: &str =
    "t=1700000000,v1=71d8e063d0e14edb336866bf8b3dbf969e05232f26b882a084db93babf9ca0dd";
pub const HTTPS: &str = "https://garimpo.example";

/// A recorded call.
#[derive(Clone)]
pub struct Seen {
    pub caller: Arc<Caller>,
    /// Headers of an encoded call.
    pub headers: HeaderMap,
    pub message: Bytes,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|v| v.to_str().unwrap())
    }

    /// The tokens of the call.
    pub fn tokens(&self) -> &[String] {
        self.caller.credential.tokens()
    }

    pub fn message<M: Message + Default>(&self) -> M {
        M::decode(self.message.clone()).unwrap()
    }
}

#[derive(Clone)]
enum Answer {
    Message(Bytes),
    Refused(Status),
}

/// All services behind the gateway.
#[derive(Clone, Default)]
pub struct Services {
    seen: Arc<Mutex<Vec<Seen>>>,
    answers: Arc<Mutex<HashMap<String, (Answer, HeaderMap)>>>,
    session: Arc<Mutex<Option<SessionChange>>>,
    is_broken: Arc<AtomicBool>,
}

impl Services {
    /// From now on `Service/Method` returns this message and these headers.
    pub fn answers<M: Message>(
        &self,
        rpc: &str,
        message: &M,
        headers: &[(&'static str, &'static str)],
    ) -> &Self {
        self.set(rpc, Answer::Message(message.encode_to_vec().into()), headers)
    }

    /// From now on `Service/Method` returns this status.
    pub fn refuses(&self, rpc: &str, status: Status) -> &Self {
        self.set(rpc, Answer::Refused(status), &[])
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn last(&self) -> Seen {
        self.seen().pop().expect("a call")
    }

    fn set(&self, rpc: &str, answer: Answer, headers: &[(&'static str, &'static str)]) -> &Self {
        let headers =
            headers.iter().map(|(k, v)| (HeaderName::from_static(k), HeaderValue::from_static(v))).collect();
        self.answers.lock().unwrap().insert(format!("/{rpc}"), (answer, headers));
        self
    }

    /// From now on every call changes the session of its browser.
    pub fn changes_session(&self, change: SessionChange) {
        *self.session.lock().unwrap() = Some(change);
    }

    /// From now on every call panics.
    pub fn panics(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }

    /// Records a call and returns what a test has set for it.
    fn answer(&self, rpc: &str, seen: Seen) -> (Answer, HeaderMap) {
        if let Some(change) = self.session.lock().unwrap().clone() {
            seen.caller.set_session(change);
        }
        self.seen.lock().unwrap().push(seen);
        assert!(!self.is_broken.load(Ordering::Relaxed), "a defect behind the gateway");
        let found = self.answers.lock().unwrap().get(rpc).cloned();
        let unknown = || (Answer::Refused(Status::unimplemented("not in this test")), HeaderMap::new());
        found.unwrap_or_else(unknown)
    }

    async fn encoded(self, request: Request<AxumBody>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let framed = body.collect().await.unwrap().to_bytes();
        let caller = parts.extensions.get::<Arc<Caller>>().expect("the gateway has read the caller").clone();
        let message = framed.slice(framed.len().min(5)..);
        match self.answer(parts.uri.path(), Seen { caller, headers: parts.headers, message }) {
            (Answer::Message(message), headers) => grpc_response(&message, headers),
            (Answer::Refused(status), _) => status.into_http(),
        }
    }

    pub fn direct<Q: Message, R: Message + Default>(
        &self,
        rpc: &str,
        request: tonic::Request<Q>,
    ) -> Result<tonic::Response<R>, Status> {
        let caller =
            request.extensions().get::<Arc<Caller>>().expect("it comes through the fake below").clone();
        let message = request.into_inner().encode_to_vec().into();
        match self.answer(&format!("/{rpc}"), Seen { caller, headers: HeaderMap::new(), message }).0 {
            Answer::Message(message) => Ok(tonic::Response::new(R::decode(message).unwrap())),
            Answer::Refused(status) => Err(status),
        }
    }

    /// For encoded calls.
    pub fn routes(&self) -> Routes {
        let services = self.clone();
        Router::new().fallback(move |request| services.clone().encoded(request)).into()
    }

    /// For direct calls.
    pub fn handlers(&self) -> garimpo_proto::Services {
        let this = Arc::new(self.clone());
        let handlers = Handlers {
            auth: this.clone(),
            users: this.clone(),
            billing: this.clone(),
            tracking: this.clone(),
            webhooks: this,
        };
        garimpo_proto::Services::new(handlers, Arc::new(NothingAround))
    }
}

/// Hands the caller to the fakes and nothing else.
struct NothingAround;

impl Surround for NothingAround {
    fn surround<'a>(
        &'a self,
        _: &'static str,
        caller: Arc<Caller>,
        call: DirectCall<'a>,
    ) -> BoxFuture<'a, Result<(), Status>> {
        let mut extensions = Extensions::new();
        extensions.insert(caller);
        call(extensions)
    }
}

fn grpc_response(message: &[u8], headers: HeaderMap) -> Response<Body> {
    let trailers =
        HeaderMap::from_iter([(HeaderName::from_static("grpc-status"), HeaderValue::from_static("0"))]);
    let frames = [Ok::<_, Infallible>(Frame::data(framed(message))), Ok(Frame::trailers(trailers))];
    let mut response = Response::new(Body::new(StreamBody::new(futures::stream::iter(frames))));
    *response.headers_mut() = headers;
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    response
}

/// A message as gRPC frames it.
pub fn framed(message: &[u8]) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.put_u8(0);
    bytes.put_u32(message.len() as u32);
    bytes.put_slice(message);
    bytes.freeze()
}

/// The gateway over the fake services.
pub struct Gateway {
    pub services: Services,
    router: Router,
}

impl Gateway {
    pub fn new() -> Self {
        Self::at(HTTP)
    }

    pub fn at(public_url: &str) -> Self {
        Self::with(settings(public_url))
    }

    pub fn with(settings: Settings) -> Self {
        let services = Services::default();
        let (direct, encoded) = (services.handlers(), services.routes());
        Self::over(services, settings, direct, encoded)
    }

    pub fn over(
        services: Services,
        settings: Settings,
        direct: garimpo_proto::Services,
        encoded: Routes,
    ) -> Self {
        let router = garimpo_gateway::router(settings, direct, encoded, Arc::new(|| true));
        Self { services, router }
    }

    pub async fn ask(&self, mut request: Request<AxumBody>) -> Answered {
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([203, 0, 113, 9], 4000))));
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let collected = body.collect().await.unwrap();
        let trailers = collected.trailers().cloned().unwrap_or_default();
        Answered { status: parts.status, headers: parts.headers, body: collected.to_bytes(), trailers }
    }

    /// The response to a request from an address, its body unread.
    pub fn answer(
        &self,
        from: IpAddr,
        mut request: Request<AxumBody>,
    ) -> impl Future<Output = axum::response::Response> + Send + 'static {
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(from, 4000)));
        let answering = self.router.clone().oneshot(request);
        async move { answering.await.unwrap() }
    }

    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answered {
        self.ask(request("GET", path, headers, "")).await
    }

    pub async fn post(&self, path: &str, headers: &[(&str, &str)], json: &str) -> Answered {
        let mut request = request("POST", path, headers, json);
        request.headers_mut().entry("content-type").or_insert(HeaderValue::from_static("application/json"));
        self.ask(request).await
    }

    pub async fn rpc<M: Message>(
        &self,
        kind: &str,
        rpc: &str,
        headers: &[(&str, &str)],
        message: &M,
    ) -> Answered {
        let mut request = request("POST", &format!("/{rpc}"), headers, "");
        *request.version_mut() = http::Version::HTTP_2;
        request.headers_mut().insert("content-type", HeaderValue::from_str(kind).unwrap());
        *request.body_mut() = AxumBody::from(framed(&message.encode_to_vec()));
        self.ask(request).await
    }
}

pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Request<AxumBody> {
    let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:8080");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(AxumBody::from(body.to_owned())).unwrap()
}

pub struct Answered {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub trailers: HeaderMap,
}

impl Answered {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|v| v.to_str().unwrap()).unwrap_or_default()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Status code of a call, from headers, trailers or body.
    pub fn grpc_code(&self) -> i32 {
        let named = self.headers.get("grpc-status").or(self.trailers.get("grpc-status"));
        if let Some(code) = named {
            return code.to_str().unwrap().parse().unwrap();
        }
        // gRPC-Web writes trailers as text after the last message.
        let body = String::from_utf8_lossy(&self.body);
        let (_, code) = body.split_once("grpc-status:").expect("a grpc status");
        code.trim().chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
    }
}

pub fn settings(public_url: &str) -> Settings {
    Settings {
        public_url: PublicUrl::parse(public_url).unwrap(),
        trusted_proxies: Vec::new(),
        checkout: Checkout {
            script_url: "http://127.0.0.1:12111/v3/".to_owned(),
            publishable_key: "pk_test_garimpo".to_owned(),
        },
        advertising: Advertising::default(),
        captcha: None,
        site: Files::Folder(PathBuf::from("/nonexistent")),
        limits: GatewayLimits::default(),
    }
}
