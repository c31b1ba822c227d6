//! The ports as tests reach them.

use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use garimpo_proto::billing::v1::ReceiveEventRequest;
use garimpo_proto::{Caller, Credential, Services, SessionChange};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use tonic::Status;
use tonic::service::Routes;

use crate::app::App;

/// The services of the public port. Headers that a test sets stand for what the gateway reads, and
/// headers of the response for what it does.
pub fn public_port(app: &App) -> Routes {
    Routes::from(app.public_routes().into_axum_router().layer(from_fn(as_the_gateway)))
}

async fn as_the_gateway(mut request: Request, next: Next) -> Response {
    let caller = Arc::new(read(request.headers()));
    request.extensions_mut().insert(caller.clone());
    let mut response = next.run(request).await;
    let mut put = |name, value: &str| {
        let value = HeaderValue::from_str(value).expect("it is visible ASCII");
        response.headers_mut().insert(HeaderName::from_static(name), value);
    };
    let (token, seconds) = match caller.session() {
        Some(SessionChange::Set { token, max_age_seconds }) => (token, max_age_seconds),
        Some(SessionChange::End) => (String::new(), 0),
        None => return response,
    };
    put("x-test-session", &token);
    put("x-test-session-max-age", &seconds.to_string());
    response
}

fn read(headers: &HeaderMap) -> Caller {
    let text = |name| headers.get(name).map(|value| value.to_str().expect("ASCII").to_owned());
    let bearers = headers.get_all(AUTHORIZATION).into_iter().map(Credential::bearer);
    let tokens = bearers.flat_map(|bearer| bearer.tokens().to_vec());
    Caller {
        address: text("x-test-client-address").map(|address| address.parse().expect("an address")),
        user_agent: text("x-test-user-agent"),
        request_id: text("x-test-request-id").unwrap_or_default(),
        is_own_origin: headers.contains_key("x-test-own-origin"),
        credential: Credential::Cookie(tokens.collect()),
        ..Caller::default()
    }
}

/// Delivers an event of the payment provider, as the gateway does.
pub async fn receive_event(services: &Services, payload: Vec<u8>, signature: &str) -> Result<(), Status> {
    let rpc = "garimpo.billing.v1.WebhookService/ReceiveEvent";
    let (caller, event) = (Arc::default(), ReceiveEventRequest { payload, signature: signature.to_owned() });
    let received =
        services.call(rpc, &caller, event, |services, request| services.webhooks.receive_event(request));
    received.await.map(drop)
}
