//! What every identity provider does, over both databases: the local one, and Google's by its own
//! emulator (where GARIMPO_TEST_IDENTITY_EMULATOR names one; `make test` starts it), as old
//! projects are set up and as new ones are.

mod email_correction;
mod outside;
mod passwords;

use crate::store::identity::accounts;
use garimpo_domain::Uid;
use serde_json::{Value, json};

use super::*;
use crate::app::IdentitySettings;
use crate::providers::identity_toolkit::{Credentials, ToolkitSettings};
use crate::tests::database::{Database, setting};
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

const PASSWORD: &str = "segredo";

/// A provider under test, with the world that it is part of.
struct TestedProvider {
    world: World,
    name: &'static str,
    /// Whether the reason distinguishes an unknown email from a wrong password.
    reveals_unknown_email: bool,
    emulator: Option<Emulator>,
}

/// A project of the emulator.
#[derive(Clone)]
struct Emulator {
    origin: String,
    project: &'static str,
    http: reqwest::Client,
}

impl Emulator {
    fn of(project: &'static str) -> Option<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let origin = format!("{}/{project}", setting("GARIMPO_TEST_IDENTITY_EMULATOR")?);
        Some(Self { origin, project, http: reqwest::Client::new() })
    }

    fn settings(&self) -> ToolkitSettings {
        ToolkitSettings {
            url: format!("{}/identitytoolkit.googleapis.com", self.origin),
            api_key: "chave-de-teste".into(),
            project: self.project.to_owned(),
            credentials: Credentials::Emulator,
            keys_url: String::new(),
        }
    }

    /// Calls a method of the emulator's API: as the project's owner if the method is below
    /// `projects/`, otherwise with the API key alone, as any program can.
    async fn does(&self, method: &str, body: Value) -> Value {
        let url = format!("{}/identitytoolkit.googleapis.com/v1/{method}?key=outra", self.origin);
        let mut request = self.http.post(url).json(&body);
        if method.starts_with("projects/") {
            request = request.bearer_auth("owner");
        }
        let answer = request.send().await.expect("the emulator answers");
        answer.json().await.expect("JSON")
    }

    async fn owner_does(&self, method: &str, body: Value) -> Value {
        self.does(&format!("projects/{}/{method}", self.project), body).await
    }
}

impl TestedProvider {
    async fn each() -> Vec<Self> {
        let mut providers = Vec::new();
        let database = Database::new().await;
        providers.push(Self {
            world: World::start_with(database, |_| {}).await,
            name: "local",
            reveals_unknown_email: false,
            emulator: None,
        });
        providers.extend(Self::outside().await);
        providers
    }

    /// The outside provider alone.
    async fn outside() -> Vec<Self> {
        let mut providers = Vec::new();
        for (project, reveals_unknown_email) in [("demo-garimpo", true), ("demo-protegido", false)] {
            let Some(emulator) = Emulator::of(project) else { continue };
            let database = Database::new().await;
            let toolkit = emulator.settings();
            let world = World::start_with(database, |settings| {
                settings.identity = IdentitySettings::Toolkit(toolkit.clone());
            })
            .await;
            providers.push(Self {
                world,
                name: project,
                reveals_unknown_email,
                emulator: Some(emulator.clone()),
            });
        }
        providers
    }

    fn emulator(&self) -> &Emulator {
        self.emulator.as_ref().expect("an outside provider")
    }

    async fn enters(&self, email: &str, password: &str) -> Result<SignedInUser, ErrorReason> {
        let answer = self.world.auth().sign_in(sign_in(email, password)).await;
        let answer = answer.map_err(|refused| reason(&refused))?;
        let (session, max_age) = session_of(&answer).expect("a session comes with it");
        let pb::SignInResponse { user, id_token, promotion: _ } = answer.into_inner();
        let user = user.expect("a user");
        Ok(SignedInUser { uid: Uid::new(user.uid), email: user.email, session, max_age, id_token })
    }

    fn wrong_password(&self) -> ErrorReason {
        if self.reveals_unknown_email { ErrorReason::WrongPassword } else { ErrorReason::InvalidCredential }
    }

    fn unknown_email(&self) -> ErrorReason {
        if self.reveals_unknown_email { ErrorReason::UserNotFound } else { ErrorReason::InvalidCredential }
    }

    async fn code(&self, email: &str) -> String {
        let asked = pb::RequestPasswordResetRequest { email: email.to_owned() };
        self.world.auth().request_password_reset(asked).await.expect("the request is taken");
        self.world.rest().await;
        let mails = self.world.mails_to(email).await;
        let text = mails[0]["text"].as_str().expect("a text");
        let (_, link) = text.split_once("/redefinir-senha?code=").expect("a link of ours");
        link.split_whitespace().next().expect("a code").to_owned()
    }

    async fn confirms(&self, code: &str, password: &str) -> Result<(), ErrorReason> {
        let form =
            pb::ConfirmPasswordResetRequest { code: code.to_owned(), new_password: password.to_owned() };
        self.world.auth().confirm_password_reset(form).await.map(drop).map_err(|refused| reason(&refused))
    }

