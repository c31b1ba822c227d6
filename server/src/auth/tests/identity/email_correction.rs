//! The correction of an email at both providers.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn the_identity_gets_the_corrected_email_and_keeps_its_password() {
    for place in Place::each().await {
        let (typo, meant) = (fresh_email(), fresh_email());
        let ana = place.world.signs_up(&typo).await;
        let corrects = async |email: &str, password: &str| {
            let form = pb::CorrectEmailRequest { new_email: email.into(), password: password.into() };
            let answer = place.world.auth().correct_email(bearer(form, &ana.session)).await;
            answer.map(drop).map_err(|refused| reason(&refused))
        };
        let taken = fresh_email();
        if let Some(emulator) = &place.emulator {
            let body = json!({ "email": taken, "password": PASSWORD });
            emulator.does("accounts:signUp", body).await;
            assert_eq!(corrects(&taken, PASSWORD).await, Err(ErrorReason::EmailInUse), "{}", place.name);
        }

        assert_eq!(corrects(&meant, "errada!").await, Err(place.wrong_password()), "{}", place.name);
        assert_eq!(corrects(&meant, PASSWORD).await, Ok(()), "{}", place.name);
        place.world.rest().await;

        let held = place.enters(&meant, PASSWORD).await.expect("the new email opens");
        assert_eq!((held.uid, held.email), (ana.uid.clone(), meant.clone()), "{}", place.name);
        assert_eq!(place.enters(&typo, PASSWORD).await.map(drop), Err(place.unknown_email()));
        let code = place.code(&meant).await;
        place.confirms(&code, "outra-senha").await.expect("the link comes to the new email");
    }
}
