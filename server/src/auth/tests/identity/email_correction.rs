//! The correction of an email at both providers.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn the_identity_gets_the_corrected_email_and_keeps_its_password() {
    for tested in TestedProvider::each().await {
        let (typo, meant) = (fresh_email(), fresh_email());
        let ana = tested.world.signs_up(&typo).await;
        let corrects = async |email: &str, password: &str| {
            let form = pb::CorrectEmailRequest { new_email: email.into(), password: password.into() };
            let answer = tested.world.auth().correct_email(bearer(form, &ana.session)).await;
            answer.map(drop).map_err(|refused| reason(&refused))
        };
        let taken = fresh_email();
        if let Some(emulator) = &tested.emulator {
            let body = json!({ "email": taken, "password": PASSWORD });
            emulator.does("accounts:signUp", body).await;
            assert_eq!(corrects(&taken, PASSWORD).await, Err(ErrorReason::EmailInUse), "{}", tested.name);
        }

        assert_eq!(corrects(&meant, "errada!").await, Err(tested.wrong_password()), "{}", tested.name);
        assert_eq!(corrects(&meant, PASSWORD).await, Ok(()), "{}", tested.name);
        tested.world.rest().await;

        let held = tested.enters(&meant, PASSWORD).await.expect("the new email opens");
        assert_eq!((held.uid, held.email), (ana.uid.clone(), meant.clone()), "{}", tested.name);
        assert_eq!(tested.enters(&typo, PASSWORD).await.map(drop), Err(tested.unknown_email()));
        let code = tested.code(&meant).await;
        tested.confirms(&code, "outra-senha").await.expect("the link comes to the new email");
    }
}
