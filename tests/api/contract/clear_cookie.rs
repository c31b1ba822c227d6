//! POST /api/auth/clear-cookie

use super::{FOREIGN_ORIGIN_HEADERS, PERMISSION_DENIED, UNSUPPORTED_MEDIA_TYPE};
use e2e::{App, Person, Rest};
use serde_json::json;

const PATH: &str = "/api/auth/clear-cookie";

#[tokio::test]
async fn clear_cookie_expires_the_cookie_and_revokes_the_session() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let cleared = ana.calls_with_cookie("POST", PATH, None).await;
    let old = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;

    cleared.gives(200, json!({ "ok": true }));
    let line = cleared.header("set-cookie");
    assert_eq!(cleared.cookie().as_deref(), Some("garimpo_session="));
    assert!(line.contains("; Max-Age=0") && line.contains("; HttpOnly"), "{line}");
    old.gives(200, json!({ "authenticated": false }));
}

#[tokio::test]
async fn clear_cookie_returns_ok_without_a_session_or_with_an_invented_one() {
    let app = App::start().await;
    let mut nobody = app.visitor();

    let without = nobody.calls_with_cookie("POST", PATH, None).await;
    nobody.cookie = Some("garimpo_session=gs_inventada".into());
    let invented = nobody.calls_with_cookie("POST", PATH, Some(json!({ "sobra": 1 }))).await;

    for seen in [without, invented] {
        seen.gives(200, json!({ "ok": true }));
        assert_eq!(seen.cookie().as_deref(), Some("garimpo_session="));
    }
}

#[tokio::test]
async fn an_empty_clear_cookie_body_is_an_empty_object_and_other_bodies_must_be_json_objects() {
    let app = App::start().await;
    let request = || app.visitor().request("POST", PATH);

    let typed = request().raw("").answered().await;
    let text = request().header("content-type", "text/plain").body("{}").answered().await;
    let untyped = request().body("{}").answered().await;
    let list = request().raw("[]").answered().await;
    let broken = request().raw("{").answered().await;

    typed.gives(200, json!({ "ok": true }));
    text.refuses(UNSUPPORTED_MEDIA_TYPE);
    untyped.refuses(UNSUPPORTED_MEDIA_TYPE);
    list.blames("corpo deve ser um objeto JSON");
    broken.blames("corpo não é JSON válido");
}

#[tokio::test]
async fn another_site_cannot_end_a_session() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    for (name, value) in FOREIGN_ORIGIN_HEADERS {
        let with_cookie = ana.request("POST", PATH).cookie_of(&ana).header(name, value).answered().await;
        let without = ana.request("POST", PATH).header(name, value).answered().await;
        with_cookie.refuses(PERMISSION_DENIED);
        without.refuses(PERMISSION_DENIED);
        assert_eq!(without.cookie(), None);
    }

    let alive = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(alive.body["authenticated"], true);
}
