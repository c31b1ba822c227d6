//! What people see: the frame, the voucher, the portal, the invoice, the mailbox, the conversions, the log and the front page.
//!
//! Every page says 'ambiente de testes', loads nothing from elsewhere and carries no inline script or style.

mod authentication;
mod conversions;
mod embedded;
mod home;
mod html;
mod invoice;
mod log;
pub mod mailbox;
mod portal;
mod voucher;

use std::sync::Arc;

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::state::world::World;

/// Every page and the files that they load.
pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .merge(authentication::routes())
        .merge(embedded::routes())
        .merge(home::routes())
        .merge(invoice::routes())
        .merge(log::routes())
        .merge(mailbox::routes())
        .merge(portal::routes())
        .merge(voucher::routes())
        .route("/graph", get(conversions::list))
        .route(
            "/assets/sandbox.css",
            get(async || file("text/css; charset=utf-8", include_str!("../assets/sandbox.css"))),
        )
        .route("/assets/frame.js", get(async || script(include_str!("../assets/frame.js"))))
        .route("/assets/authenticate.js", get(async || script(include_str!("../assets/authenticate.js"))))
        .route("/assets/page.js", get(async || script(include_str!("../assets/page.js"))))
        .route("/assets/icon.svg", get(async || file("image/svg+xml", include_str!("../assets/icon.svg"))))
        .route("/v3", get(async || script(include_str!("../assets/stripe.js"))))
        .route("/v3/", get(async || script(include_str!("../assets/stripe.js"))))
}

/// A script that pages of any site may load.
pub fn script(text: &'static str) -> Response {
    file("text/javascript; charset=utf-8", text)
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let policy = ("cross-origin-resource-policy", "cross-origin");
    ([(CONTENT_TYPE.as_str(), kind), (CACHE_CONTROL.as_str(), "no-cache"), policy], text).into_response()
}
