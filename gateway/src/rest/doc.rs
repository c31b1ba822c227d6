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
    /// How a caller shows who it is.
    pub caller: Caller,
    /// Parameters in the path, the query or the headers.
    pub parameters: &'static [Parameter],
    /// What the body is.
    pub body: Body,
    /// Status of success.
    pub success: u16,
    /// Fields of the answer: these and no others.
    pub answer: &'static [Field],
    /// Whether success may set the session's cookie.
    pub sets_cookie: bool,
    /// Whether failures carry `"ok": false`.
    pub says_ok: bool,
    /// Reasons of its own; those that any call may answer are added.
    pub failures: &'static [ErrorReason],
}

/// How a caller shows who it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// It need not; a session or token counts where there is one.
    Anyone,
    /// By a session or a token.
    Known,
    /// By our own origin, or by a token.
    OwnPageOrToken,
    /// By our own origin alone.
    OwnPage,
    /// By a signature over the raw body.
    Signed,
}

/// A body.
pub(crate) enum Body {
    /// None is read.
    None,
    /// A JSON object of at most 64 KiB; other fields are ignored.
    Json(&'static [Field]),
    /// A JSON object of at most 1 MiB, as the payment provider signed its bytes.
    Signed(&'static [Field]),
}

/// A parameter.
pub(crate) struct Parameter {
    /// `path`, `query` or `header`.
    pub place: &'static str,
    /// What it holds; a path's is always required.
    pub field: Field,
}

/// A field of a JSON object, or a parameter.
pub(crate) struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may be missing or null.
    pub presence: Presence,
    /// What it means, where its name does not say it.
    pub meaning: &'static str,
    /// A value that a caller could send or read.
    pub example: &'static str,
}

/// What a field holds.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// A text of so many characters at most, and at least one.
    Id(u16),
    /// An email as it is typed: blanks around it and capitals do not count.
    Email,
    /// A name as it is typed: 1 to 120 characters without control characters.
    Name,
    /// The same, or nothing but blanks.
    NameOrBlank,
    /// A Brazilian phone as it is typed, 10 or 11 digits, or nothing but blanks.
    PhoneOrBlank,
    /// The 10 or 11 national digits of a phone.
    PhoneDigits,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// An absolute address.
    Url,
    /// RFC 3339.
    Instant,
    /// Unix seconds.
    Seconds,
    /// True or false.
    Boolean,
    /// True.
    Yes,
    /// An amount in reais, as a number or as text with a decimal point.
    Reais,
    /// A list of texts.
    Texts,
    /// An object.
    Object(&'static [Field]),
}

/// Whether a field is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Always.
    Required,
    /// In a request: it may be missing or null.
    Optional,
    /// In an answer: it may be missing, but is never null.
    Sometimes,
    /// In an answer: it is always there, but perhaps null.
    Nullable,
}

impl Field {
    /// A field that is always there.
    pub const fn required(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, presence: Presence::Required, meaning: "", example: "" }
    }

    /// A field of a request that may be missing or null.
    pub const fn optional(name: &'static str, kind: Kind) -> Self {
        Self { presence: Presence::Optional, ..Self::required(name, kind) }
    }

    /// A field of an answer that may be missing.
    pub const fn sometimes(name: &'static str, kind: Kind) -> Self {
        Self { presence: Presence::Sometimes, ..Self::required(name, kind) }
    }

    /// A field of an answer that may be null.
    pub const fn nullable(name: &'static str, kind: Kind) -> Self {
        Self { presence: Presence::Nullable, ..Self::required(name, kind) }
    }

    /// What it means.
    pub const fn means(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    /// A value that a caller could send or read.
    pub const fn like(self, example: &'static str) -> Self {
        Self { example, ..self }
    }
}

/// `{"ok":true}`.
pub(crate) const DONE: &[Field] = &[Field::required("ok", Kind::Yes)];

/// An account's id.
pub(crate) const UID: Field = Field::required("uid", Kind::Id(128)).like("usr_1");
/// An email.
pub(crate) const EMAIL: Field = Field::required("email", Kind::Email).like("ana@exemplo.com.br");

/// Every documented call, and what pages read at run time.
pub(crate) const CALLS: [&Doc; 13] = [
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
    &super::count_step::DOC,
    &super::webhook::DOC,
    &crate::site::config::DOC,
];
