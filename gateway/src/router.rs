//! The whole route table of the public port.

use crate::app::{App, Ready};
use crate::backend::Backend;
use crate::caller::Caller;
use crate::security::{self, OriginRule};
use crate::settings::Settings;
use crate::site::{self, Site};
use crate::{grpc, observe, openapi, rest};
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{MethodRouter, any, get, post};
use http::HeaderValue;
use http::header::CACHE_CONTROL;
use std::sync::Arc;

/// Everything that the public port answers. `ready` says whether calls would be answered now.
///
/// The peer's address is read from `ConnectInfo<SocketAddr>` in the request's extensions.
pub fn router(settings: Settings, backend: Backend, ready: Ready) -> Router {
    let site = Site::new(&settings, backend.clone());
    let app = App {
        settings: Arc::new(settings),
        backend,
        site: Arc::new(site),
        meters: Arc::new(observe::Meters::new()),
    };
    let own = grpc::own_services(ready).expect("the descriptors are made by our own build");
    Router::new()
        .merge(rest_routes(&app))
        .route("/config.json", get(site::config))
        .route("/openapi.json", get(openapi::handle))
        .fallback(site::handle)
        .method_not_allowed_fallback(rest::wrong_method)
        .layer(from_fn(observe::label))
        .layer(from_fn_with_state(app.clone(), security::headers::on_every_answer))
        .layer(from_fn_with_state((app.clone(), own), by_content_type))
        .layer(from_fn_with_state(app.clone(), observe::around))
        .with_state(app)
}

fn rest_routes(app: &App) -> Router<App> {
    use OriginRule::{Always, Any, OwnOrToken, WithCookie};
    let from = |rule: OriginRule, call: MethodRouter<App>| {
        call.route_layer(from_fn_with_state((app.clone(), rule), security::check))
    };
    Router::new()
        .route("/api/auth/set-cookie", from(Always, post(rest::set_cookie::handle)))
        .route("/api/auth/clear-cookie", from(Always, post(rest::clear_cookie::handle)))
        .route("/api/auth/check-cookie", from(Any, get(rest::check_cookie::handle)))
        .route("/api/users/{uid}", from(Any, get(rest::get_user::handle)))
        .route("/api/users", from(WithCookie, post(rest::save_user::handle)))
        .route("/api/create-customer-portal-session", from(WithCookie, post(rest::create_portal::handle)))
        .route(
            "/api/password-reset",
            from(WithCookie, post(rest::password_reset::handle))
                .route_layer(map_response(rest::password_reset::say_ok)),
        )
        .route("/create-embedded-checkout-session", from(WithCookie, post(rest::create_checkout::handle)))
        .route("/session-status", from(Any, get(rest::session_status::handle)))
        .route("/meta-capi", from(OwnOrToken, post(rest::meta_capi::handle)))
        .route("/webhooks/stripe", from(Any, post(rest::webhook::handle)))
        .route("/api", any(rest::unknown_path))
        .route("/api/", any(rest::unknown_path))
        .route("/api/{*path}", any(rest::unknown_path))
        .route("/webhooks/{*path}", any(rest::unknown_path))
        .layer(from_fn(never_stored))
}

/// gRPC goes its own way by content type alone: paths of its services are never looked for among the others.
async fn by_content_type(
    State((app, own)): State<(App, Backend)>,
    caller: Caller,
    request: Request,
    next: Next,
) -> Response {
    if grpc::is_grpc(request.headers()) {
        grpc::answer(&app, &own, &caller, request).await
    } else {
        next.run(request).await
    }
}

async fn never_stored(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
