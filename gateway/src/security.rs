//! Rules for the origin of a request.
//!
//! Browsers add cookies to every request, so a write with a cookie must come from our own pages.
//! Calls that start or end a session are checked without a cookie too: another site must not sign a
//! visitor in or out.

pub(crate) mod headers;

use crate::error::ApiError;
use crate::request_context::RequestContext;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::{Caller, Credential};
use http::header::ORIGIN;
use http::{HeaderMap, HeaderValue};

/// When the origin of a call is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OriginRule {
    /// Reads: never.
    Any,
    /// Writes: if the session cookie authenticates the caller.
    WithCookie,
    /// Calls that start or end a session: always.
    Always,
    /// Conversion events: our own origin, or an authorization header.
    OwnOrToken,
    /// Steps of a visit, errors of a page: our own origin.
    Own,
}

impl OriginRule {
    pub fn allows(self, headers: &HeaderMap, caller: &Caller) -> bool {
        match self {
            Self::Any => true,
            Self::WithCookie => {
                !matches!(caller.credential, Credential::Cookie(_)) || !is_foreign(headers, caller)
            }
            Self::Always => !is_foreign(headers, caller),
            Self::OwnOrToken => matches!(caller.credential, Credential::Header(_)) || is_own(headers, caller),
            Self::Own => is_own(headers, caller),
        }
    }
}

/// Whether the headers name one of our own pages.
fn is_own(headers: &HeaderMap, caller: &Caller) -> bool {
    caller.is_own_origin && !is_foreign(headers, caller)
}

/// Whether the headers name another site. A request without both headers does not come from a
/// browser.
fn is_foreign(headers: &HeaderMap, caller: &Caller) -> bool {
    let foreign_origin = headers.contains_key(ORIGIN) && !caller.is_own_origin;
    let foreign_fetch = headers
        .get("sec-fetch-site")
        .map(HeaderValue::as_bytes)
        .is_some_and(|site| matches!(site, b"cross-site" | b"same-site"));
    foreign_origin || foreign_fetch
}

/// Layer that applies the rule of a REST route.
pub(crate) async fn check(
    State(rule): State<OriginRule>,
    context: RequestContext,
    request: Request,
    next: Next,
) -> Response {
    if rule.allows(request.headers(), &context.caller) {
        next.run(request).await
    } else {
        ApiError::new(ErrorReason::PermissionDenied).into_response()
    }
}