    async fn sets_session(&self, held: &SignedInUser) -> Result<String, ErrorReason> {
        let asked = pb::SetSessionRequest {
            uid: held.uid.to_string(),
            email: held.email.clone(),
            display_name: String::new(),
        };
        let set = self.world.auth().set_session(bearer(asked, &held.id_token)).await;
        let set = set.map_err(|refused| reason(&refused))?;
        Ok(session_of(&set).expect("a session comes with it").0)
    }
}

/// Nobody else's, also at an emulator that remembers.
fn fresh_email() -> String {
    format!("ana.{}@exemplo.com.br", Ids::system().id(""))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_opens_a_session_and_a_token_and_takes_the_email() {
    for tested in TestedProvider::each().await {
        let email = fresh_email();

        let ana = tested.world.signs_up(&email.to_uppercase()).await;

        assert_eq!(ana.email, email, "{}", tested.name);
        assert_eq!(ana.id_token.starts_with("gi_"), tested.emulator.is_none());
        assert!(
            tested.world.accepts_token(&ana.session).await && tested.world.accepts_token(&ana.id_token).await
        );
        for again in [email.clone(), email.to_uppercase()] {
            let form = pb::SignUpRequest { password: "outra-senha".into(), ..super::ana(&again) };
            let refused = tested.world.auth().sign_up(form).await.expect_err("it is in use");
            assert_eq!((refused.code(), reason(&refused)), (Code::AlreadyExists, ErrorReason::EmailInUse));
        }
        let weak = pb::SignUpRequest { password: "12345".into(), ..super::ana(&fresh_email()) };
        let refused = tested.world.auth().sign_up(weak).await.expect_err("it is weak");
        assert_eq!(refusal(&refused), (ErrorReason::WeakPassword, "password".to_owned()));
        let held = tested.enters(&format!(" {email} "), PASSWORD).await.expect("the password opens");
        assert_eq!((held.uid, held.email), (ana.uid, email));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_and_an_unknown_email_return_the_reasons_of_the_provider() {
    for tested in TestedProvider::each().await {
        let email = fresh_email();
        tested.world.signs_up(&email).await;

        for (email, password, expected) in [
            (email.as_str(), "errada!", tested.wrong_password()),
            (email.as_str(), "x", tested.wrong_password()),
            (&fresh_email(), PASSWORD, tested.unknown_email()),
            ("nem-email", PASSWORD, ErrorReason::InvalidCredential),
            (email.as_str(), &"a".repeat(129), ErrorReason::InvalidCredential),
        ] {
            assert_eq!(
                tested.enters(email, password).await.map(drop),
                Err(expected),
                "{} {email}",
                tested.name
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_of_all_devices_revokes_the_earlier_tokens_too() {
    for tested in TestedProvider::each().await {
        let ana = tested.world.signs_up(&fresh_email()).await;
        // The times in tokens are whole seconds: wait until the second of this token is over.
        let second = crate::clock::system_now().as_unix_seconds();
        let is_over = async || crate::clock::system_now().as_unix_seconds() > second;
        tested.world.eventually("the next second", is_over).await;

        let all = pb::RevokeSessionRequest { include_current: true, ..Default::default() };
        tested.world.auth().revoke_session(bearer(all, &ana.session)).await.expect("they end");

        for token in [&ana.session, &ana.id_token] {
            assert!(!tested.world.accepts_token(token).await, "{}: {token}", tested.name);
        }
        assert_eq!(tested.sets_session(&ana).await, Err(ErrorReason::Unauthenticated));
        let held = tested.enters(&ana.email, PASSWORD).await.expect("the password opens still");
        assert!(tested.world.accepts_token(&held.id_token).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_an_identity_is_idempotent() {
    for tested in TestedProvider::outside().await {
        let email = fresh_email();
        let ana = tested.world.signs_up(&email).await;

        for _ in 0..2 {
            tested.world.app.identity().delete(&ana.uid).await.expect("it is gone, or was");
        }

        assert_eq!(tested.enters(&email, PASSWORD).await.map(drop), Err(tested.unknown_email()));
        let left = tested.emulator().owner_does("accounts:lookup", json!({ "localId": [ana.uid] })).await;
        assert_eq!(left.get("users"), None, "{left}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_opens_a_session_and_signing_out_with_it_revokes_that_token_only() {
    for tested in TestedProvider::each().await {
        let ana = tested.world.signs_up(&fresh_email()).await;
        let other = tested.enters(&ana.email, PASSWORD).await.expect("the password opens");
        let session = tested.sets_session(&ana).await.expect("a session is made");
        assert!(tested.world.accepts_token(&session).await);

        tested.world.auth().sign_out(bearer(pb::SignOutRequest {}, &ana.id_token)).await.expect("signs out");

        assert!(!tested.world.accepts_token(&ana.id_token).await, "{}", tested.name);
        assert_eq!(tested.sets_session(&ana).await, Err(ErrorReason::Unauthenticated));
        if ana.id_token != other.id_token {
            assert!(tested.world.accepts_token(&other.id_token).await, "{}", tested.name);
        }
        assert!(tested.world.accepts_token(&other.session).await);
    }
}
