//! Visitors who make purchases without pause through several addresses, and a record of each call's
//! result.

use std::error::Error;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use garimpo_proto::auth::v1::SignUpResponse;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tonic::{Code, Status};

use crate::app::try_channel;
use crate::fleet::TIMEOUT;
use crate::grpc_web;
use crate::provider::Provider;
use crate::visitor::{Person, Visitor, session_id};

/// Payment method of a purchase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payment {
    Card,
    Boleto,
}

/// A purchase that the provider has been paid for.
pub struct Purchase {
    pub visitor: Visitor,
    pub session: String,
    pub payment: Payment,
}

/// A call that did not succeed.
#[derive(Debug, Clone)]
pub struct Failed {
    pub at: Instant,
    pub call: &'static str,
    /// The reason of the error, or its status if it has no reason.
    pub why: String,
}

/// Results of all calls.
#[derive(Default)]
pub struct Record {
    pub signed_up: Vec<String>,
    pub paid: Vec<Purchase>,
    pub failed: Vec<Failed>,
    pub calls: usize,
    /// Longest successful call, in milliseconds.
    pub slowest_ms: u128,
}

/// Visitors who make purchases, one after the other, until they are stopped.
pub struct Shoppers {
    shared: Arc<Shared>,
    people: JoinSet<()>,
}

struct Shared {
    record: Mutex<Record>,
    is_stopping: AtomicBool,
    provider: Provider,
    turns: AtomicUsize,
}

impl Shoppers {
    /// Starts `many` visitors, spread over the addresses.
    pub fn start(urls: &[&str], provider: Provider, many: usize) -> Self {
        let shared = Arc::new(Shared {
            record: Mutex::default(),
            is_stopping: AtomicBool::new(false),
            provider,
            turns: AtomicUsize::new(0),
        });
        let mut people = JoinSet::new();
        for person in 0..many {
            people.spawn(buy_until_stopped(shared.clone(), urls[person % urls.len()].to_string()));
        }
        Self { shared, people }
    }

    /// Waits until this many more purchases were paid.
    pub async fn buys(&self, more: usize) {
        let wanted = self.paid() + more;
        let enough = || async { (self.paid() >= wanted).then_some(()) };
        crate::eventually_within(TIMEOUT, "purchases of the shoppers", enough).await;
    }

    /// The calls that have failed so far.
    pub fn failed(&self) -> Vec<Failed> {
        self.shared.record().failed.clone()
    }

    /// Number of calls so far.
    pub fn calls(&self) -> usize {
        self.shared.record().calls
    }

    fn paid(&self) -> usize {
        self.shared.record().paid.len()
    }

    /// Stops all visitors after their current purchase, and returns the record.
    pub async fn stop(mut self) -> Record {
        self.shared.is_stopping.store(true, Ordering::Relaxed);
        while let Some(ended) = self.people.join_next().await {
            ended.expect("no shopper panics");
        }
        std::mem::take(&mut *self.shared.record())
    }
}

impl Shared {
    fn record(&self) -> std::sync::MutexGuard<'_, Record> {
        self.record.lock().expect("no holder panics")
    }

    /// Records the result of a call.
    async fn call<T>(&self, call: &'static str, made: impl Future<Output = Result<T, String>>) -> Option<T> {
        let began = Instant::now();
        let outcome = made.await;
        let mut record = self.record();
        record.calls += 1;
        match outcome {
            Ok(answer) => {
                record.slowest_ms = record.slowest_ms.max(began.elapsed().as_millis());
                Some(answer)
            }
            Err(why) => {
                record.failed.push(Failed { at: Instant::now(), call, why });
                None
            }
        }
    }
}

async fn buy_until_stopped(shared: Arc<Shared>, url: String) {
    while !shared.is_stopping.load(Ordering::Relaxed) {
        let turn = shared.turns.fetch_add(1, Ordering::Relaxed);
        let payment = if turn.is_multiple_of(3) { Payment::Boleto } else { Payment::Card };
        // A failure ends the purchase, but its acknowledged calls are still checked.
        buys(&shared, &url, turn, payment).await;
    }
}

