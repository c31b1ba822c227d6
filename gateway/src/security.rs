//! Which requests are refused for where they come from.
//!
//! Browsers send cookies without being asked, so a write with a cookie must come from our own pages. Calls that make
//! or end a session are checked without a cookie too: another site must not sign a visitor in or out.

pub(crate) mod headers;

use crate::caller::{Caller, Credential};
use crate::error::ApiError;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use garimpo_proto::errors::v1::ErrorReason;
use http::header::ORIGIN;
use http::{HeaderMap, HeaderValue};

/// When a call's origin is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OriginRule {
    /// Reads: never.
    Any,
    /// Writes: when the cookie speaks for the caller.
    WithCookie,
    /// Calls that make or end a session: always.
    Always,
    /// Conversion events: our own origin must be named, or an authorization header be there.
    OwnOrToken,
    /// Steps of a visit: our own origin must be named.
    Own,
}

impl OriginRule {
    /// Whether a request may go on.
    pub fn allows(self, headers: &HeaderMap, caller: &Caller) -> bool {
        match self {
            Self::Any => true,
            Self::WithCookie => caller.credential() != Credential::Cookie || !is_foreign(headers, caller),
            Self::Always => !is_foreign(headers, caller),
            Self::OwnOrToken => caller.credential() == Credential::Header || is_own(headers, caller),
            Self::Own => is_own(headers, caller),
        }
    }
}

/// Whether a page of ours says that the request is its own.
fn is_own(headers: &HeaderMap, caller: &Caller) -> bool {
    caller.is_own_origin() && !is_foreign(headers, caller)
}

/// Whether a browser says that the request comes from elsewhere. With neither header the caller is no browser.
fn is_foreign(headers: &HeaderMap, caller: &Caller) -> bool {
    let foreign_origin = headers.contains_key(ORIGIN) && !caller.is_own_origin();
    let foreign_fetch = headers
        .get("sec-fetch-site")
        .map(HeaderValue::as_bytes)
        .is_some_and(|site| matches!(site, b"cross-site" | b"same-site"));
    foreign_origin || foreign_fetch
}

/// The rule of a REST route, as a layer.
pub(crate) async fn check(
    State(rule): State<OriginRule>,
    caller: Caller,
    request: Request,
    next: Next,
) -> Response {
    if rule.allows(request.headers(), &caller) {
        next.run(request).await
    } else {
        ApiError::new(ErrorReason::PermissionDenied).into_response()
    }
}
