use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::get;
use garimpo_domain::Uid;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jsonwebtoken::{DecodingKey, Header};
use proptest::prelude::*;
use rsa::pkcs8::EncodePrivateKey as _;
use rsa::sha2::{Sha256, Sha512};
use rsa::signature::{RandomizedSigner as _, SignatureEncoding as _, Signer as _};
use rsa::traits::PublicKeyParts as _;
use rsa::{pkcs1v15, pss};
use serde_json::{Value, json};

use super::*;
use crate::providers::identity_toolkit::ToolkitError;

const PROJECT: &str = "garimpo-teste";
const HOUR: Duration = Duration::from_hours(1);

/// A key of the provider.
pub(crate) struct Key {
    kid: &'static str,
    pub(crate) pem: String,
    private: rsa::RsaPrivateKey,
    jwk: Value,
}

impl Key {
    fn new(kid: &'static str) -> Self {
        let key = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 2048).expect("a key is made");
        let number = |number: &rsa::BigUint| URL_SAFE_NO_PAD.encode(number.to_bytes_be());
        let (n, e) = (number(key.n()), number(key.e()));
        let jwk = json!({ "kid": kid, "kty": "RSA", "alg": "RS256", "use": "sig", "n": n, "e": e });
        let pem = key.to_pkcs8_pem(rsa::pkcs8::LineEnding::LF).expect("a key is written").to_string();
        Self { kid, pem, private: key, jwk }
    }

    pub(crate) fn number(&self, name: &str) -> &str {
        self.jwk[name].as_str().expect("a number")
    }

    pub(crate) fn signs(&self, claims: &Value) -> String {
        let header = Header { kid: Some(self.kid.to_owned()), ..Header::new(Algorithm::RS256) };
        self.signs_as(&header, claims)
    }

    fn signs_as(&self, header: &Header, claims: &Value) -> String {
        signed_by(&json!(header), claims, |message| match header.alg {
            Algorithm::RS512 => {
                pkcs1v15::SigningKey::<Sha512>::new(self.private.clone()).sign(message).to_vec()
            }
            Algorithm::PS256 => pss::SigningKey::<Sha256>::new(self.private.clone())
                .sign_with_rng(&mut rsa::rand_core::OsRng, message)
                .to_vec(),
            _ => self.rs256(message),
        })
    }

    fn rs256(&self, message: &[u8]) -> Vec<u8> {
        pkcs1v15::SigningKey::<Sha256>::new(self.private.clone()).sign(message).to_vec()
    }
}

pub(crate) static FIRST: LazyLock<Key> = LazyLock::new(|| Key::new("primeira"));
pub(crate) static SECOND: LazyLock<Key> = LazyLock::new(|| Key::new("segunda"));

/// Publishes keys, and counts who asks.
#[derive(Clone)]
pub(crate) struct Publisher {
    pub(crate) url: String,
    keys: Arc<Mutex<Vec<Value>>>,
    cache_control: &'static str,
    asked: Arc<AtomicUsize>,
}

