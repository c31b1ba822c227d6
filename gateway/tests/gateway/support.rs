//! Fake services that return what a test sets and record their calls.

use axum::Router;
use axum::body::Body as AxumBody;
use axum::extract::ConnectInfo;
use bytes::{BufMut, Bytes, BytesMut};
use garimpo_gateway::budget::GatewayLimits;
use garimpo_gateway::{Advertising, Checkout, Files, PublicUrl, Servers, Settings, backend};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use prost::Message;
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tonic::Status;
use tonic::body::Body;
use tonic::service::Routes;
use tower::ServiceExt;

pub const HTTP: &str = "http://127.0.0.1:8080";
/// A well-formed signature header of an event.
pub const SIGNATURE: &str =
    "t=1700000000,v1=71d8e063d0e14edb336866bf8b3dbf969e05232f26b882a084db93babf9ca0dd";
pub const HTTPS: &str = "https://garimpo.example";

/// A recorded call.
#[derive(Clone)]
pub struct Seen {
    pub headers: HeaderMap,
    pub message: Bytes,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|v| v.to_str().unwrap())
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

    async fn answer(self, request: Request<AxumBody>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let framed = body.collect().await.unwrap().to_bytes();
        let path = parts.uri.path().to_owned();
        let message = framed.slice(framed.len().min(5)..);
        self.seen.lock().unwrap().push(Seen { headers: parts.headers, message });
        let found = self.answers.lock().unwrap().get(&path).cloned();
        match found {
            Some((Answer::Message(message), headers)) => grpc_response(&message, headers),
            Some((Answer::Refused(status), _)) => status.into_http(),
            None => Status::unimplemented("not in this test").into_http(),
        }
    }

    pub fn routes(&self) -> Routes {
        let services = self.clone();
        Router::new().fallback(move |request| services.clone().answer(request)).into()
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
        let backend = backend::in_process(services.routes());
        Self::over(services, settings, backend)
    }

    pub fn over(services: Services, settings: Settings, servers: impl Into<Servers>) -> Self {
        let router = garimpo_gateway::router(settings, servers, Arc::new(|| true));
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
