//! Access to the project's identities: a service account signs an assertion and gets a token of an hour for it
//! (RFC 7523), which is kept until shortly before its end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::{ToolkitError, errors};
use crate::clock::system_now;

const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SCOPE: &str = "https://www.googleapis.com/auth/identitytoolkit";
/// The longest life of an assertion that the provider takes.
const ASSERTION_SECONDS: i64 = 3600;
/// A token is asked for anew this long before its end, so that none ends on its way.
const MARGIN: Duration = Duration::from_mins(1);

/// What proves to the provider that we may act on any identity of the project.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// The vendor's emulator: a fixed word, and ID tokens that nobody signs.
    Emulator,
    /// A service account.
    ServiceAccount(Arc<ServiceAccount>),
}

impl Credentials {
    /// Where a token is asked for.
    pub(super) fn url(&self) -> &str {
        match self {
            Self::Emulator => "http://",
            Self::ServiceAccount(account) => &account.token_url,
        }
    }
}

/// A service account as its key file tells it.
pub struct ServiceAccount {
    email: String,
    key_id: String,
    key: EncodingKey,
    token_url: String,
}

impl std::fmt::Debug for ServiceAccount {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ServiceAccount").field("email", &self.email).finish_non_exhaustive()
    }
}

/// The JSON file that the provider hands out.
#[derive(Deserialize)]
struct KeyFile {
    client_email: String,
    private_key_id: String,
    private_key: SecretString,
}

impl ServiceAccount {
    /// Reads a key file; `token_url` is where its assertions are exchanged.
    ///
    /// # Errors
    /// [`ToolkitError::Unusable`] when it is no key file of a service account.
    pub fn read(key_file: &str, token_url: &str) -> Result<Self, ToolkitError> {
        const UNUSABLE: ToolkitError =
            ToolkitError::Unusable("not the JSON key file of a service account (client_email, private_key)");
        let file: KeyFile = serde_json::from_str(key_file).map_err(|_| UNUSABLE)?;
        let key =
            EncodingKey::from_rsa_pem(file.private_key.expose_secret().as_bytes()).map_err(|_| UNUSABLE)?;
        Ok(Self {
            email: file.client_email,
            key_id: file.private_key_id,
            key,
            token_url: token_url.to_owned(),
        })
    }

    fn assertion(&self) -> Result<String, ToolkitError> {
        #[derive(Serialize)]
        struct Claims<'a> {
            iss: &'a str,
            scope: &'a str,
            aud: &'a str,
            iat: i64,
            exp: i64,
        }
        let iat = system_now().as_unix_seconds();
        let exp = iat + ASSERTION_SECONDS;
        let claims = Claims { iss: &self.email, scope: SCOPE, aud: &self.token_url, iat, exp };
        let header = Header { kid: Some(self.key_id.clone()), ..Header::new(Algorithm::RS256) };
        jsonwebtoken::encode(&header, &claims, &self.key)
            .map_err(|_| ToolkitError::Unusable("the service account's key does not sign"))
    }
}

/// Hands out access tokens; one request for many callers.
#[derive(Debug)]
pub(super) struct Access {
    credentials: Credentials,
    http: reqwest::Client,
    token: Mutex<Option<(SecretString, Instant)>>,
}

#[derive(Deserialize)]
struct Granted {
    access_token: SecretString,
    expires_in: u64,
}

impl Access {
    pub(super) fn new(credentials: Credentials, http: reqwest::Client) -> Self {
        Self { credentials, http, token: Mutex::new(None) }
    }

    /// A token that lives for some time yet.
    pub(super) async fn bearer(&self) -> Result<SecretString, ToolkitError> {
        let Credentials::ServiceAccount(account) = &self.credentials else { return Ok("owner".into()) };
        let mut token = self.token.lock().await;
        if let Some((token, _)) = token.as_ref().filter(|(_, ends)| *ends > Instant::now() + MARGIN) {
            return Ok(token.clone());
        }
        let form = [("grant_type", GRANT), ("assertion", &account.assertion()?)];
        let granted: Granted = errors::read(self.http.post(&account.token_url).form(&form)).await?;
        *token =
            Some((granted.access_token.clone(), Instant::now() + Duration::from_secs(granted.expires_in)));
        Ok(granted.access_token)
    }