impl Publisher {
    pub(crate) async fn start(cache_control: &'static str, keys: &[&Key]) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/jwk", listener.local_addr().expect("bound"));
        let asked = Arc::default();
        let publisher = Self { url, keys: Arc::default(), cache_control, asked };
        publisher.publishes(keys);
        let router = axum::Router::new().route("/jwk", get(Self::answer)).with_state(publisher.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        publisher
    }

    #[expect(clippy::unused_async, reason = "axum asks for a future")]
    async fn answer(State(publisher): State<Self>) -> axum::response::Response {
        publisher.asked.fetch_add(1, Ordering::SeqCst);
        let keys = publisher.keys.lock().expect("no panic").clone();
        if keys.is_empty() {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        ([("cache-control", publisher.cache_control)], axum::Json(json!({ "keys": keys }))).into_response()
    }

    /// Without keys it fails.
    fn publishes(&self, keys: &[&Key]) {
        let strange = json!({ "kid": "curva", "kty": "EC", "crv": "P-256", "x": "AA", "y": "AA" });
        let mut jwks: Vec<Value> = keys.iter().map(|key| key.jwk.clone()).collect();
        if !jwks.is_empty() {
            jwks.push(strange);
        }
        *self.keys.lock().expect("no panic") = jwks;
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn verifier(&self, floor: Duration) -> Verifier {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = crate::providers::client_for(&self.url).build().expect("a client");
        Verifier { keys: Some(Keys::new(&self.url, http, floor)), ..emulators() }
    }
}

fn emulators() -> Verifier {
    Verifier { project: PROJECT.to_owned(), keys: None }
}

fn now() -> i64 {
    system_now().as_unix_seconds()
}

/// The claims of a token that holds.
fn claims() -> Value {
    json!({
        "iss": format!("https://securetoken.google.com/{PROJECT}"), "aud": PROJECT, "sub": "uid-da-ana", "user_id": "uid-da-ana",
        "iat": now() - 5, "auth_time": now() - 60, "exp": now() + 3600, "email": "ana@exemplo.com.br",
        "firebase": { "sign_in_provider": "password" },
    })
}

fn with(field: &str, value: impl Into<Value>) -> Value {
    let mut claims = claims();
    claims[field] = value.into();
    claims
}

fn without(field: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().expect("an object").remove(field);
    claims
}

fn signed_by(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(header), part(claims));
    let signature = sign(message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn unsigned(header: &Value, claims: &Value) -> String {
    signed_by(header, claims, |_| Vec::new())
}

fn broken_claims() -> Vec<(&'static str, Value)> {
    vec![
        ("expired", with("exp", now() - 11)),
        ("without an end", without("exp")),
        ("issued later", with("iat", now() + 60)),
        ("without issue", without("iat")),
        ("authenticated later", with("auth_time", now() + 60)),
        ("without authentication", without("auth_time")),
        ("another audience", with("aud", "outro-projeto")),
        ("two audiences", with("aud", json!([PROJECT, "outro-projeto"]))),
        ("another issuer", with("iss", "https://securetoken.google.com/outro-projeto")),
        ("an issuer like ours", with("iss", format!("https://securetoken.google.com.exemplo.com/{PROJECT}"))),
        ("a session cookie's issuer", with("iss", format!("https://session.firebase.google.com/{PROJECT}"))),
        ("nobody", with("sub", "")),
        ("a long name", with("sub", "a".repeat(129))),
        ("a NUL", with("sub", "uid\0")),
        ("before 1970", with("auth_time", -1)),
        ("beyond every calendar", with("exp", i64::MAX)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_token_identifies_its_account_and_a_defective_one_is_rejected() {
    let publisher = Publisher::start("max-age=3600", &[&FIRST, &SECOND]).await;
    let verifier = publisher.verifier(HOUR);

    let good = verifier.verify(&FIRST.signs(&claims())).await.expect("the keys are there").expect("it holds");
    assert_eq!(good.local_id, Uid::new("uid-da-ana"));
    assert!((now() - good.authenticated_at.as_unix_seconds() - 60).abs() <= 2);

    let kid = |kid: Option<&str>, algorithm| Header { kid: kid.map(str::to_owned), ..Header::new(algorithm) };
    let hmac = |secret: &[u8]| {
        let header = json!(kid(Some("primeira"), Algorithm::HS256));
        signed_by(&header, &claims(), |message| {
            let mac = Hmac::<sha2::Sha256>::new_from_slice(secret).expect("a key of any length");
            mac.chain_update(message).finalize().into_bytes().to_vec()
        })
    };
    let n = FIRST.number("n");
    let genuine = FIRST.signs(&claims());
    let parts: Vec<&str> = genuine.split('.').collect();
    let other = URL_SAFE_NO_PAD.encode(with("sub", "uid-do-rui").to_string());
    let critical = {
        let header = json!({ "alg": "RS256", "kid": "primeira", "crit": ["exp"], "exp": 1 });
        signed_by(&header, &claims(), |message| FIRST.rs256(message))
    };
    let mut forged = vec![
        ("an extension that a reader must understand", critical),
        ("another key's signature", SECOND.signs_as(&kid(Some("primeira"), Algorithm::RS256), &claims())),
        ("no key named", FIRST.signs_as(&kid(None, Algorithm::RS256), &claims())),
        ("a key of another kind", FIRST.signs_as(&kid(Some("curva"), Algorithm::RS256), &claims())),
        ("another hash", FIRST.signs_as(&kid(Some("primeira"), Algorithm::RS512), &claims())),
        ("another padding", FIRST.signs_as(&kid(Some("primeira"), Algorithm::PS256), &claims())),
        ("the public key as a password", hmac(n.as_bytes())),
        ("the public key's bytes as a password", hmac(&URL_SAFE_NO_PAD.decode(n).expect("base64"))),
        ("no signature", unsigned(&json!({ "alg": "none", "typ": "JWT" }), &claims())),
        ("no signature and a key", unsigned(&json!({ "alg": "none", "kid": "primeira" }), &claims())),
        ("a signature taken away", unsigned(&json!({ "alg": "RS256", "kid": "primeira" }), &claims())),
        ("other claims", format!("{}.{other}.{}", parts[0], parts[2])),
        ("too long", format!("{genuine}{}", "A".repeat(MAX_TOKEN_BYTES))),
        ("no token", "gi_inventado".to_owned()),
        ("two parts", format!("{}.{}", parts[0], parts[1])),
        ("four parts", format!("{genuine}.x")),
    ];
    forged.extend(broken_claims().into_iter().map(|(what, claims)| (what, FIRST.signs(&claims))));
    for (what, token) in forged {
        let result = verifier.verify(&token).await.expect("the keys are there");
        assert_eq!(result, None, "{what}: {token}");
    }
    assert_eq!(publisher.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_read_once_while_they_are_valid() {
    let publisher = Publisher::start("public, max-age=19204, must-revalidate", &[&FIRST]).await;
    let verifier = Arc::new(publisher.verifier(Duration::ZERO));

    let many = (0..20).map(|_| {
        let (verifier, token) = (verifier.clone(), FIRST.signs(&claims()));
        tokio::spawn(async move { verifier.verify(&token).await.expect("the keys are there") })
    });
    for result in futures::future::join_all(many).await {
        assert!(result.expect("no panic").is_some());
    }

    assert_eq!(publisher.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_key_is_valid_immediately_and_a_withdrawn_key_stops_being_valid() {
    let publisher = Publisher::start("max-age=3600", &[&FIRST]).await;
    let verifier = publisher.verifier(Duration::ZERO);
    let (first, second) = (FIRST.signs(&claims()), SECOND.signs(&claims()));
    assert!(verifier.verify(&first).await.expect("keys").is_some());
    assert!(verifier.verify(&second).await.expect("keys").is_none());

    publisher.publishes(&[&FIRST, &SECOND]);
    assert!(verifier.verify(&second).await.expect("keys").is_some(), "an unknown key is looked for");
    assert!(verifier.verify(&first).await.expect("keys").is_some());
    let asked = publisher.asked();
    assert!(verifier.verify(&second).await.expect("keys").is_some());
    assert_eq!(publisher.asked(), asked, "and then it is known");

    let short = Publisher::start("max-age=0", &[&FIRST, &SECOND]).await;
    let verifier = short.verifier(Duration::ZERO);
    assert!(verifier.verify(&first).await.expect("keys").is_some());
    short.publishes(&[&SECOND]);
    assert!(verifier.verify(&first).await.expect("keys").is_none(), "what is not kept is read again");
    assert!(verifier.verify(&second).await.expect("keys").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_unknown_key_ids_do_not_cause_many_key_requests() {
    let publisher = Publisher::start("max-age=3600", &[&FIRST]).await;
    let verifier = Arc::new(publisher.verifier(HOUR));
    assert!(verifier.verify(&FIRST.signs(&claims())).await.expect("keys").is_some());

    let forged = (0..100).map(|number| {
        let header = Header { kid: Some(format!("inventada{number}")), ..Header::new(Algorithm::RS256) };
        let (verifier, token) = (verifier.clone(), SECOND.signs_as(&header, &claims()));
        tokio::spawn(async move { verifier.verify(&token).await.expect("the keys are there") })
    });
    for result in futures::future::join_all(forged).await {
        assert_eq!(result.expect("no panic"), None);
    }

    assert_eq!(publisher.asked(), 1);
    assert!(verifier.verify(&FIRST.signs(&claims())).await.expect("keys").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_keys_no_token_is_decided_and_keys_read_before_stay_valid_a_little_longer() {
    let publisher = Publisher::start("max-age=0", &[]).await;
    let verifier = publisher.verifier(HOUR);
    let token = FIRST.signs(&claims());

    for _ in 0..3 {
        let result = verifier.verify(&token).await;
        assert!(matches!(result, Err(ToolkitError::Unavailable { .. })), "{result:?}");
    }
    assert_eq!(publisher.asked(), 1, "it is not asked more often for being down");

    publisher.publishes(&[&FIRST]);
    let verifier = publisher.verifier(Duration::ZERO);
    assert!(verifier.verify(&token).await.expect("keys").is_some());
    publisher.publishes(&[]);
    assert!(verifier.verify(&token).await.expect("those of before").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsigned_token_is_valid_only_with_the_emulator_and_with_the_same_checks() {
    let verifier = emulators();
    let none = json!({ "alg": "none", "typ": "JWT" });

    let good = verifier.verify(&unsigned(&none, &claims())).await.expect("nobody is asked");
    assert_eq!(good.expect("it holds").local_id, Uid::new("uid-da-ana"));

    let mut refused = vec![
        ("signed", FIRST.signs(&claims())),
        ("a signature's name without one", unsigned(&json!({ "alg": "RS256" }), &claims())),
        ("something in the signature's place", unsigned(&none, &claims()) + "AA"),
        ("four parts", unsigned(&none, &claims()) + "."),
        ("no JSON", "AA.AA.".to_owned()),
    ];
    refused.extend(broken_claims().into_iter().map(|(what, claims)| (what, unsigned(&none, &claims))));
    for (what, token) in refused {
        assert_eq!(verifier.verify(&token).await.expect("nobody is asked"), None, "{what}");
    }
}

/// Something like a part of a token.
fn part() -> impl Strategy<Value = String> {
    let json = prop_oneof![
        Just(json!({ "alg": "none" }).to_string()),
        Just(claims().to_string()),
        r#"\{"(alg|sub|exp|iat)":("none"|-?[0-9]{1,25}|\[\]|null)\}"#,
        any::<String>(),
    ];
    prop_oneof![json.prop_map(|text| URL_SAFE_NO_PAD.encode(text)), "[A-Za-z0-9_=.-]{0,40}", any::<String>()]
}

proptest! {
    #[test]
    fn any_text_is_a_token_only_with_the_right_parts(header in part(), claims in part(), rest in part()) {
        let token = format!("{header}.{claims}.{rest}");

        let result = unsigned_claims(&token).and_then(|claims| emulators().checked(claims, now()));

        if result.is_some() {
            let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(&header).expect("base64")).expect("JSON");
            prop_assert_eq!(&header["alg"], "none");
            prop_assert_eq!(rest, "");
        }
    }

    #[test]
    fn any_changed_letter_breaks_the_signature(at in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_.-]") {
        static GENUINE: LazyLock<String> = LazyLock::new(|| FIRST.signs(&claims()));
        let genuine = GENUINE.as_str();
        let at = at.index(genuine.len());
        prop_assume!(genuine[at..=at] != letter);
        let changed = format!("{}{letter}{}", &genuine[..at], &genuine[at + 1..]);
        let key = DecodingKey::from_rsa_components(FIRST.number("n"), FIRST.number("e")).expect("a key");

        prop_assert_eq!(verified(&changed, &key).map(|claims| claims.sub), None);
        prop_assert!(verified(genuine, &key).is_some());
    }
}
