//! A purchase through each documented proxy: REST, gRPC-Web, native gRPC, webhooks.

use e2e::Person;
use e2e::client_at;
use e2e::fleet::Fleet;
use e2e::grpc_web::{WebAnswer, sent};
use garimpo_proto::auth::v1::{SignInRequest, SignInResponse, SignUpResponse};
use serde_json::{Value, json};

use super::{Front, fleet};

const SIGN_UP: &str = "/garimpo.auth.v1.AuthService/SignUp";
const SIGN_IN: &str = "/garimpo.auth.v1.AuthService/SignIn";
const WEB: &str = "application/grpc-web+proto";
const NATIVE: &str = "application/grpc";
pub const VISITOR: [u8; 4] = [127, 0, 0, 2];
pub const NEIGHBOUR: [u8; 4] = [127, 0, 0, 3];

#[tokio::test(flavor = "multi_thread")]
async fn sign_up_and_purchase_work_through_the_documented_nginx() {
    let front = Front::new();
    let fleet = fleet!(front.fleet(2));
    let _nginx = front.nginx(&fleet.public_addresses()).await;

    sign_up_and_purchase_work(fleet, &front).await;

    // No process is left, and its own error has the type of the call.
    for kind in [NATIVE, WEB] {
        let request =
            client_at(VISITOR).post(format!("{}{SIGN_UP}", front.site)).header("content-type", kind);
        let gone: WebAnswer<SignUpResponse> = sent(request, &Person::new().sign_up_form()).await;
        assert_eq!(gone.headers["content-type"], kind);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_up_and_purchase_work_through_the_documented_haproxy() {
    let front = Front::new();
    let fleet = fleet!(front.fleet(2));
    let _haproxy = front.haproxy(&fleet).await;

    sign_up_and_purchase_work(fleet, &front).await;
}

/// Through the proxy in front of both nodes, with and without TLS.
async fn sign_up_and_purchase_work(mut fleet: Fleet, front: &Front) {
    let (site, plain) = (front.site.as_str(), format!("http://{}", front.plain));
    let client = client_at(VISITOR);
    let post = |path: &str, kind: &str| {
        client.post(format!("{site}{path}")).header("content-type", kind).header("te", "trailers")
    };

    // Plain HTTP redirects pages to the site for every host name, and redirects no call.
    let plainly = client.get(format!("{plain}/planos")).header("host", "outro.example");
    let plainly = plainly.send().await.expect("an answer");
    assert_eq!(
        (plainly.status().as_u16(), plainly.headers()["location"].as_bytes()),
        (301, b"https://garimpo.example/planos".as_slice())
    );
    let bare = client.get(format!("{plain}/api/auth/check-cookie")).send().await.expect("an answer");
    assert_eq!(bare.status(), 403, "a call over plain HTTP is refused, because it may expose a token");
    let home = client.get(site).send().await.expect("an answer");
    assert_eq!(home.status(), 200);
    assert!(home.headers()["strict-transport-security"].to_str().expect("text").starts_with("max-age="));

    // Sign-up over gRPC-Web, the session over REST, the purchase over REST.
    let person = Person::new();
    let ana: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, WEB), &person.sign_up_form()).await;
    assert_eq!(ana.grpc_status, "0");
    let cookie =
        ana.headers["set-cookie"].to_str().expect("text").split(';').next().unwrap_or_default().to_string();
    assert!(cookie.starts_with("__Host-garimpo_session="), "{cookie}");
    let uid = ana.message.expect("a message").user.expect("a user").uid;
    let get = async |path: &str| -> Value {
        let answer =
            client.get(format!("{site}{path}")).header("cookie", &cookie).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.expect("JSON")
    };
    assert_eq!(get("/api/auth/check-cookie").await["user"]["uid"], uid);
    let session = e2e::eventually("the catalogue at the provider", || async {
        let body = json!({ "email": person.email, "planName": "Elite Nível 2", "interval": "semestral" });
        let opened = client.post(format!("{site}/create-embedded-checkout-session")).json(&body);
        let opened = opened.header("cookie", &cookie).header("origin", site).send().await.expect("an answer");
        let body: Value = opened.json().await.expect("JSON");
        body["clientSecret"].as_str().map(e2e::visitor::session_id)
    })
    .await;
    assert_eq!(fleet.provider().pays_by_card(&session, "4242424242424242").await, 200);
    e2e::eventually("an active subscription", || async {
        (get(&format!("/api/users/{uid}")).await["subscription_active"] == true).then_some(())
    })
    .await;

    // Native gRPC over HTTP/2; an error's status comes back as it is.
    let rui: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, NATIVE), &Person::new().sign_up_form()).await;
    assert_eq!(rui.version, reqwest::Version::HTTP_2);
    assert!(rui.message.expect("a message").user.expect("a user").uid.starts_with("usr_"));
    let twice: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, NATIVE), &person.sign_up_form()).await;
    assert_eq!(twice.grpc_status, "6", "ALREADY_EXISTS");

    // The product verifies the raw body of a webhook.
    let forged =
        client.post(format!("{site}/webhooks/stripe")).header("stripe-signature", "t=1,v1=00").body("{}");
    let forged = forged.send().await.expect("an answer");
    assert_eq!(forged.status(), 400);
    assert_eq!(forged.json::<Value>().await.expect("JSON")["code"], "INVALID_SIGNATURE");

    // An event of 1 MiB arrives whole, and the product verifies its signature.
    let in_form = format!("t=1,v1={}", "ab".repeat(32));
    let large = client.post(format!("{site}/webhooks/stripe")).header("stripe-signature", in_form);
    let large = large.body("a".repeat(1024 * 1024)).send().await.expect("an answer");
    assert_eq!(large.status(), 400, "it arrives whole");
    assert_eq!(large.json::<Value>().await.expect("JSON")["code"], "INVALID_SIGNATURE");

    // Limits count the real address, not a header of the visitor.
    let try_in = async |client: &reqwest::Client, n: u8| {
        let request = client.post(format!("{site}{SIGN_IN}")).header("content-type", WEB);
        let request = request.header("x-forwarded-for", format!("203.0.113.{n}"));
        let wrong = SignInRequest { email: person.email.clone(), password: "errada1".into() };
        sent::<SignInResponse>(request, &wrong).await.grpc_status
    };
    for n in 0..10 {
        assert_eq!(try_in(&client, n).await, "16", "UNAUTHENTICATED, try {n}");
    }
    assert_eq!(try_in(&client, 99).await, "8", "RESOURCE_EXHAUSTED");
    assert_eq!(try_in(&client_at(NEIGHBOUR), 1).await, "16", "another address is another visitor");

    // One node is killed, and no later call fails.
    fleet.nodes[0].kill();
    for _ in 0..6 {
        assert_eq!(get("/api/auth/check-cookie").await["authenticated"], true);
        let eva: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, NATIVE), &Person::new().sign_up_form()).await;
        assert!(eva.message.is_some(), "{:?}", eva.headers);
    }
    // Without any node, callers still get an error in their protocol.
    fleet.nodes[1].kill();
    let gone = client.get(format!("{site}/api/auth/check-cookie")).send().await.expect("an answer");
    assert_eq!(gone.status(), 503);
    assert_eq!(gone.json::<Value>().await.expect("JSON")["code"], "UNAVAILABLE");
    for kind in [NATIVE, WEB] {
        let gone: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, kind), &Person::new().sign_up_form()).await;
        assert_eq!(gone.grpc_status, "14", "UNAVAILABLE, {kind}");
    }
}
