//! The whole server with a service account and published keys in front of the vendor's emulator, if
//! GARIMPO_TEST_IDENTITY_EMULATOR names one.

use serde_json::{Value, json};

use super::access::tests::TokenEndpoint;
use super::tokens::tests::{FIRST, Publisher, SECOND};
use super::*;
use crate::app::IdentitySettings;
use crate::clock::system_now;
use crate::ids::Ids;
use crate::tests::database::{Database, setting};
use crate::tests::world::World;

const PROJECT: &str = "demo-garimpo";

fn claims(uid: &str) -> Value {
    let now = system_now().as_unix_seconds();
    json!({
        "iss": format!("https://securetoken.google.com/{PROJECT}"), "aud": PROJECT, "sub": uid,
        "iat": now, "auth_time": now, "exp": now + 3600,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_service_account_and_published_keys_only_a_signed_token_is_valid() {
    let Some(emulator) = setting("GARIMPO_TEST_IDENTITY_EMULATOR") else {
        return crate::tests::database::skips("identity emulator");
    };
    let (endpoint, publisher) =
        (TokenEndpoint::start(3600).await, Publisher::start("max-age=3600", &[&FIRST]).await);
    let settings = ToolkitSettings {
        url: format!("{emulator}/{PROJECT}/identitytoolkit.googleapis.com"),
        api_key: "chave-de-teste".into(),
        project: PROJECT.to_owned(),
        credentials: endpoint.credentials(&FIRST.pem),
        keys_url: publisher.url.clone(),
    };
    let world = World::start_with(Database::sqlite(), |server| {
        server.identity = IdentitySettings::Toolkit(settings.clone());
    })
    .await;
    let email = format!("ana.{}@exemplo.com.br", Ids::system().id(""));
    let ana = world.signs_up(&email).await;

    assert!(world.accepts_token(&ana.session).await);
    assert!(!world.accepts_token(&ana.id_token).await, "nobody signed the emulator's own");
    assert!(world.accepts_token(&FIRST.signs(&claims(&ana.uid))).await);
    assert!(!world.accepts_token(&SECOND.signs(&claims(&ana.uid))).await);
    assert!(!world.accepts_token(&FIRST.signs(&claims("uid-de-ninguem"))).await);
    assert_eq!(publisher.asked(), 1);

    // These calls need the service account: look up an email, create a code, delete.
    assert_eq!(endpoint.granted(), 0);
    let asked = garimpo_proto::auth::v1::RequestPasswordResetRequest { email: email.clone() };
    world.auth().request_password_reset(asked).await.expect("the request is taken");
    world.rest().await;
    assert_eq!(world.mails_to(&email).await.len(), 1);
    world.app.identity().delete(&ana.uid).await.expect("it is deleted");
    assert_eq!(endpoint.granted(), 1);
}