async fn buys(shared: &Shared, url: &str, turn: usize, payment: Payment) -> Option<()> {
    let native = turn.is_multiple_of(2);
    let visitor = shared.call("SignUp", signs_up(url, turn, native)).await?;
    shared.record().signed_up.push(visitor.uid.clone());
    let me = shared.call("check-cookie", rest(&visitor, "GET", "/api/auth/check-cookie", None)).await?;
    assert_eq!(me["user"]["uid"], visitor.uid, "an acknowledged sign-up is a session");

    let body = json!({ "email": visitor.email, "planName": "Elite Nível 2", "interval": "semestral" });
    let opened = rest(&visitor, "POST", "/create-embedded-checkout-session", Some(body));
    let opened = shared.call("create-checkout", opened).await?;
    let session = session_id(opened["clientSecret"].as_str().expect("a client secret"));
    pays(&shared.provider, &session, payment).await;
    let purchase = Purchase { visitor: visitor.clone(), session: session.clone(), payment };
    shared.record().paid.push(purchase);

    let status = rest(&visitor, "GET", &format!("/session-status?session_id={session}"), None).await;
    shared.call("session-status", async { status }).await;
    let (began, mine) = (Instant::now(), format!("/api/users/{}", visitor.uid));
    loop {
        let record = rest(&visitor, "GET", &mine, None);
        if shared.call("get-user", record).await?["subscription_active"] == true {
            return Some(());
        }
        assert!(began.elapsed() < TIMEOUT, "{session} was paid and is not active");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

async fn pays(provider: &Provider, session: &str, payment: Payment) {
    match payment {
        Payment::Card => assert_eq!(provider.pays_by_card(session, "4242424242424242").await, 200),
        Payment::Boleto => {
            assert_eq!(provider.asks_for_boleto(session).await, 200);
            assert_eq!(provider.pays_boleto(session).await, 200);
        }
    }
}

/// Signs up with a unique client address, over native gRPC or gRPC-Web.
async fn signs_up(url: &str, turn: usize, native: bool) -> Result<Visitor, String> {
    let request = Person::new().sign_up_form();
    let address = format!("10.{}.{}.{}", turn / 65_536 % 256, turn / 256 % 256, turn % 256);
    let mut visitor = Visitor::new(url);
    let (answer, cookie): (SignUpResponse, String) = if native {
        let mut request = tonic::Request::new(request);
        request.metadata_mut().insert("x-forwarded-for", address.parse().expect("an address is ascii"));
        let channel = try_channel(url).await.map_err(|_| "Unavailable".to_owned())?;
        let answer = AuthServiceClient::new(channel).sign_up(request).await;
        let answer = answer.map_err(|status| failure_name(&status))?;
        let cookie =
            answer.metadata().get("set-cookie").expect("a cookie").to_str().expect("ascii").to_string();
        (answer.into_inner(), cookie)
    } else {
        let path = "/garimpo.auth.v1.AuthService/SignUp";
        let answer: grpc_web::WebAnswer<SignUpResponse> =
            grpc_web::try_call(url, path, &request, &[("x-forwarded-for", &address)])
                .await
                .map_err(|_| "Unavailable".to_owned())?;
        if answer.grpc_status != "0" {
            let code: i32 = answer.grpc_status.parse().unwrap_or(2);
            let message = answer.headers.get("grpc-message").and_then(|text| text.to_str().ok());
            return Err(failure_name(&Status::new(Code::from(code), message.unwrap_or_default())));
        }
        let cookie = answer.headers["set-cookie"].to_str().expect("ascii").to_string();
        (answer.message.expect("a message"), cookie)
    };
    let user = answer.user.expect("sign-up answers the user");
    visitor.cookie = cookie.split(';').next().map(str::to_string);
    visitor.id_token = Some(answer.id_token);
    (visitor.uid, visitor.email) = (user.uid, user.email);
    Ok(visitor)
}

/// Name of a failure: the same for a product that is unavailable and for a broken connection.
fn failure_name(status: &Status) -> String {
    let is_broken = status.source().is_some_and(<dyn Error>::is::<tonic::transport::Error>);
    if status.code() == Code::Unavailable || is_broken {
        "Unavailable".into()
    } else {
        format!("{:?}: {}", status.code(), status.message())
    }
}

/// A REST call with the cookie. A failure is named as over gRPC.
async fn rest(visitor: &Visitor, method: &str, path: &str, body: Option<Value>) -> Result<Value, String> {
    let answer = visitor.tries_with_cookie(method, path, body).await;
    let answer = answer.map_err(|_| "Unavailable".to_owned())?;
    match (answer.status, answer.code()) {
        (200, _) => Ok(answer.body),
        (503, "UNAVAILABLE") => Err("Unavailable".into()),
        (status, code) => Err(format!("{status} {code}")),
    }
}