    /// Gives up a token that the provider takes no more.
    pub(super) async fn forget(&self) {
        *self.token.lock().await = None;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::extract::{Form, State};
    use axum::http::StatusCode;
    use axum::response::IntoResponse as _;
    use axum::routing::post;
    use jsonwebtoken::{DecodingKey, Validation};
    use serde_json::{Value, json};

    use super::super::tokens::tests::FIRST;
    use super::*;

    /// The provider's token endpoint: it hands out the emulator's word to whoever signs as the project's account.
    #[derive(Clone)]
    pub(crate) struct Bank {
        url: String,
        lives_seconds: u64,
        granted: Arc<AtomicUsize>,
    }

    impl Bank {
        pub(crate) async fn opens(lives_seconds: u64) -> Self {
            let door = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let url = format!("http://{}/token", door.local_addr().expect("bound"));
            let bank = Self { url, lives_seconds, granted: Arc::default() };
            let router = axum::Router::new().route("/token", post(Self::answer)).with_state(bank.clone());
            tokio::spawn(async move { axum::serve(door, router).await });
            bank
        }

        #[expect(clippy::unused_async, reason = "axum asks for a future")]
        async fn answer(
            State(bank): State<Self>,
            Form(form): Form<Vec<(String, String)>>,
        ) -> axum::response::Response {
            let [(grant, grant_type), (assertion, text)] = &form[..] else { panic!("two fields: {form:?}") };
            assert_eq!((grant.as_str(), assertion.as_str()), ("grant_type", "assertion"));
            assert_eq!(grant_type, "urn:ietf:params:oauth:grant-type:jwt-bearer");
            if !bank.believes(text) {
                let refusal =
                    json!({ "error": "invalid_grant", "error_description": "Invalid JWT Signature." });
                return (StatusCode::BAD_REQUEST, axum::Json(refusal)).into_response();
            }
            bank.granted.fetch_add(1, Ordering::SeqCst);
            axum::Json(
                json!({ "access_token": "owner", "expires_in": bank.lives_seconds, "token_type": "Bearer" }),
            )
            .into_response()
        }

        fn believes(&self, assertion: &str) -> bool {
            let mut asked = Validation::new(Algorithm::RS256);
            asked.set_audience(&[&self.url]);
            asked.set_issuer(&["garimpo@garimpo-teste.iam.gserviceaccount.com"]);
            let key = DecodingKey::from_rsa_components(FIRST.number("n"), FIRST.number("e")).expect("a key");
            let Ok(read) = jsonwebtoken::decode::<Value>(assertion, &key, &asked) else { return false };
            let claims = read.claims;
            assert_eq!(read.header.kid.as_deref(), Some("chave-1"));
            assert_eq!(claims["scope"], "https://www.googleapis.com/auth/identitytoolkit");
            claims["exp"].as_i64().expect("an end") - claims["iat"].as_i64().expect("an issue") == 3600
        }

        /// A service account whose key file is made with this key.
        pub(crate) fn credentials(&self, pem: &str) -> Credentials {
            let file = json!({
                "type": "service_account", "project_id": "garimpo-teste", "private_key_id": "chave-1", "private_key": pem,
                "client_email": "garimpo@garimpo-teste.iam.gserviceaccount.com",
            });
            let account = ServiceAccount::read(&file.to_string(), &self.url).expect("a key file");
            Credentials::ServiceAccount(Arc::new(account))
        }

        fn access(&self, pem: &str) -> Access {
            let _ = rustls::crypto::ring::default_provider().install_default();
            let http = crate::providers::client_for(&self.url).build().expect("a client");
            Access::new(self.credentials(pem), http)
        }

        pub(crate) fn granted(&self) -> usize {
            self.granted.load(Ordering::SeqCst)
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn conta_de_servico_troca_a_assinatura_por_um_acesso_que_serve_a_muitos() {
        let bank = Bank::opens(3600).await;
        let access = Arc::new(bank.access(&FIRST.pem));

        let many = (0..20).map(|_| {
            let access = access.clone();
            tokio::spawn(async move { access.bearer().await })
        });
        for bearer in futures::future::join_all(many).await {
            assert_eq!(bearer.expect("no panic").expect("granted").expose_secret(), "owner");
        }

        assert_eq!(bank.granted(), 1);
        access.forget().await;
        access.bearer().await.expect("granted again");
        assert_eq!(bank.granted(), 2, "what the provider took no more is asked for anew");
        assert!(!format!("{access:?}").contains("PRIVATE KEY"), "and nothing shows the key");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn acesso_que_esta_por_acabar_e_renovado_antes() {
        let bank = Bank::opens(59).await;
        let access = bank.access(&FIRST.pem);

        for _ in 0..2 {
            access.bearer().await.expect("granted");
        }

        assert_eq!(bank.granted(), 2);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn assinatura_de_outra_chave_e_arquivo_errado_sao_recusados() {
        let bank = Bank::opens(3600).await;
        let other = super::super::tokens::tests::SECOND.pem.clone();

        let refused = bank.access(&other).bearer().await.expect_err("it is another's signature");

        assert!(refused.is_code("INVALID_GRANT"), "{refused}");
        assert_eq!(bank.granted(), 0);
        let account = json!({ "client_email": "a@b", "private_key_id": "k", "private_key": "segredo" });
        for file in ["", "{}", "{\"type\":\"authorized_user\"}", &account.to_string()] {
            let error = ServiceAccount::read(file, "http://127.0.0.1:1/token").expect_err("no key file");
            assert!(!error.to_string().contains("segredo"), "{error}");
        }
    }
}
