//! Values of JSON fields, each with its schema in `/openapi.json`: formats, patterns and limits as
//! the services check them. A request's value is passed on unchecked, because the services check
//! it.

use prost_types::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Control characters, inside of a regular expression's class.
const CONTROLS: &str = r"\u0000-\u001f\u007f-\u009f";
/// The last second that RFC 3339 can write.
const LAST_SECOND: i64 = 253_402_300_799;

macro_rules! values {
    ($($name:ident($of:ty) = $schema:tt;)*) => { $(
        #[derive(Debug, Serialize, Deserialize)]
        pub(crate) struct $name(pub $of);

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                serde_json::from_value(json!($schema)).expect("a JSON Schema")
            }
        }

        impl ToSchema for $name {}
    )* };
}

values! {
    Uid(String) = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": r"^[^\u0000]+$",
        "examples": ["usr_1"]};
    Email(String) = {"type": "string", "maxLength": 254, "pattern": email(), "examples": ["ana@exemplo.com.br"],
        "description": "Blanks around it are ignored, and so is case. A domain may also have letters that IDNA maps \
            to ASCII."};
    Name(String) = {"type": "string", "maxLength": 120, "pattern": format!("^{}$", name()),
        "examples": ["Ana Maria Souza"]};
    NameOrBlank(String) = {"type": "string", "maxLength": 120, "pattern": format!(r"^(?:\s*|{})$", name())};
    PhoneOrBlank(String) = {"type": "string", "pattern": r"^(?:\s*|[^0-9]*(?:[0-9][^0-9]*){10,11})$",
        "examples": ["(11) 98765-4321"], "description": "Brazilian phone with area code."};
    PhoneDigits(String) = {"type": "string", "pattern": "^[0-9]{10,11}$", "examples": ["11987654321"]};
    Url(String) = {"type": "string", "format": "uri"};
    Instant(String) = {"type": "string", "format": "date-time"};
    UnixSeconds(i64) = {"type": "integer", "minimum": 1, "maximum": LAST_SECOND};
    // Held in centavos. The reader of bodies knows it by name.
    Reais(i64) = {"anyOf": [
        {"type": "number", "minimum": 0, "exclusiveMaximum": 10_000_000_000_u64},
        {"type": "string", "pattern": r"^[0-9]{1,10}(?:\.[0-9]{1,10})?$"},
    ], "examples": [391.6]};
    SubscriptionStatus(String) = {"type": "string",
        "enum": ["awaiting_payment", "trialing", "active", "past_due", "suspended", "canceled"]};
    CheckoutStatus(String) = {"type": "string", "enum": ["open", "complete", "expired"]};
    CheckoutId(String) = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[^\u0000]+$",
        "examples": ["cs_test_a1b2c3"]};
    Interval(String) = {"type": "string", "examples": ["semestral"], "description": "In any case.",
        "enum": ["month", "monthly", "mensal", "quarterly", "trimestral", "semiannual", "semestral", "annual", "yearly",
            "anual"]};
    VisitStep(String) = {"type": "string", "enum": ["landing", "plans", "signup", "upsell"]};
    EventName(String) = {"type": "string", "enum":
        ["cadastro", "checkout_iniciado", "checkout_finalizado", "pagamento_confirmado", "PVNewSubs"]};
    EventId(String) = {"type": "string", "minLength": 1, "maxLength": 300, "pattern": r"^[^\u0000]+$",
        "examples": ["cadastro:usr_1"]};
    EventTime(i64) = {"type": "integer", "minimum": 1, "maximum": LAST_SECOND, "examples": [1_790_000_000]};
    ProviderEventId(String) = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": r"^[^\u0000]+$",
        "examples": ["evt_1"]};
    True(bool) = {"type": "boolean", "enum": [true]};
}

/// An email that must be there: a blank one counts as missing. The reader of bodies knows it by
/// name.
#[derive(Debug, Deserialize)]
pub(crate) struct FilledEmail(pub String);

impl PartialSchema for FilledEmail {
    fn schema() -> RefOr<Schema> {
        Email::schema()
    }
}

impl ToSchema for FilledEmail {
    fn name() -> std::borrow::Cow<'static, str> {
        Email::name()
    }
}

impl Instant {
    /// `None` if RFC 3339 cannot write it.
    pub fn new(at: Timestamp) -> Option<Self> {
        let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
        OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?.format(&Rfc3339).ok().map(Self)
    }
}

/// An address that a mail can reach: a dot-atom, and the name of a host.
fn email() -> String {
    let atom = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
    let label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
    format!(r"^\s*{atom}(?:\.{atom})*@{label}(?:\.{label})+\s*$")
}

/// A name with blanks around it.
fn name() -> String {
    let letter = format!(r"[^\s{CONTROLS}]");
    format!(r"\s*{letter}(?:[^{CONTROLS}]*{letter})?\s*")
}
