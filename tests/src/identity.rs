//! The outside identity provider: its own emulator, behind a door that can fail as the emulator
//! never does.

use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A project that tells an unknown email from a wrong password, as old ones do.
pub const TELLS_APART: &str = "demo-garimpo";
/// A project that does not.
pub const TELLS_NOTHING: &str = "demo-protegido";

/// A project of the provider, as the product reaches it.
pub struct Identity {
    project: &'static str,
    emulator: String,
    door: Door,
    url: String,
    serving: JoinHandle<()>,
}

#[derive(Clone)]
struct Door {
    emulator: String,
    http: reqwest::Client,
    faults: Arc<Mutex<Vec<Fault>>>,
}

/// What a call whose path ends so is answered, instead of by the emulator.
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
    /// Opens the door; nothing without the emulator of the run (`GARIMPO_TEST_IDENTITY_EMULATOR`,
    /// by `make test`).
    pub async fn of(project: &'static str) -> Option<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the run's emulator is named by the environment of the test"
        )]
        let emulator = std::env::var("GARIMPO_TEST_IDENTITY_EMULATOR").ok()?;
        let emulator = format!("{emulator}/{project}");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let door = Door { emulator: emulator.clone(), http: crate::http::client(), faults: Arc::default() };
        let router = axum::Router::new().fallback(pass).with_state(door.clone());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Some(Self { project, emulator, door, url, serving })
    }

    /// What the product is told of it.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("GARIMPO_IDENTITY", "identity-toolkit".into()),
            ("GARIMPO_IDENTITY_URL", format!("{}/identitytoolkit.googleapis.com", self.url)),
            ("GARIMPO_IDENTITY_API_KEY", API_KEY.into()),
            ("GARIMPO_IDENTITY_PROJECT", self.project.into()),
            ("GARIMPO_IDENTITY_EMULATOR", "1".into()),
        ]
    }

    /// Answers calls whose path ends so as the provider refuses, until it heals.
    pub fn refuses(&self, path: &'static str, message: &'static str) {
        self.fails(path, 400, message);
    }

    /// Answers calls whose path ends so with this status, until it heals.
    pub fn fails(&self, path: &'static str, status: u16, message: &'static str) {
        self.door.faults.lock().expect("no panic").push(Fault { path, status, message });
    }

    /// Ends all faults.
    pub fn heals(&self) {
        self.door.faults.lock().expect("no panic").clear();
    }

    /// Is reached no more, for good.
    pub fn is_gone(&self) {
        self.serving.abort();
    }

    /// What a program of somebody else's does at the provider with the project's public key.
    pub async fn does(&self, method: &str, body: Value) -> Value {
        let url =
            format!("{}/identitytoolkit.googleapis.com/v1/{method}?key=de-outro-programa", self.emulator);
        let answer = self.door.http.post(url).json(&body).send().await.expect("the emulator answers");
        answer.json().await.expect("JSON")
    }
}

/// Worthless, and yet a secret.
pub const API_KEY: &str = "chave-que-nao-se-mostra";

async fn pass(
    State(door): State<Door>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let refused = {
        let faults = door.faults.lock().expect("no panic");
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
    let mut request = door.http.request(method, format!("{}{path}", door.emulator)).body(body);
    for name in ["content-type", "authorization", "x-firebase-locale"] {
        if let Some(value) = headers.get(name) {
            request = request.header(name, value);
        }
    }
    let Ok(answer) = request.send().await else { return StatusCode::BAD_GATEWAY.into_response() };
    let (status, body) = (answer.status(), answer.bytes().await.unwrap_or_default());
    (status, [("content-type", "application/json")], body).into_response()
}
