//! The documented REST paths: decode, one gRPC call, encode. One file per call.

pub(crate) mod check_cookie;
pub(crate) mod clear_cookie;
pub(crate) mod count_step;
pub(crate) mod create_checkout;
pub(crate) mod create_portal;
pub(crate) mod get_user;
pub(crate) mod meta_capi;
pub(crate) mod password_reset;
pub(crate) mod save_user;
pub(crate) mod session_status;
pub(crate) mod set_cookie;
pub(crate) mod webhook;

mod body;
mod user_record;
pub(crate) mod values;

use crate::app::App;
use crate::backend::Backend;
use crate::caller::Caller;
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1::billing_service_client::BillingServiceClient;
use garimpo_proto::billing::v1::webhook_service_client::WebhookServiceClient;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1::tracking_service_client::TrackingServiceClient;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use http::request::Parts;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;
use values::True;

/// Time that one REST call gives the services.
const DEADLINE: Duration = Duration::from_secs(10);
/// The same for calls behind which the payment provider stands.
const PROVIDER_DEADLINE: Duration = Duration::from_secs(20);

/// The way from a handler to the services, in the name of its caller.
pub(crate) struct Call {
    backend: Backend,
    caller: Caller,
}

impl Call {
    fn auth(&self) -> AuthServiceClient<Backend> {
        AuthServiceClient::new(self.backend.clone())
    }

    fn users(&self) -> UserServiceClient<Backend> {
        UserServiceClient::new(self.backend.clone())
    }

    fn billing(&self) -> BillingServiceClient<Backend> {
        BillingServiceClient::new(self.backend.clone())
    }

    fn tracking(&self) -> TrackingServiceClient<Backend> {
        TrackingServiceClient::new(self.backend.clone())
    }

    fn webhooks(&self) -> WebhookServiceClient<Backend> {
        WebhookServiceClient::new(self.backend.clone())
    }
}

impl FromRequestParts<Arc<App>> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, app).await?;
        Ok(Self { backend: caller.wrap(&app.backend), caller })
    }
}

/// A message as a request with the usual deadline.
fn within<T>(deadline: Duration, message: T) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request.set_timeout(deadline);
    request
}

/// `{"ok":true}`.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Done {
    ok: True,
}

impl Done {
    const YES: Self = Self { ok: True(true) };
}

/// Any /api path that is no call.
pub(crate) async fn unknown_path() -> Response {
    ApiError::new(ErrorReason::NotFound).into_response()
}

/// A known path with another method; the router adds `Allow`.
pub(crate) async fn wrong_method() -> Response {
    ApiError::new(ErrorReason::MethodNotAllowed).into_response()
}
