//! `/captcha/siteverify`, where responses of challenges are verified as at Turnstile and hCaptcha.
//! The script at `/captcha/api.js` gives the responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::state::World;

const SECRET: &str = "captcha_test_garimpo";
/// Start of the response of a solved challenge.
const SOLVED: &str = "pass-";

pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/captcha/siteverify", post(verify))
}

async fn verify(State(world): State<Arc<World>>, body: Bytes) -> Json<Value> {
    let form: BTreeMap<_, _> = form_urlencoded::parse(&body).collect();
    let field = |name: &str| form.get(name).map(AsRef::as_ref).unwrap_or_default();
    let codes: &[&str] = match (field("secret"), field("response")) {
        ("", _) => &["missing-input-secret"],
        (secret, _) if secret != SECRET => &["invalid-input-secret"],
        (_, "") => &["missing-input-response"],
        (_, response) if !response.starts_with(SOLVED) => &["invalid-input-response"],
        (_, response) if !world.verified_challenges.lock().insert(response.to_owned()) => {
            &["timeout-or-duplicate"]
        }
        _ => &[],
    };
    Json(json!({"success": codes.is_empty(), "challenge_ts": world.now().rfc3339(), "error-codes": codes}))
}
