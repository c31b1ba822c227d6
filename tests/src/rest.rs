//! Assertions about whole REST responses.

use serde_json::{Value, json};

use crate::visitor::{Answer, Visitor, answer};

/// A documented refusal: HTTP status, reason and text for people.
pub type Refusal<'a> = (u16, &'a str, &'a str);

impl Answer {
    /// Asserts the documented success as a whole.
    #[track_caller]
    pub fn gives(&self, status: u16, body: Value) {
        assert_eq!((self.status, &self.body), (status, &body), "{self:?}");
        self.assert_common_headers();
    }

    /// Asserts the documented refusal as a whole: only text and reason.
    #[track_caller]
    pub fn refuses(&self, (status, code, error): Refusal<'_>) {
        self.gives(status, json!({ "error": error, "code": code }));
    }

    /// Asserts 400 INVALID_ARGUMENT with this text about the fields.
    #[track_caller]
    pub fn blames(&self, fields: &str) {
        self.refuses((400, "INVALID_ARGUMENT", &format!("Dados inválidos: {fields}.")));
    }

    /// Asserts the headers that every REST response has, and those that none has.
    #[track_caller]
    pub fn assert_common_headers(&self) {
        assert_eq!(self.header("content-type"), "application/json", "{self:?}");
        assert_eq!(self.header("cache-control"), "no-store", "{self:?}");
        assert_eq!(self.header("x-content-type-options"), "nosniff", "{self:?}");
        assert_eq!(self.header("x-request-id").len(), 24, "{self:?}");
        let cors = self.headers.keys().find(|name| name.as_str().starts_with("access-control"));
        assert_eq!(cors, None, "{self:?}");
    }

    /// The value of a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// `name=value` of the cookie that the response sets.
    pub fn cookie(&self) -> Option<String> {
        self.header("set-cookie").split(';').next().filter(|pair| !pair.is_empty()).map(str::to_owned)
    }
}

/// Extensions of a request builder.
pub trait Rest: Sized {
    /// Adds the visitor's ID or service token.
    fn token_of(self, who: &Visitor) -> Self;
    /// Adds the visitor's session cookie.
    fn cookie_of(self, who: &Visitor) -> Self;
    /// Sets these bytes as the JSON body, valid or not.
    fn raw(self, body: impl Into<reqwest::Body>) -> Self;
    /// Sends it.
    fn answered(self) -> impl Future<Output = Answer> + Send;
}

impl Rest for reqwest::RequestBuilder {
    fn token_of(self, who: &Visitor) -> Self {
        self.bearer_auth(who.id_token.as_deref().unwrap_or_default())
    }

    fn cookie_of(self, who: &Visitor) -> Self {
        self.header("cookie", who.cookie.as_deref().unwrap_or_default())
    }

    fn raw(self, body: impl Into<reqwest::Body>) -> Self {
        self.header("content-type", "application/json").body(body)
    }

    fn answered(self) -> impl Future<Output = Answer> + Send {
        answer(self)
    }
}
