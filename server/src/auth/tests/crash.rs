//! Dying after the session is stored and before its caller knows it.

use std::process::Command;

use super::*;
use crate::tests::database::{Database, setting};
use crate::tests::port::public_port;

const CHILD: &str = "GARIMPO_TEST_CRASH_CHILD";

/// Signs up and dies at the armed point. Only the test below starts it, as a process of its own.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the body of a process that the test below starts"]
async fn runs_the_server_until_the_crash_point() {
    let url = setting(CHILD).expect("the database of the test that starts it");
    let mut settings = crate::Settings::new(crate::store::engine::StoreSettings::new(url));
    settings.crash_at = Some("session.stored".parse().expect("a crash point"));
    let app = crate::App::start(settings).await.expect("the server starts");
    let mut auth = pb::auth_service_client::AuthServiceClient::new(public_port(&app));
    drop(auth.sign_up(ana(ANA)).await);
    unreachable!("the process died at the point");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_storing_the_account_still_allows_sign_in_with_the_password() {
    let database = Database::new().await;
    let died = Command::new(std::env::current_exe().expect("the test binary"))
        .args(["auth::tests::crash::runs_the_server_until_the_crash_point", "--exact", "--ignored"])
        .env(CHILD, &database.url)
        .output()
        .expect("the server runs");
    assert!(died.status.code().is_none(), "it was aborted: {:?}", died.status);

    let server = TestServer::start(database, |_| {}).await;

    server.auth().sign_in(sign_in(ANA, "segredo")).await.expect("account and password were stored together");
    let other = pb::SignUpRequest { password: "outra-senha".into(), ..ana(ANA) };
    let again = server.auth().sign_up(other).await.expect_err("the account stands");
    assert_eq!(reason(&again), ErrorReason::EmailInUse);
}
