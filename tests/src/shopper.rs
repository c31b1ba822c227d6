//! A crowd that buys without pause, through several doors at once, and writes down what became of
//! each call.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use garimpo_proto::auth::v1::SignUpResponse;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::app::channel;
use crate::fleet::PATIENCE;
use crate::grpc_web;
use crate::provider::Provider;
use crate::visitor::{Person, Visitor, session_id};

/// How a purchase is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Payment {
    Card,
    Boleto,
}

/// A purchase that the provider has taken the money of.
pub struct Purchase {
    pub visitor: Visitor,
    pub session: String,
    pub payment: Payment,
}

/// A call that was not answered with success.
#[derive(Debug, Clone)]
pub struct Failed {
    pub at: Instant,
    pub call: &'static str,
    /// The reason, or the status where there is none.
    pub why: String,
}

/// What a crowd did.
#[derive(Default)]
pub struct Record {
    pub signed_up: Vec<String>,
    pub paid: Vec<Purchase>,
    pub failed: Vec<Failed>,
    pub calls: usize,
    /// The longest that a call took that succeeded, in milliseconds.
    pub slowest_ms: u128,
}

/// People who buy, one purchase after the other, until they are sent home.
pub struct Crowd {
    shared: Arc<Shared>,
    people: JoinSet<()>,
}

struct Shared {
    record: Mutex<Record>,
    closing: AtomicBool,
    provider: Provider,
    turns: AtomicUsize,
}

impl Crowd {
    /// Lets `many` in, spread over the doors.
    pub fn enters(doors: &[&str], provider: Provider, many: usize) -> Self {
        let shared = Arc::new(Shared {
            record: Mutex::default(),
            closing: AtomicBool::new(false),
            provider,
            turns: AtomicUsize::new(0),
        });
        let mut people = JoinSet::new();
        for person in 0..many {
            people.spawn(buys_until_closing(shared.clone(), doors[person % doors.len()].to_string()));
        }
        Self { shared, people }
    }

    /// Waits until this many more purchases were paid.
    pub async fn buys(&self, more: usize) {
        let wanted = self.paid() + more;
        let enough = || async { (self.paid() >= wanted).then_some(()) };
        crate::eventually_within(PATIENCE, "purchases of the crowd", enough).await;
    }

    /// The calls that have failed so far.
    pub fn failed(&self) -> Vec<Failed> {
        self.shared.record().failed.clone()
    }

    /// How many calls were made so far.
    pub fn calls(&self) -> usize {
        self.shared.record().calls
    }

    fn paid(&self) -> usize {
        self.shared.record().paid.len()
    }

    /// Sends everybody home once they have ended what they are at.
    pub async fn goes_home(mut self) -> Record {
        self.shared.closing.store(true, Ordering::Relaxed);
        while let Some(ended) = self.people.join_next().await {
            ended.expect("nobody in the crowd panics");
        }
        std::mem::take(&mut *self.shared.record())
    }
}

impl Shared {
    fn record(&self) -> std::sync::MutexGuard<'_, Record> {
        self.record.lock().expect("no holder panics")
    }

    /// Writes down what became of a call.
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

async fn buys_until_closing(shared: Arc<Shared>, door: String) {
    while !shared.closing.load(Ordering::Relaxed) {
        let turn = shared.turns.fetch_add(1, Ordering::Relaxed);
        let payment = if turn.is_multiple_of(3) { Payment::Boleto } else { Payment::Card };
        // Whoever meets a failure gives up; what was answered with success until then counts all
        // the same.
        buys(&shared, &door, turn, payment).await;
    }
}

async fn buys(shared: &Shared, door: &str, turn: usize, payment: Payment) -> Option<()> {
    let native = turn.is_multiple_of(2);
    let visitor = shared.call("SignUp", signs_up(door, turn, native)).await?;
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
        assert!(began.elapsed() < PATIENCE, "{session} was paid and is not active");
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

/// Signs up from an address of one's own, over native gRPC or over gRPC-Web.
async fn signs_up(door: &str, turn: usize, native: bool) -> Result<Visitor, String> {
    let request = Person::new().sign_up_form();
    let address = format!("10.{}.{}.{}", turn / 65_536 % 256, turn / 256 % 256, turn % 256);
    let mut visitor = Visitor::new(door);
    let (answer, cookie): (SignUpResponse, String) = if native {
        let mut request = tonic::Request::new(request);
        request.metadata_mut().insert("x-forwarded-for", address.parse().expect("an address is ascii"));
        let answer = AuthServiceClient::new(channel(door).await).sign_up(request).await;
        let answer = answer.map_err(|status| named(status.code(), status.message()))?;
        let cookie =
            answer.metadata().get("set-cookie").expect("a cookie").to_str().expect("ascii").to_string();
        (answer.into_inner(), cookie)
    } else {
        let path = "/garimpo.auth.v1.AuthService/SignUp";
        let answer: grpc_web::WebAnswer<SignUpResponse> =
            grpc_web::call(door, path, &request, &[("x-forwarded-for", &address)]).await;
        if answer.grpc_status != "0" {
            let code: i32 = answer.grpc_status.parse().unwrap_or(2);
            let message = answer.headers.get("grpc-message").and_then(|text| text.to_str().ok());
            return Err(named(tonic::Code::from(code), message.unwrap_or_default()));
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

/// What a crowd's failure is called: by its code alone where the product says that it is away.
fn named(code: tonic::Code, message: &str) -> String {
    if code == tonic::Code::Unavailable { "Unavailable".into() } else { format!("{code:?}: {message}") }
}

/// A REST call with the cookie; a failure is its reason, named as over gRPC.
async fn rest(visitor: &Visitor, method: &str, path: &str, body: Option<Value>) -> Result<Value, String> {
    let answer = visitor.calls_with_cookie(method, path, body).await;
    match (answer.status, answer.code()) {
        (200, _) => Ok(answer.body),
        (503, "UNAVAILABLE") => Err("Unavailable".into()),
        (status, code) => Err(format!("{status} {code}")),
    }
}
