//! The events of the audit trail.

use super::*;
use crate::email_hash::EmailHash;
use crate::ids::Ids;
use crate::retention;
use crate::store::identity::audit_events::{self, AuditFilter, AuditRow};

async fn all(server: &TestServer) -> Vec<AuditRow> {
    audit_events::list(server.app.store(), &AuditFilter::default(), 100).await.expect("the trail")
}

fn kinds_and_uids(rows: &[AuditRow]) -> Vec<(&str, Option<&str>)> {
    rows.iter().rev().map(|row| (row.kind.as_str(), row.uid.as_deref())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_account_action_records_an_audit_event_with_account_client_and_request() {
    let (server, ana) = TestServer::with_ana().await;
    let uid = Some(&*ana.uid);
    let step = || server.clock.advance_seconds(1);
    step();
    let mut entered = from_address(sign_in(" ANA@exemplo.com.br", "segredo"), "203.0.113.7");
    for (name, value) in [("x-test-user-agent", "curl/8.5"), ("x-test-request-id", "req_da_ana")] {
        entered.metadata_mut().insert(name, value.parse().expect("ASCII"));
    }
    let entered = server.auth().sign_in(entered).await.expect("it signs in");
    let (session, _) = session_of(&entered).expect("a session");
    step();
    server.auth().sign_in(sign_in(ANA, "errada!")).await.expect_err("a wrong password");
    step();
    server.auth().sign_in(sign_in("ninguem@exemplo.com.br", "errada!")).await.expect_err("nobody");
    step();
    let reset = |email: &str| pb::RequestPasswordResetRequest { email: email.to_owned() };
    server.auth().request_password_reset(reset(ANA)).await.expect("it is taken");
    step();
    server.auth().request_password_reset(reset("ninguem@exemplo.com.br")).await.expect("it is taken");
    step();
    let change = pb::ChangePasswordRequest {
        current_password: "segredo".to_owned(),
        new_password: "outra-senha".to_owned(),
    };
    let changed = server.auth().change_password(bearer(change, &session)).await.expect("it is changed");
    let (session, _) = session_of(&changed).expect("a session");
    step();
    let revoke = pb::RevokeSessionRequest::default();
    server.auth().revoke_session(bearer(revoke, &session)).await.expect("others end");
    step();
    server.auth().sign_out(bearer(pb::SignOutRequest {}, &session)).await.expect("signed out");

    let rows = all(&server).await;

    assert_eq!(
        kinds_and_uids(&rows),
        [
            ("sign_up", uid),
            ("sign_in", uid),
            ("sign_in_failed", uid),
            ("sign_in_failed", None),
            ("reset_requested", uid),
            ("reset_requested", None),
            ("password_changed", uid),
            ("session_revoked", uid),
            ("sign_out", uid),
        ]
    );
    let entry = &rows[rows.len() - 2];
    assert_eq!(entry.client_address.as_deref(), Some("203.0.113.7"));
    assert_eq!((entry.device.as_str(), entry.request_id.as_str()), ("curl", "req_da_ana"));
    let hash = EmailHash::open(server.app.store(), &Ids::system())
        .await
        .expect("the key")
        .of("Ninguem@exemplo.com.br ");
    let unknown: Vec<_> = rows.iter().filter(|row| row.uid.is_none()).collect();
    assert!(unknown.iter().all(|row| row.email_hash.as_deref() == Some(hash.as_str())), "{unknown:?}");
    assert!(!format!("{rows:?}").contains('@'), "no email in clear");

    let store = server.app.store();
    let of = |filter: AuditFilter| async move {
        audit_events::list(store, &filter, 100).await.expect("the trail").len()
    };
    assert_eq!(of(AuditFilter { uid: Some(ana.uid.clone()), ..AuditFilter::default() }).await, 7);
    assert_eq!(of(AuditFilter { email_hash: Some(hash), ..AuditFilter::default() }).await, 2);
    let kind = crate::audit::AuditKind::parse("sign_in_failed");
    assert_eq!(of(AuditFilter { kind, ..AuditFilter::default() }).await, 2);
    let since = Some(server.app.clock().now());
    assert_eq!(of(AuditFilter { since, ..AuditFilter::default() }).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_audit_event_older_than_a_year_is_removed() {
    let (server, _) = TestServer::with_ana().await;
    server.clock.advance_seconds(364 * 86_400);
    let run = || retention::run(server.app.store().clone(), server.app.clock());
    run().await.expect("it runs");
    assert_eq!(all(&server).await.len(), 1);

    server.clock.advance_seconds(2 * 86_400);
    run().await.expect("it runs");

    assert_eq!(all(&server).await.len(), 0);
}
