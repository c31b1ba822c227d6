//! Sign-up.

use std::time::Duration;

use garimpo_domain::person::PasswordPolicy;
use sqlx::{Connection as _, PgConnection};

use super::*;
use crate::operator::tests::execute_sql;
use crate::tests::database::Database;
use crate::tests::port::public_port;

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_creates_the_account_the_session_and_the_token_together() {
    let server = TestServer::new().await;
    let ana = server.signs_up(" Ana@Exemplo.com.BR ").await;

    assert_eq!(ana.email, "ana@exemplo.com.br");
    assert!(ana.uid.starts_with("usr_") && ana.session.starts_with("gs_") && ana.id_token.starts_with("gi_"));
    assert_eq!(ana.max_age, (14 * 86_400).to_string());
    assert!(server.accepts_token(&ana.session).await);
    assert!(server.accepts_token(&ana.id_token).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_with_an_email_in_use_is_rejected_also_among_concurrent_calls() {
    let server = TestServer::new().await;
    let many = (0..4).map(|at| {
        let mut auth = server.auth();
        let form = pb::SignUpRequest { password: format!("senha-{at}"), ..ana("ana@exemplo.com.br") };
        async move { auth.sign_up(form).await }
    });
    let answers = futures::future::join_all(many).await;

    let refused: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    assert_eq!(refused.len(), 3);
    for status in refused {
        assert_eq!((status.code(), reason(status)), (Code::AlreadyExists, ErrorReason::EmailInUse));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_that_is_repeated_within_ten_minutes_gets_the_session() {
    let server = TestServer::new().await;
    let first = server.signs_up("lia@exemplo.com.br").await;
    let again = || pb::SignUpRequest { email: "Lia@exemplo.com.br".into(), ..ana("lia@exemplo.com.br") };

    let (one, two) = tokio::join!(async { server.auth().sign_up(again()).await }, async {
        server.auth().sign_up(again()).await
    });

    for repeated in [one, two] {
        let user = repeated.expect("the same sign-up").into_inner().user.expect("a user");
        assert_eq!(user.uid, *first.uid);
    }
    let other = pb::SignUpRequest { password: "outra-senha".into(), ..again() };
    let refused = server.auth().sign_up(other).await.expect_err("another password");
    assert_eq!(reason(&refused), ErrorReason::EmailInUse);
    server.clock.advance_seconds(11 * 60);
    let refused = server.auth().sign_up(again()).await.expect_err("it is too late");
    assert_eq!(reason(&refused), ErrorReason::EmailInUse);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_sign_up_gets_no_session_once_something_was_paid() {
    let server = TestServer::new().await;
    let lia = server.signs_up("lia@exemplo.com.br").await;
    let paid_at = server.clock.now().as_micros();
    let invoice = format!(
        "INSERT INTO invoices (id, uid, subscription_id, reason, status, total_centavos, payment_method,
           amount_due_centavos, payment_intent_id, boleto_line, boleto_url, receipt_url, paid_at_us, created_at_us)
         VALUES ('in_1', '{}', 'sub_1', 'subscription_create', 'paid', 100, 'card', 100, '', '', '', '',
           {paid_at}, {paid_at})",
        lia.uid
    );
    execute_sql(&server.database, &invoice).await;

    let refused = server.auth().sign_up(ana("lia@exemplo.com.br")).await.expect_err("it was paid");

    assert_eq!(reason(&refused), ErrorReason::EmailInUse);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_sign_up_is_limited_as_a_sign_in_is() {
    let server = TestServer::new().await;
    server.signs_up("lia@exemplo.com.br").await;
    let form = || ana("lia@exemplo.com.br");
    for n in 0..10 {
        let guess = pb::SignUpRequest { password: format!("palpite-{n}"), ..form() };
        let refused = server.auth().sign_up(guess).await.expect_err("a wrong password");
        assert_eq!(reason(&refused), ErrorReason::EmailInUse, "guess {n}");
    }

    let refused = server.auth().sign_up(form()).await.expect_err("the limit is reached");

    assert_eq!(reason(&refused), ErrorReason::TooManyRequests);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_returns_the_reason_for_the_invalid_field() {
    let form = || ana("ana@exemplo.com.br");
    let cases = [
        (pb::SignUpRequest { email: "sem-arroba".into(), ..form() }, ErrorReason::InvalidEmail, "email"),
        (pb::SignUpRequest { email: " ".into(), ..form() }, ErrorReason::InvalidArgument, "email"),
        (pb::SignUpRequest { password: "12345".into(), ..form() }, ErrorReason::WeakPassword, "password"),
        (pb::SignUpRequest { password: "a".repeat(129), ..form() }, ErrorReason::WeakPassword, "password"),
        (pb::SignUpRequest { password: String::new(), ..form() }, ErrorReason::InvalidArgument, "password"),
        (
            pb::SignUpRequest { display_name: " ".into(), ..form() },
            ErrorReason::InvalidArgument,
            "display_name",
        ),
        (
            pb::SignUpRequest { phone_number: "123".into(), ..form() },
            ErrorReason::InvalidPhone,
            "phone_number",
        ),
    ];
    let server = TestServer::new().await;
    for (form, expected, field) in &cases {
        let refused = server.auth().sign_up(form.clone()).await.expect_err("it is refused");

        assert_eq!(refused.code(), Code::InvalidArgument);
        assert_eq!(reason(&refused), *expected, "{field}");
        assert_eq!(fields(&refused), [*field]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_names_all_invalid_fields_at_once() {
    let server = TestServer::new().await;
    let form = pb::SignUpRequest {
        email: "x".into(),
        password: "1".into(),
        display_name: String::new(),
        phone_number: "1".into(),
        ..Default::default()
    };

    let refused = server.auth().sign_up(form).await.expect_err("it is refused");

    assert_eq!(reason(&refused), ErrorReason::InvalidArgument);
    assert_eq!(fields(&refused), ["email", "password", "display_name", "phone_number"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_password_policy_applies_to_new_accounts_and_does_not_lock_existing_ones() {
    let (server, _) = TestServer::with_ana().await;
    let node = TestServer::node(&server.database, server.clock.clone(), |settings| {
        settings.password_policy = PasswordPolicy::new(10, ["1234567890".to_owned()]);
    });
    let mut auth = pb::auth_service_client::AuthServiceClient::new(public_port(&node.await));

    let refused = auth.sign_up(ana("rui@exemplo.com.br")).await.expect_err("seven characters are too few");
    assert_eq!(reason(&refused), ErrorReason::WeakPassword);
    let told = |refused: &tonic::Status| refused.get_details_error_info().expect("a reason").metadata;
    assert_eq!(told(&refused)["minimum"], "10", "the site says how many");
    let easy = pb::SignUpRequest { password: "1234567890".into(), ..ana("rui@exemplo.com.br") };
    let refused = auth.sign_up(easy).await.expect_err("it is on the operator's list");
    assert_eq!(reason(&refused), ErrorReason::WeakPassword);
    assert_eq!(told(&refused)["refused"], "true");
    auth.sign_in(sign_in("ana@exemplo.com.br", "segredo")).await.expect("the old password still opens");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_up_that_waits_on_postgresql_does_not_block_the_counts_of_others() {
    let Some(database) = Database::postgres().await else {
        return crate::tests::database::skips("PostgreSQL");
    };
    let server = TestServer::start(database, |_| {}).await;
    server.signs_up("ana@exemplo.com.br").await;
    let mut beside = PgConnection::connect(&server.database.url).await.expect("it answers");
    // A sign-up writes its audit event after account and session.
    sqlx::raw_sql("BEGIN; SET LOCAL lock_timeout = '2s'; LOCK TABLE audit_events IN EXCLUSIVE MODE")
        .execute(&mut beside)
        .await
        .expect("nobody else writes");
    let mut auth = server.auth();
    let waiting = tokio::spawn(async move { auth.sign_up(ana("rui@exemplo.com.br")).await });
    let is_waiting =
        "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'audit_events'::regclass)";
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    while !sqlx::query_scalar::<_, bool>(is_waiting).fetch_one(&mut beside).await.expect("readable") {
        looks.tick().await;
        assert!(!waiting.is_finished(), "it waits for the trail");
    }

    let counted = sqlx::raw_sql("UPDATE funnel_counts SET count = count").execute(&mut beside).await;

    assert!(counted.expect("nobody holds the counts").rows_affected() >= 1);
    sqlx::raw_sql("COMMIT").execute(&mut beside).await.expect("it ends");
    waiting.await.expect("no panic").expect("the sign-up succeeds");
}
