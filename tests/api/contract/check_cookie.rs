//! GET /api/auth/check-cookie

use super::FOREIGN_ORIGIN_HEADERS;
use e2e::{App, Person, Rest};
use serde_json::json;

const PATH: &str = "/api/auth/check-cookie";

#[tokio::test]
async fn no_credential_an_invented_one_or_a_service_token_does_not_authenticate() {
    let app = App::start().await;
    let mut nobody = app.visitor();
    let service = app.service("users.read").await;

    let without = nobody.calls_with_cookie("GET", PATH, None).await;
    nobody.cookie = Some("garimpo_session=gs_inventado".into());
    let invented = nobody.calls_with_cookie("GET", PATH, None).await;
    let program = service.calls("GET", PATH, None).await;

    for seen in [without, invented, program] {
        seen.gives(200, json!({ "authenticated": false }));
    }
}

#[tokio::test]
async fn with_cookie_and_token_the_cookie_is_ignored() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;

    let both = ana.request("GET", PATH).cookie_of(&ana).token_of(&rui).answered().await;
    let dead = ana.request("GET", PATH).cookie_of(&ana).bearer_auth("gi_inventado").answered().await;
    let other =
        ana.request("GET", PATH).cookie_of(&ana).header("authorization", "Basic YTpi").answered().await;

    assert_eq!(both.body["user"]["uid"], rui.uid);
    dead.gives(200, json!({ "authenticated": false }));
    other.gives(200, json!({ "authenticated": false }));
}

#[tokio::test]
async fn check_cookie_accepts_any_origin_because_it_is_a_read() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    for (name, value) in FOREIGN_ORIGIN_HEADERS {
        let seen = ana.request("GET", PATH).cookie_of(&ana).header(name, value).answered().await;
        assert_eq!(seen.body["authenticated"], true, "{name}: {value}");
        seen.assert_common_headers();
    }
}
