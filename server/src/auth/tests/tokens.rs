//! Service tokens, other nodes, and who is believed on the wire.

use crate::store::identity::service_tokens;
use garimpo_proto::users::v1 as users;
use secrecy::SecretString;

use super::*;
use crate::app::Audience;
use crate::caller::Scope;
use crate::ids::Ids;

fn get_user(uid: &str) -> users::GetUserRequest {
    users::GetUserRequest { uid: uid.to_owned() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_token_reads_users_only_with_the_required_scope() {
    let (server, ana) = TestServer::with_ana().await;
    let (store, now) = (server.app.store(), server.clock.now());
    let token = |name: &'static str, scope| async move {
        create_service_token(store, &Ids::system(), name, &[scope], now).await.expect("made").token
    };
    let reader = token("painel", Scope::UsersRead).await;
    let other = token("faturas", Scope::BillingRead).await;

    let read = server.users().get_user(bearer(get_user(&ana.uid), &reader)).await.expect("it may read");
    let missing = server.users().get_user(bearer(get_user("usr_x\0"), &reader)).await.expect_err("none");
    let without = server.users().get_user(bearer(get_user(&ana.uid), &other)).await.expect_err("no scope");

    assert!(reader.starts_with("gv_"));
    assert_eq!(read.into_inner().user.expect("a record").email, "ana@exemplo.com.br");
    assert_eq!((missing.code(), reason(&missing)), (Code::NotFound, ErrorReason::UserNotFound));
    assert_eq!(reason(&without), ErrorReason::PermissionDenied);
    let used = service_tokens::list(store).await.expect("listed");
    assert!(used.iter().all(|row| row.used_at == Some(now)));

    let id = used.iter().find(|row| row.name == "painel").map(|row| row.id.clone()).expect("listed");
    assert!(revoke_service_token(store, &id, now).await.expect("revoked"));
    server.app.sessions().invalidate(&id);
    let revoked = server.users().get_user(bearer(get_user(&ana.uid), &reader)).await.expect_err("revoked");
    assert_eq!(reason(&revoked), ErrorReason::Unauthenticated);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_internal_api_trusts_a_gateway_only_with_the_fleet_secret() {
    let secret =
        |settings: &mut crate::Settings| settings.fleet_secret = Some(SecretString::from("segredo-da-frota"));
    let server = TestServer::with(secret).await;
    let mut wire = pb::auth_service_client::AuthServiceClient::new(server.app.routes(Audience::Internal));

    let plain = wire.sign_up(ana("ana@exemplo.com.br")).await.expect("the sign-up succeeds");
    let mut shown = Request::new(ana("rui@exemplo.com.br"));
    shown.metadata_mut().insert("x-garimpo-fleet-secret", "segredo-da-frota".parse().expect("ASCII"));
    let trusted = wire.sign_up(shown).await.expect("the sign-up succeeds");
    let mut wrong = Request::new(ana("eva@exemplo.com.br"));
    wrong.metadata_mut().insert("x-garimpo-fleet-secret", "outro".parse().expect("ASCII"));
    let refused = wire.sign_up(wrong).await.expect_err("a wrong secret is refused");

    assert!(session_of(&plain).is_none());
    assert!(session_of(&trusted).is_some());
    assert_eq!(reason(&refused), ErrorReason::Unavailable);
    assert!(server.accepts_token(&plain.into_inner().id_token).await, "ID tokens work on both ports");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_out_on_another_node_takes_effect_here_when_the_cache_expires() {
    let Some(database) = crate::tests::database::Database::postgres().await else {
        return crate::tests::database::skips("PostgreSQL");
    };
    let server = TestServer::start(database, |_| {}).await;
    let ana = server.signs_up("ana@exemplo.com.br").await;
    assert!(server.accepts_token(&ana.session).await);
    let other = TestServer::node(&server.database, server.clock.clone(), |_| {}).await;
    let mut there = pb::auth_service_client::AuthServiceClient::new(other.routes(Audience::Gateway));

    there.sign_out(bearer(pb::SignOutRequest {}, &ana.session)).await.expect("signs out there");

    let mut looks = tokio::time::interval(std::time::Duration::from_millis(50));
    tokio::time::timeout(std::time::Duration::from_secs(6), async {
        while server.accepts_token(&ana.session).await {
            looks.tick().await;
        }
    })
    .await
    .expect("a revocation holds everywhere within 5 s");
}
