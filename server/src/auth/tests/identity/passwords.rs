//! Passwords: their change and recovery.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_code_changes_the_password_and_ends_sessions_and_tokens() {
    for tested in TestedProvider::each().await {
        let email = fresh_email();
        let ana = tested.world.signs_up(&email).await;
        let code = tested.code(&email).await;

        assert_eq!(tested.confirms(&code, "12345").await, Err(ErrorReason::WeakPassword));
        assert!(
            tested.world.accepts_token(&ana.session).await && tested.world.accepts_token(&ana.id_token).await
        );
        tested.confirms(&code, "outra-senha").await.expect("the code holds");

        for token in [&ana.session, &ana.id_token] {
            assert!(!tested.world.accepts_token(token).await, "{}: {token}", tested.name);
        }
        assert_eq!(tested.sets_session(&ana).await, Err(ErrorReason::Unauthenticated));
        assert_eq!(tested.enters(&email, PASSWORD).await.map(drop), Err(tested.wrong_password()));
        let held = tested.enters(&email, "outra-senha").await.expect("the new password opens");
        assert!(
            tested.world.accepts_token(&held.session).await
                && tested.world.accepts_token(&held.id_token).await
        );
        for spent in [code.as_str(), "inventado"] {
            assert_eq!(tested.confirms(spent, "mais-uma").await, Err(ErrorReason::ResetCodeInvalid));
        }
        let account =
            accounts::by_uid(tested.world.app.store(), &ana.uid).await.expect("read").expect("the account");
        assert!(account.email_verified, "the link came by mail");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_request_for_an_unknown_email_returns_the_same_reply_and_sends_no_mail() {
    for tested in TestedProvider::each().await {
        let nobody = fresh_email();
        let asked = pb::RequestPasswordResetRequest { email: nobody.clone() };

        tested.world.auth().request_password_reset(asked).await.expect("the request is taken");

        tested.world.rest().await;
        assert_eq!(tested.world.mails_to(&nobody).await, [] as [Value; 0], "{}", tested.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_change_needs_the_current_password_and_ends_earlier_sessions_and_tokens() {
    for tested in TestedProvider::each().await {
        let ana = tested.world.signs_up(&fresh_email()).await;
        let other = tested.enters(&ana.email, PASSWORD).await.expect("a second device");
        let changes = async |current: &str, new: &str| {
            let form =
                pb::ChangePasswordRequest { current_password: current.into(), new_password: new.into() };
            let changed = tested.world.auth().change_password(bearer(form, &ana.session)).await;
            changed
                .map(|answer| session_of(&answer).expect("a session comes with it").0)
                .map_err(|no| reason(&no))
        };

        assert_eq!(changes("errada!", "outra-senha").await, Err(tested.wrong_password()));
        assert_eq!(changes(PASSWORD, "12345").await, Err(ErrorReason::WeakPassword));
        assert!(tested.world.accepts_token(&other.id_token).await, "nothing has changed");
        let kept = changes(PASSWORD, "outra-senha").await.expect("the password is changed");

        assert!(tested.world.accepts_token(&kept).await);
        for token in [&ana.session, &ana.id_token, &other.session, &other.id_token] {
            assert!(!tested.world.accepts_token(token).await, "{}: {token}", tested.name);
        }
        assert_eq!(tested.enters(&ana.email, PASSWORD).await.map(drop), Err(tested.wrong_password()));
        let held = tested.enters(&ana.email, "outra-senha").await.expect("the new password opens");
        assert!(
            tested.world.accepts_token(&held.session).await
                && tested.world.accepts_token(&held.id_token).await
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_ends_sessions_and_tokens_of_concurrent_sign_ins_with_any_provider() {
    for tested in TestedProvider::each().await {
        let email = fresh_email();
        tested.world.signs_up(&email).await;
        let code = tested.code(&email).await;

        let entries: Vec<_> = (0..6)
            .map(|_| {
                let (mut auth, form) = (tested.world.auth(), sign_in(&email, PASSWORD));
                tokio::spawn(async move { auth.sign_in(form).await })
            })
            .collect();
        tested.confirms(&code, "outra-senha").await.expect("the code holds");

        for entry in futures::future::join_all(entries).await {
            let Ok(entered) = entry.expect("no panic") else { continue };
            let (session, _) = session_of(&entered).expect("a session comes with it");
            let id_token = entered.into_inner().id_token;
            assert!(
                !tested.world.accepts_token(&session).await,
                "{}: made with the old password",
                tested.name
            );
            assert!(
                !tested.world.accepts_token(&id_token).await,
                "{}: issued for the old password",
                tested.name
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_ends_the_old_session_even_if_its_client_disconnects() {
    for tested in TestedProvider::outside().await {
        let ana = tested.world.signs_up(&fresh_email()).await;
        let code = tested.code(&ana.email).await;
        let form = pb::ConfirmPasswordResetRequest { code, new_password: "outra-senha".into() };
        let mut auth = tested.world.auth();
        let call = tokio::spawn(async move { auth.confirm_password_reset(form).await.map(drop) });

        tested
            .world
            .eventually("the provider has the new password", async || {
                let form = json!({ "email": ana.email, "password": "outra-senha" });
                tested.emulator().does("accounts:signInWithPassword", form).await["localId"] == *ana.uid
            })
            .await;
        call.abort();

        tested
            .world
            .eventually("the end of the session", async || !tested.world.accepts_token(&ana.session).await)
            .await;
        tested
            .world
            .eventually("the end of the token", async || !tested.world.accepts_token(&ana.id_token).await)
            .await;
    }
}
