use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::{Form, State};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::post;
use jsonwebtoken::{DecodingKey, Validation};
use serde_json::{Value, json};

use super::*;
use crate::providers::identity_toolkit::tokens::tests::FIRST;

/// The provider's token endpoint: it issues the emulator's token for assertions of the project's
/// account.
#[derive(Clone)]
pub(crate) struct TokenEndpoint {
    url: String,
    lives_seconds: u64,
    granted: Arc<AtomicUsize>,
}

impl TokenEndpoint {
    pub(crate) async fn start(lives_seconds: u64) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/token", listener.local_addr().expect("bound"));
        let endpoint = Self { url, lives_seconds, granted: Arc::default() };
        let router = axum::Router::new().route("/token", post(Self::answer)).with_state(endpoint.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        endpoint
    }

    #[expect(clippy::unused_async, reason = "axum asks for a future")]
    async fn answer(
        State(endpoint): State<Self>,
        Form(form): Form<Vec<(String, String)>>,
    ) -> axum::response::Response {
        let [(grant, grant_type), (assertion, text)] = &form[..] else { panic!("two fields: {form:?}") };
        assert_eq!((grant.as_str(), assertion.as_str()), ("grant_type", "assertion"));
        assert_eq!(grant_type, "urn:ietf:params:oauth:grant-type:jwt-bearer");
        if !endpoint.is_valid(text) {
            let refusal = json!({ "error": "invalid_grant", "error_description": "Invalid JWT Signature." });
            return (StatusCode::BAD_REQUEST, axum::Json(refusal)).into_response();
        }
        endpoint.granted.fetch_add(1, Ordering::SeqCst);
        axum::Json(
            json!({ "access_token": "owner", "expires_in": endpoint.lives_seconds, "token_type": "Bearer" }),
        )
        .into_response()
    }

    fn is_valid(&self, assertion: &str) -> bool {
        let mut asked = Validation::new(Algorithm::RS256);
        asked.set_audience(&[&self.url]);
        asked.set_issuer(&["garimpo@garimpo-teste.iam.gserviceaccount.com"]);
        let key = DecodingKey::from_rsa_components(FIRST.number("n"), FIRST.number("e")).expect("a key");
        let Ok(claims) = rs256::verify::<Value>(assertion, &key, &asked) else { return false };
        let header = jsonwebtoken::decode_header(assertion).expect("a token");
        assert_eq!(header.kid.as_deref(), Some("chave-1"));
        assert_eq!(claims["scope"], "https://www.googleapis.com/auth/identitytoolkit");
        claims["exp"].as_i64().expect("an end") - claims["iat"].as_i64().expect("an issue") == 3600
    }

    /// A service account with this key.
    pub(crate) fn credentials(&self, pem: &str) -> Credentials {
        let file = json!({
            "type": "service_account", "project_id": "garimpo-teste", "private_key_id": "chave-1", "private_key": pem,
            "client_email": "garimpo@garimpo-teste.iam.gserviceaccount.com",
        });
        let account = ServiceAccount::read(&file.to_string(), &self.url).expect("a key file");
        Credentials::ServiceAccount(Arc::new(account))
    }

    fn access(&self, pem: &str) -> AccessTokens {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = crate::providers::client_for(&self.url).build().expect("a client");
        AccessTokens::new(self.credentials(pem), http)
    }

    pub(crate) fn granted(&self) -> usize {
        self.granted.load(Ordering::SeqCst)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_account_exchanges_its_signature_for_an_access_token_shared_by_many_calls() {
    let endpoint = TokenEndpoint::start(3600).await;
    let access = Arc::new(endpoint.access(&FIRST.pem));

    let many = (0..20).map(|_| {
        let access = access.clone();
        tokio::spawn(async move { access.bearer().await })
    });
    for bearer in futures::future::join_all(many).await {
        assert_eq!(bearer.expect("no panic").expect("granted").expose_secret(), "owner");
    }

    assert_eq!(endpoint.granted(), 1);
    access.forget().await;
    access.bearer().await.expect("granted again");
    assert_eq!(endpoint.granted(), 2, "a refused token is requested again");
    assert!(!format!("{access:?}").contains("PRIVATE KEY"), "and nothing shows the key");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_access_token_about_to_expire_is_renewed_before() {
    let endpoint = TokenEndpoint::start(59).await;
    let access = endpoint.access(&FIRST.pem);

    for _ in 0..2 {
        access.bearer().await.expect("granted");
    }

    assert_eq!(endpoint.granted(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_of_another_key_and_an_invalid_key_file_are_rejected() {
    let endpoint = TokenEndpoint::start(3600).await;
    let other = crate::providers::identity_toolkit::tokens::tests::SECOND.pem.clone();

    let refused = endpoint.access(&other).bearer().await.expect_err("it is another's signature");

    assert!(refused.is_code("INVALID_GRANT"), "{refused}");
    assert_eq!(endpoint.granted(), 0);
    let account = json!({ "client_email": "a@b", "private_key_id": "k", "private_key": "segredo" });
    for file in ["", "{}", "{\"type\":\"authorized_user\"}", &account.to_string()] {
        let error = ServiceAccount::read(file, "http://127.0.0.1:1/token").expect_err("no key file");
        assert!(!error.to_string().contains("segredo"), "{error}");
    }
}
