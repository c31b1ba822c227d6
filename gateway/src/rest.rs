//! The documented REST calls: decode, one call of a service, encode. One file per call. Errors of
//! pages need no service: the gateway counts and logs them itself.

pub(crate) mod check_cookie;
pub(crate) mod clear_cookie;
pub(crate) mod count_step;
pub(crate) mod create_checkout;
pub(crate) mod create_portal;
pub(crate) mod get_user;
pub(crate) mod meta_capi;
pub(crate) mod page_error;
pub(crate) mod password_reset;
pub(crate) mod save_user;
pub(crate) mod session_status;
pub(crate) mod set_cookie;
pub(crate) mod webhook;

mod body;
mod user_record;
pub(crate) mod values;

use crate::app::App;
use crate::caller::Caller;
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use garimpo_proto::Around;
use garimpo_proto::auth::v1::auth_service_server::AuthService;
use garimpo_proto::billing::v1::billing_service_server::BillingService;
use garimpo_proto::billing::v1::webhook_service_server::WebhookService;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1::tracking_service_server::TrackingService;
use garimpo_proto::users::v1::user_service_server::UserService;
use http::request::Parts;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;
use values::True;

/// Deadline of a call to the services.
const DEADLINE: Duration = Duration::from_secs(10);
/// Deadline of a call that reaches the payment provider.
const PROVIDER_DEADLINE: Duration = Duration::from_secs(20);

/// The services, for the caller of one request.
pub(crate) struct Call {
    app: Arc<App>,
    caller: Caller,
}

impl Call {
    fn auth(&self) -> impl AuthService {
        self.around(&self.app.servers.services.auth)
    }

    fn users(&self) -> impl UserService {
        self.around(&self.app.servers.services.users)
    }

    fn billing(&self) -> impl BillingService {
        self.around(&self.app.servers.services.billing)
    }

    fn tracking(&self) -> impl TrackingService {
        self.around(&self.app.servers.services.tracking)
    }

    fn webhooks(&self) -> impl WebhookService {
        self.around(&self.app.servers.services.webhooks)
    }

    fn around<S: ?Sized>(&self, service: &Arc<S>) -> Around<Arc<S>, Caller> {
        Around { service: service.clone(), around: self.caller.clone() }
    }
}

impl FromRequestParts<Arc<App>> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, app).await?;
        Ok(Self { app: app.clone(), caller })
    }
}

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

/// Unknown paths under /api.
pub(crate) async fn unknown_path() -> Response {
    ApiError::new(ErrorReason::NotFound).into_response()
}

/// A known path with another method. The router adds `Allow`.
pub(crate) async fn wrong_method() -> Response {
    ApiError::new(ErrorReason::MethodNotAllowed).into_response()
}
