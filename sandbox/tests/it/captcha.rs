//! Challenges: which responses count, and how often.

use serde_json::{Value, json};

use crate::support::{World, client};

async fn verify(world: &World, form: &[(&str, &str)]) -> Value {
    let sent = client().post(format!("{}/captcha/siteverify", world.url)).form(form).send().await.unwrap();
    assert_eq!(sent.status(), 200);
    sent.json().await.unwrap()
}

#[tokio::test]
async fn a_solved_challenge_counts_once_and_another_never() {
    let world = World::start().await;
    let secret = ("secret", "captcha_test_garimpo");
    let solved = verify(&world, &[secret, ("response", "pass-1"), ("remoteip", "203.0.113.7")]).await;
    assert_eq!((&solved["success"], &solved["error-codes"]), (&json!(true), &json!([])));

    for (form, code) in [
        (&[secret, ("response", "pass-1")][..], "timeout-or-duplicate"),
        (&[secret, ("response", "invented")], "invalid-input-response"),
        (&[secret], "missing-input-response"),
        (&[("secret", "another"), ("response", "pass-2")], "invalid-input-secret"),
        (&[("response", "pass-2")], "missing-input-secret"),
    ] {
        let refused = verify(&world, form).await;
        assert_eq!((&refused["success"], &refused["error-codes"]), (&json!(false), &json!([code])), "{code}");
    }
    let other = verify(&world, &[secret, ("response", "pass-2")]).await;
    assert_eq!(other["success"], true, "a refused call uses no response up");
}

#[tokio::test]
async fn the_script_of_the_challenge_may_be_loaded_by_any_site() {
    let world = World::start().await;
    let script = client().get(format!("{}/captcha/api.js", world.url)).send().await.unwrap();
    assert_eq!(script.headers()["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(script.headers()["cross-origin-resource-policy"], "cross-origin");
}
