//! Identities that were made or disabled at an outside provider.

use garimpo_domain::Uid;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_identity_created_at_the_provider_gets_an_account_on_first_use() {
    for tested in TestedProvider::outside().await {
        let makes = async |email: &str| {
            let form = json!({ "email": email, "password": PASSWORD, "displayName": "Rui Lima", "returnSecureToken": true });
            let made = tested.emulator().does("accounts:signUp", form).await;
            let text = |name: &str| made[name].as_str().expect("a text").to_owned();
            let (uid, id_token) = (Uid::new(text("localId")), text("idToken"));
            SignedInUser {
                uid,
                email: email.to_owned(),
                session: String::new(),
                max_age: String::new(),
                id_token,
            }
        };
        let account = async |uid: &Uid| accounts::by_uid(tested.world.app.store(), uid).await.expect("read");

        let rui = makes(&fresh_email()).await;
        let form = pb::SignUpRequest { password: "de-outra-pessoa".into(), ..ana(&rui.email) };
        assert_eq!(
            reason(&tested.world.auth().sign_up(form).await.expect_err("it is in use there")),
            ErrorReason::EmailInUse
        );
        assert!(account(&rui.uid).await.is_none());
        let held = tested.enters(&rui.email, PASSWORD).await.expect("the password opens");
        assert_eq!(held.uid, rui.uid);
        let made = account(&rui.uid).await.expect("it is made");
        assert_eq!((made.email.as_str(), made.display_name), (rui.email.as_str(), "Rui Lima".to_owned()));

        let eva = makes(&fresh_email()).await;
        assert!(!tested.world.accepts_token(&eva.id_token).await, "a token alone makes no account");
        let session = tested.sets_session(&eva).await.expect("a session is made");
        assert!(
            tested.world.accepts_token(&session).await && tested.world.accepts_token(&eva.id_token).await
        );

        let ivo = makes(&fresh_email()).await;
        let code = tested.code(&ivo.email).await;
        tested.confirms(&code, "outra-senha").await.expect("the code holds");
        tested.enters(&ivo.email, "outra-senha").await.expect("the new password opens");

        // A token of a deleted identity creates no account.
        let gone = makes(&fresh_email()).await;
        tested.emulator().owner_does("accounts:delete", json!({ "localId": gone.uid })).await;
        assert_eq!(tested.sets_session(&gone).await, Err(ErrorReason::Unauthenticated));
        assert!(account(&gone.uid).await.is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_identities_with_the_same_email_are_not_merged() {
    for tested in TestedProvider::outside().await {
        let email = fresh_email();
        let ana = tested.world.signs_up(&email).await;
        // The identity is deleted only at the provider, and another person takes its email there.
        tested.emulator().owner_does("accounts:delete", json!({ "localId": ana.uid })).await;
        let form = json!({ "email": email, "password": "de-outra-pessoa" });
        tested.emulator().does("accounts:signUp", form).await;

        assert_eq!(tested.enters(&email, "de-outra-pessoa").await.map(drop), Err(ErrorReason::EmailInUse));
        let asked = pb::RequestPasswordResetRequest { email: email.clone() };
        tested.world.auth().request_password_reset(asked).await.expect("the same answer for everybody");
        tested.world.rest().await;
        assert_eq!(tested.world.mails_to(&email).await, [] as [Value; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_disabled_at_the_provider_is_not_revealed_and_the_name_is_sent_there() {
    for tested in TestedProvider::outside().await {
        let ana = tested.world.signs_up(&fresh_email()).await;
        let known = tested.emulator().owner_does("accounts:lookup", json!({ "localId": [ana.uid] })).await;
        assert_eq!(known["users"][0]["displayName"], "Ana Maria Souza");

        tested
            .emulator()
            .owner_does("accounts:update", json!({ "localId": ana.uid, "disableUser": true }))
            .await;

        for password in [PASSWORD, "errada!"] {
            let refused = tested.enters(&ana.email, password).await.map(drop);
            assert_eq!(refused, Err(ErrorReason::InvalidCredential), "{}", tested.name);
        }
    }
}
