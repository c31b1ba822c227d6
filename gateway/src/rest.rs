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
use crate::error::ApiError;
use crate::request_context::RequestContext;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::{Handlers, Reply};
use http::request::Parts;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Request, Status};
use utoipa::ToSchema;
use values::True;

/// Deadline of a call to the services.
const DEADLINE: Duration = Duration::from_secs(10);
/// Deadline of a call that reaches the payment provider.
const PROVIDER_DEADLINE: Duration = Duration::from_secs(20);

/// The services, for the caller of one request.
pub(crate) struct Call {
    app: Arc<App>,
    context: RequestContext,
}

impl Call {
    /// Calls the `package.Service/Method` `rpc`.
    async fn make<Q: Send, R: Send>(
        &self,
        deadline: Duration,
        rpc: &'static str,
        message: Q,
        call: impl for<'a> FnOnce(&'a Handlers, Request<Q>) -> Reply<'a, R> + Send,
    ) -> Result<R, Status> {
        self.context.call(&self.app.services, deadline, rpc, message, call).await
    }
}

impl FromRequestParts<Arc<App>> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let context = RequestContext::from_request_parts(parts, app).await?;
        Ok(Self { app: app.clone(), context })
    }
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
