//! The external identity provider: its own emulator, behind a proxy that can return failures.

use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A project that distinguishes an unknown email from a wrong password, as old projects do.
pub const REVEALS_UNKNOWN_EMAIL: &str = "demo-garimpo";
/// A project that does not distinguish an unknown email from a wrong password.
pub const HIDES_UNKNOWN_EMAIL: &str = "demo-protegido";

/// A project of the provider, as the product reaches it.
pub struct Identity {
    project: &'static str,
    emulator: String,
    proxy: FaultProxy,
    url: String,
    serving: JoinHandle<()>,
}

#[derive(Clone)]
struct FaultProxy {
    emulator: String,
    http: reqwest::Client,
    faults: Arc<Mutex<Vec<Fault>>>,
}

/// The reply to calls whose path ends with `path`, instead of the emulator's.
struct Fault {
    path: &'static str,
    status: u16,
    message: &'static str,
}

impl Drop for Identity {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Identity {
    /// Starts the proxy; `None` without the emulator of the run (`GARIMPO_TEST_IDENTITY_EMULATOR`,
    /// set by `make test`).
    pub async fn of(project: &'static str) -> Option<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the run's emulator is named by the environment of the test"
        )]
        let emulator = std::env::var("GARIMPO_TEST_IDENTITY_EMULATOR").ok()?;
        let emulator = format!("{emulator}/{project}");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let proxy =
            FaultProxy { emulator: emulator.clone(), http: crate::http::client(), faults: Arc::default() };
        let router = axum::Router::new().fallback(forward).with_state(proxy.clone());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Some(Self { project, emulator, proxy, url, serving })
    }

    /// The product's settings for this project.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("GARIMPO_IDENTITY", "identity-toolkit".into()),
            ("GARIMPO_IDENTITY_URL", format!("{}/identitytoolkit.googleapis.com", self.url)),
            ("GARIMPO_IDENTITY_API_KEY", API_KEY.into()),
            ("GARIMPO_IDENTITY_PROJECT", self.project.into()),
            ("GARIMPO_IDENTITY_EMULATOR", "1".into()),
        ]
    }

    /// Refuses calls whose path ends with `path`, until the faults are cleared.
    pub fn refuses(&self, path: &'static str, message: &'static str) {
        self.fails(path, 400, message);
    }

    /// Returns this status for calls whose path ends with `path`, until the faults are cleared.
    pub fn fails(&self, path: &'static str, status: u16, message: &'static str) {
        self.proxy.faults.lock().expect("no panic").push(Fault { path, status, message });
    }

    /// Ends all faults.
    pub fn recovers(&self) {
        self.proxy.faults.lock().expect("no panic").clear();
    }

    /// Stops the proxy for good.
    pub fn shut_down(&self) {
        self.serving.abort();
    }

    /// Calls the provider as another program does, with the project's public key.
    pub async fn does(&self, method: &str, body: Value) -> Value {
        let url =
            format!("{}/identitytoolkit.googleapis.com/v1/{method}?key=de-outro-programa", self.emulator);
        let answer = self.proxy.http.post(url).json(&body).send().await.expect("the emulator answers");
        answer.json().await.expect("JSON")
    }
}

/// Protects nothing in the emulator, but must not be logged.
pub const API_KEY: &str = "chave-que-nao-se-mostra";

async fn forward(
    State(proxy): State<FaultProxy>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let refused = {
        let faults = proxy.faults.lock().expect("no panic");
        let fault = faults.iter().find(|fault| uri.path().ends_with(fault.path));
        fault.map(|fault| (fault.status, fault.message))
    };
    if let Some((status, message)) = refused {
        let status = StatusCode::from_u16(status).expect("a status");
        let error =
            json!({ "code": status.as_u16(), "message": message, "errors": [{ "message": message }] });
        return (status, axum::Json(json!({ "error": error }))).into_response();
    }
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = proxy.http.request(method, format!("{}{path}", proxy.emulator)).body(body);
    for name in ["content-type", "authorization", "x-firebase-locale"] {
        if let Some(value) = headers.get(name) {
            request = request.header(name, value);
        }
    }
    let Ok(answer) = request.send().await else { return StatusCode::BAD_GATEWAY.into_response() };
    let (status, body) = (answer.status(), answer.bytes().await.unwrap_or_default());
    (status, [("content-type", "application/json")], body).into_response()
}
