//! The whole route table of the public port.

use crate::app::App;
use crate::backend::Backend;
use crate::budget::{AnswerEviction, Budgets, Exceeded};
use crate::error::ApiError;
use crate::health::Ready;
use crate::observe::{self, Observed};
use crate::request_context::RequestContext;
use crate::security::headers::apply_security_headers;
use crate::security::{self, OriginRule};
use crate::settings::Settings;
use crate::site::{self, Site};
use crate::{grpc, openapi, response_body, rest};
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use garimpo_proto::Services;
use http::header::CONNECTION;
use http::{HeaderValue, Method, Version};
use http_body::Body as _;
use std::pin::pin;
use std::sync::Arc;
use tonic::Status;
use tonic::service::Routes;

/// The router of the public port. The peer's address is read from `ConnectInfo<SocketAddr>` in the
/// request's extensions.
///
/// `services` get the calls of REST paths and pages, `encoded` those over gRPC and gRPC-Web.
pub fn router(settings: Settings, services: Services, encoded: Routes, ready: Ready) -> Router {
    observe::describe();
    let site = Arc::new(Site::new(settings.clone(), services.clone()));
    let site_routes = Router::new()
        .route("/config.json", get(site::config::handle))
        .fallback(site::handle)
        .with_state(site.clone());
    let app = Arc::new(App {
        health: grpc::health(ready),
        budgets: Budgets::new(&settings.limits),
        settings,
        services,
        backend: Backend::new(encoded),
        site,
    });
    Router::new()
        .merge(rest_routes())
        .route("/openapi.json", get(openapi::handle))
        .merge(site_routes)
        .method_not_allowed_fallback(rest::wrong_method)
        .layer(from_fn_with_state(app.clone(), around))
        .with_state(app)
}

fn rest_routes() -> Router<Arc<App>> {
    use OriginRule::{Always, Own, OwnOrToken, WithCookie};
    let from = |rule: OriginRule, call: MethodRouter<Arc<App>>| {
        call.route_layer(from_fn_with_state(rule, security::check))
    };
    Router::new()
        .route("/api/auth/set-cookie", from(Always, post(rest::set_cookie::handle)))
        .route("/api/auth/clear-cookie", from(Always, post(rest::clear_cookie::handle)))
        .route("/api/auth/check-cookie", get(rest::check_cookie::handle))
        .route("/api/users/{uid}", get(rest::get_user::handle))
        .route("/api/users", from(WithCookie, post(rest::save_user::handle)))
        .route("/api/create-customer-portal-session", from(WithCookie, post(rest::create_portal::handle)))
        .route(
            "/api/password-reset",
            from(WithCookie, post(rest::password_reset::handle))
                .route_layer(map_response(rest::password_reset::add_ok)),
        )
        .route("/create-embedded-checkout-session", from(WithCookie, post(rest::create_checkout::handle)))
        .route("/session-status", get(rest::session_status::handle))
        .route("/meta-capi", from(OwnOrToken, post(rest::meta_capi::handle)))
        .route("/api/steps", from(Own, post(rest::count_step::handle)))
        .route(observe::PAGE_ERRORS, from(Own, post(rest::page_error::handle)))
        .route("/webhooks/stripe", post(rest::webhook::handle))
        .route("/api", any(rest::unknown_path))
        .route("/api/", any(rest::unknown_path))
        .route("/api/{*path}", any(rest::unknown_path))
        .route("/webhooks/{*path}", any(rest::unknown_path))
}

/// The one layer around all routes: reads the caller, completes the response, records metrics and
/// writes the log line. A layer costs each request several allocations, so all common steps are in
/// one.
async fn around(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let observed = Observed::begin(&mut request);
    let Settings { public_url, trusted_proxies, .. } = &app.settings;
    let context = RequestContext::read(public_url, trusted_proxies, observed.trace(), &mut request);
    let is_grpc = observed.is_grpc();
    let is_http2 = request.version() == Version::HTTP_2;
    let has_body = !request.body().is_end_stream();
    let eviction = request.extensions_mut().remove::<AnswerEviction>();
    request.extensions_mut().insert(context.clone());

    // Pinned on the stack: moved into another future it would be stored twice.
    let responding = pin!(async {
        // gRPC is routed by its content type alone.
        match claim_place(&app, &context, &request) {
            Ok(()) if is_grpc => grpc::respond(&app, &context, request).await,
            Ok(()) => next.run(request).await,
            Err(exceeded) if is_grpc => Status::from(exceeded).into_http(),
            Err(exceeded) => ApiError::from(exceeded).into_response(),
        }
    });
    let mut response = observe::catch_panic(responding, is_grpc).await;
    let failure = response.extensions_mut().remove::<ApiError>();
    if let Some(failure) = &failure {
        response = failure.rendered(response, &context.caller.request_id);
    }
    if has_body && !is_http2 && !context.state().is_body_read {
        // hyper closes a connection with an unread body, so its client must not send more on it.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    if !response.body().is_end_stream() {
        let claimed = || app.budgets.requests.claim(Some(context.address), 1);
        let place = context.state().place.take();
        response = match place.map_or_else(claimed, Ok) {
            Ok(place) => response_body::counted(response, place, eviction),
            Err(exceeded) => response_body::uncounted(response, exceeded, is_grpc, is_http2),
        };
    }
    apply_security_headers(response.headers_mut(), public_url, is_grpc);
    context.complete(response.headers_mut(), public_url.is_https());
    observed.end(&app.budgets.log_lines, &context, &response, failure.as_ref());
    response
}

/// Counts a request that has no body to wait for. A request with a body is counted once the body
/// has arrived.
fn claim_place(app: &App, context: &RequestContext, request: &Request) -> Result<(), Exceeded> {
    let is_whole = request.body().is_end_stream() || matches!(*request.method(), Method::GET | Method::HEAD);
    if is_whole {
        context.state().place = Some(app.budgets.requests.claim(Some(context.address), 1)?);
    }
    Ok(())
}
