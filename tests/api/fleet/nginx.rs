//! A purchase through nginx with the documented configuration: REST, gRPC-Web, native gRPC,
//! webhooks.

use e2e::Person;
use e2e::fleet::Fleet;
use e2e::grpc_web::{WebAnswer, sent};
use e2e::nginx::{self, Nginx};
use garimpo_proto::auth::v1::{SignInRequest, SignInResponse, SignUpResponse};
use serde_json::{Value, json};

use super::fleet;

/// Requests with a body that docs/nginx.conf lets one client have under way.
const UPLOADS: usize = 128;

const SIGN_UP: &str = "/garimpo.auth.v1.AuthService/SignUp";
const SIGN_IN: &str = "/garimpo.auth.v1.AuthService/SignIn";
const WEB: &str = "application/grpc-web+proto";
const NATIVE: &str = "application/grpc";
const VISITOR: [u8; 4] = [127, 0, 0, 2];
const NEIGHBOUR: [u8; 4] = [127, 0, 0, 3];

#[tokio::test(flavor = "multi_thread")]
async fn sign_up_and_purchase_work_through_the_documented_nginx() {
    let (https, plain) = nginx::addresses();
    let site = format!("https://{https}");
    let settings = [("GARIMPO_PUBLIC_URL", site.as_str()), ("GARIMPO_TRUSTED_PROXIES", "127.0.0.1")];
    let mut fleet = fleet!(Fleet::start_with(2, &settings));
    let nginx = Nginx::start(&fleet.public_addresses(), &https, &plain).await;
    let client = nginx.client(VISITOR);
    let post = |path: &str, kind: &str| {
        client.post(format!("{site}{path}")).header("content-type", kind).header("te", "trailers")
    };

    // Plain HTTP redirects pages to the site for every host name, and redirects no call.
    let plainly = client.get(format!("{}/planos", nginx.plain)).header("host", "outro.example");
    let plainly = plainly.send().await.unwrap();
    assert_eq!(
        (plainly.status().as_u16(), plainly.headers()["location"].as_bytes()),
        (301, b"https://garimpo.example/planos".as_slice())
    );
    let bare = client.get(format!("{}/api/auth/check-cookie", nginx.plain)).send().await.unwrap();
    assert_eq!(bare.status(), 403, "a call over plain HTTP is refused, because it may expose a token");
    let home = client.get(&site).send().await.unwrap();
    assert_eq!(home.status(), 200);
    assert!(home.headers()["strict-transport-security"].to_str().unwrap().starts_with("max-age="));

    // nginx adds the same headers to its own error pages, each once.
    let large = client.post(format!("{site}/planos")).body("a".repeat(300_000)).send().await.unwrap();
    assert_eq!(large.status(), 413);
    for answer in [&home, &large] {
        for (name, value) in
            [("x-content-type-options", "nosniff"), ("strict-transport-security", "max-age=31536000")]
        {
            let values: Vec<_> = answer.headers().get_all(name).iter().collect();
            assert_eq!(values, [value], "{name} of {}", answer.status());
        }
    }

    // Sign-up over gRPC-Web, the session over REST, the purchase over REST.
    let person = Person::new();
    let ana: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, WEB), &person.sign_up_form()).await;
    assert_eq!(ana.grpc_status, "0");
    let cookie = ana.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_string();
    assert!(cookie.starts_with("__Host-garimpo_session="), "{cookie}");
    let uid = ana.message.unwrap().user.unwrap().uid;
    let get = async |path: &str| -> Value {
        let answer = client.get(format!("{site}{path}")).header("cookie", &cookie).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    };
    assert_eq!(get("/api/auth/check-cookie").await["user"]["uid"], uid);
    let session = e2e::eventually("the catalogue at the provider", || async {
        let body = json!({ "email": person.email, "planName": "Elite Nível 2", "interval": "semestral" });
        let opened = client.post(format!("{site}/create-embedded-checkout-session")).json(&body);
        let opened = opened.header("cookie", &cookie).header("origin", &site).send().await.unwrap();
        let body: Value = opened.json().await.unwrap();
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
    assert!(rui.message.unwrap().user.unwrap().uid.starts_with("usr_"));
    let twice: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, NATIVE), &person.sign_up_form()).await;
    assert_eq!(twice.grpc_status, "6", "ALREADY_EXISTS");

    // The product verifies the raw body of a webhook.
    let forged =
        client.post(format!("{site}/webhooks/stripe")).header("stripe-signature", "t=1,v1=00").body("{}");
    let forged = forged.send().await.unwrap();
    assert_eq!(forged.status(), 400);
    assert_eq!(forged.json::<Value>().await.unwrap()["code"], "INVALID_SIGNATURE");

    // nginx forwards an event of 1 MiB, and the product verifies its signature.
    let in_form = format!("t=1,v1={}", "ab".repeat(32));
    let large = client.post(format!("{site}/webhooks/stripe")).header("stripe-signature", in_form);
    let large = large.body("a".repeat(1024 * 1024)).send().await.unwrap();
    assert_eq!(large.status(), 400, "nginx takes it whole");
    assert_eq!(large.json::<Value>().await.unwrap()["code"], "INVALID_SIGNATURE");

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
    assert_eq!(try_in(&nginx.client(NEIGHBOUR), 1).await, "16", "another address is another visitor");

    // One node is killed, and no later call fails.
    fleet.nodes[0].kill();
    for _ in 0..6 {
        assert_eq!(get("/api/auth/check-cookie").await["authenticated"], true);
        let eva: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, NATIVE), &Person::new().sign_up_form()).await;
        assert!(eva.message.is_some(), "{:?}", eva.headers);
    }
    // Without any node, callers still get an error in their protocol.
    fleet.nodes[1].kill();
    let gone = client.get(format!("{site}/api/auth/check-cookie")).send().await.unwrap();
    assert_eq!(gone.status(), 503);
    assert_eq!(gone.json::<Value>().await.unwrap()["code"], "UNAVAILABLE");
    for kind in [NATIVE, WEB] {
        let gone: WebAnswer<SignUpResponse> = sent(post(SIGN_UP, kind), &Person::new().sign_up_form()).await;
        assert_eq!(
            (gone.grpc_status.as_str(), &gone.headers["content-type"]),
            ("14", &kind.parse().unwrap())
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_bodies_of_one_address_do_not_block_nginx_for_others() {
    let (https, plain) = nginx::addresses();
    let site = format!("https://{https}");
    let settings = [("GARIMPO_PUBLIC_URL", site.as_str()), ("GARIMPO_TRUSTED_PROXIES", "127.0.0.1")];
    let fleet = fleet!(Fleet::start_with(1, &settings));
    let [node] = fleet.public_addresses();
    let nginx = Nginx::start(&[node.clone(), node], &https, &plain).await;
    let check = async |client: &reqwest::Client| {
        client.get(format!("{site}/api/auth/check-cookie")).send().await.unwrap().status().as_u16()
    };
    let clear = async |client: &reqwest::Client| {
        let cleared = client.post(format!("{site}/api/auth/clear-cookie")).header("origin", &site);
        cleared.json(&json!({})).send().await.unwrap().status().as_u16()
    };
    let (visitor, neighbour) = (nginx.client(VISITOR), nginx.client(NEIGHBOUR));
    // A browser's connection has as many streams, so each body gets its own connection. A refused
    // body is sent again, because a call of `clear` may have taken its place.
    let trickle = |_| {
        let (client, url) = (nginx.client(VISITOR), format!("{site}/api/auth/set-cookie"));
        tokio::spawn(async move {
            loop {
                let body = reqwest::Body::wrap_stream(futures::stream::unfold((), |()| async {
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                    Some((Ok::<_, std::io::Error>(" "), ()))
                }));
                let _ = client.post(&url).body(body).send().await;
            }
        })
    };
    assert_eq!((check(&visitor).await, clear(&visitor).await), (200, 200));

    let bodies: Vec<_> = (0..UPLOADS).map(trickle).collect();
    e2e::eventually("the address has its bodies", || async { (clear(&visitor).await == 429).then_some(()) })
        .await;

    assert_eq!(check(&visitor).await, 200, "a request without a body passes");
    assert_eq!((check(&neighbour).await, clear(&neighbour).await), (200, 200), "another address is served");
    bodies.iter().for_each(tokio::task::JoinHandle::abort);
    e2e::eventually("its places are free again", || async { (clear(&visitor).await == 200).then_some(()) })
        .await;
}
