//! Pages for people: the frame, the voucher, the portal, the invoice, the mailbox, the conversions,
//! the log and the front page.
//!
//! Every page says 'ambiente de testes', loads nothing from elsewhere and has no inline script or
//! style.

mod authentication;
mod challenge;
mod conversions;
mod embedded;
mod home;
mod html;
mod invoice;
mod log;
mod mailbox;
mod portal;
mod pretty;
mod voucher;

use std::sync::Arc;

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};

use crate::state::World;

/// Every page and the files that pages load.
pub fn routes() -> Router<Arc<World>> {
    let pages = Router::new()
        .merge(authentication::routes())
        .merge(conversions::routes())
        .merge(embedded::routes())
        .merge(home::routes())
        .merge(invoice::routes())
        .merge(log::routes())
        .merge(mailbox::routes())
        .merge(portal::routes())
        .merge(voucher::routes());
    let script = "text/javascript; charset=utf-8";
    [
        ("/assets/sandbox.css", "text/css; charset=utf-8", include_str!("../assets/sandbox.css")),
        ("/assets/frame.js", script, include_str!("../assets/frame.js")),
        ("/assets/authenticate.js", script, include_str!("../assets/authenticate.js")),
        ("/assets/page.js", script, include_str!("../assets/page.js")),
        ("/assets/icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
        ("/favicon.ico", "image/svg+xml", include_str!("../assets/icon.svg")),
        ("/v3", script, include_str!("../assets/stripe.js")),
        ("/v3/", script, include_str!("../assets/stripe.js")),
        ("/captcha/api.js", script, include_str!("../assets/captcha.js")),
        ("/pixel/fbevents.js", script, include_str!("../assets/fbevents.js")),
        ("/pixel/gtag.js", script, include_str!("../assets/gtag.js")),
    ]
    .into_iter()
    .fold(pages, |routes, (path, kind, text)| routes.route(path, get(async move || file(kind, text))))
    .fallback(html::unknown)
}

/// A file that pages of any site may load.
fn file(kind: &'static str, text: &'static str) -> impl IntoResponse {
    let policy = ("cross-origin-resource-policy", "cross-origin");
    ([(CONTENT_TYPE.as_str(), kind), (CACHE_CONTROL.as_str(), "no-cache"), policy], text)
}
