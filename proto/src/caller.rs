//! The caller of a request, as the port read it, and what the services return to the port beside
//! their message.

use std::net::IpAddr;

use garimpo_telemetry::TraceContext;
use http::HeaderValue;
use parking_lot::Mutex;

/// Who sent a request. The port puts an `Arc` of it into the request's extensions.
#[derive(Debug, Default)]
pub struct Caller {
    /// Address of the visitor, behind trusted proxies; `None` for a call that did not come over the
    /// public port.
    pub address: Option<IpAddr>,
    /// The other end of the connection.
    pub peer: Option<IpAddr>,
    /// Browser or program of the visitor, in visible ASCII, at most 512 bytes.
    pub user_agent: Option<String>,
    /// In all logs and in the response.
    pub request_id: String,
    /// The span of the request.
    pub trace: TraceContext,
    /// Whether the `Origin` header is our own origin.
    pub is_own_origin: bool,
    pub credential: Credential,
    /// What the services return to the port.
    pub returned: Returned,
}

/// How a request authenticates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Credential {
    #[default]
    None,
    /// Tokens of the session cookie, which browsers send with every request: several if another
    /// host of the domain set a cookie of the name.
    Cookie(Vec<String>),
    /// The bearer token of an authorization header, if it has one. A cookie beside it is ignored.
    Header(Option<String>),
}

impl Credential {
    /// Reads an authorization header.
    pub fn bearer(authorization: &HeaderValue) -> Self {
        let token = || {
            let (scheme, token) = authorization.to_str().ok()?.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
        };
        Self::Header(token())
    }

    /// The tokens, in the order in which they are tried.
    pub fn tokens(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::Cookie(tokens) => tokens,
            Self::Header(token) => token.as_slice(),
        }
    }
}

/// A change of the browser's session, which the port writes as a cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChange {
    Set {
        token: String,
        max_age_seconds: u64,
    },
    /// Expires the cookie.
    End,
}

/// What the services return to the port beside their message, also if they refuse the request.
#[derive(Debug, Default)]
pub struct Returned(Mutex<Values>);

#[derive(Debug, Default)]
struct Values {
    session: Option<SessionChange>,
    uid: Option<String>,
}

impl Caller {
    pub fn set_session(&self, change: SessionChange) {
        self.returned.0.lock().session = Some(change);
    }

    /// The change of the browser's session.
    pub fn session(&self) -> Option<SessionChange> {
        self.returned.0.lock().session.clone()
    }

    /// Names the account that made the request.
    pub fn set_uid(&self, uid: &str) {
        self.returned.0.lock().uid = Some(uid.to_owned());
    }

    /// The account that made the request.
    pub fn uid(&self) -> Option<String> {
        self.returned.0.lock().uid.clone()
    }
}
