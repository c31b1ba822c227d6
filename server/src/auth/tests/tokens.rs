//! Service tokens, other nodes, and who is believed on the wire.

use crate::store::identity::audit_events::{self, AuditFilter};
use crate::store::identity::service_tokens;
use crate::tests::port::public_port;
use garimpo_proto::users::v1 as users;

use super::*;
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
async fn a_sign_up_at_the_internal_port_counts_for_no_visitor_and_its_id_token_works_on_both_ports() {
    let server = TestServer::new().await;
    let mut wire = pb::auth_service_client::AuthServiceClient::new(server.app.internal_routes());
    let mut claimed = Request::new(ana(ANA));
    for name in ["x-garimpo-client-address", "x-forwarded-for", "x-test-client-address"] {
        claimed.metadata_mut().insert(name, "203.0.113.7".parse().expect("ASCII"));
    }

    let signed_up = wire.sign_up(claimed).await.expect("the sign-up succeeds").into_inner();

    assert!(server.accepts_token(&signed_up.id_token).await);
    let trail =
        audit_events::list(server.app.store(), &AuditFilter::default(), 100).await.expect("the trail");
    assert_eq!(trail[0].client_address, None);
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
    let mut there = pb::auth_service_client::AuthServiceClient::new(public_port(&other));

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
