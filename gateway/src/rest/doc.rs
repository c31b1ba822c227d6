//! What each REST call says about itself; `/openapi.json` is made from these.

use garimpo_proto::errors::v1::ErrorReason;

/// One call.
pub(crate) struct Doc {
    /// HTTP method in lower case.
    pub method: &'static str,
    /// Path with its parameters in braces.
    pub path: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Parameters in the path or the query.
    pub parameters: &'static [Parameter],
    /// What the body is.
    pub body: Body,
    /// Status of success.
    pub success: u16,
    /// Fields of the answer.
    pub answer: &'static [Field],
    /// Reasons of its own; those that any call may answer are added.
    pub failures: &'static [ErrorReason],
}

/// A body.
pub(crate) enum Body {
    /// None is read.
    None,
    /// A JSON object.
    Json(&'static [Field]),
    /// Bytes as the payment provider signed them.
    Raw,
}

/// A parameter.
pub(crate) struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// `path` or `query`.
    pub place: &'static str,
}

/// A field of a JSON object.
pub(crate) struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may be missing or null.
    pub presence: Presence,
}

/// What a field holds.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Text.
    Text,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// An amount in reais.
    Reais,
    /// An object.
    Object(&'static [Field]),
}

/// Whether a field is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Always.
    Required,
    /// Not always.
    Optional,
    /// Always, but perhaps null.
    Nullable,
}

impl Field {
    /// A field that is always there.
    pub const fn required(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, presence: Presence::Required }
    }

    /// A field that may be missing.
    pub const fn optional(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, presence: Presence::Optional }
    }

    /// A field of an answer that may be null.
    pub const fn nullable(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, presence: Presence::Nullable }
    }
}

/// `{"ok":true}`.
pub(crate) const DONE: &[Field] = &[Field::required("ok", Kind::Boolean)];

/// Every documented call, in the order of design section 3.
pub(crate) const CALLS: [&Doc; 11] = [
    &super::set_cookie::DOC,
    &super::clear_cookie::DOC,
    &super::check_cookie::DOC,
    &super::get_user::DOC,
    &super::save_user::DOC,
    &super::create_portal::DOC,
    &super::password_reset::DOC,
    &super::create_checkout::DOC,
    &super::session_status::DOC,
    &super::meta_capi::DOC,
    &super::webhook::DOC,
];
