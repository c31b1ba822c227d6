//! Conversion events: their names, the source of their value, when they may be sent to a platform,
//! and the ids by which page and server report one event.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::attribution::is_personal;
use crate::instant::Timestamp;
use crate::person::Email;

/// Days after which an event is dropped: the platform accepts no older one.
pub const GIVE_UP_AFTER_DAYS: i64 = 7;
/// Minutes that an event may be ahead of our clock.
const AHEAD_MINUTES: i64 = 10;

/// Whether the platform accepts an event of this instant now.
pub fn is_in_time(event: Timestamp, now: Timestamp) -> bool {
    (now.plus_days(-GIVE_UP_AFTER_DAYS)..=now.plus_minutes(AHEAD_MINUTES)).contains(&event)
}

/// Whether an event is too old for the platform.
pub fn is_too_old(event: Timestamp, now: Timestamp) -> bool {
    event < now.plus_days(-GIVE_UP_AFTER_DAYS)
}

/// The person behind an event, with the current consent of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// A visitor without an account.
    Visitor,
    /// An account; `None` when its owner was never asked.
    Account(Option<bool>),
}

/// Whether an event may be sent to a third party (LGPD): consent was given when it was reported,
/// and the account's owner has not withdrawn it since. A missing answer is no consent.
pub fn may_leave(when_told: Option<bool>, whose: Whose) -> bool {
    when_told == Some(true) && matches!(whose, Whose::Visitor | Whose::Account(Some(true)))
}

/// An event that advertising platforms receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr)]
pub enum ConversionEvent {
    /// An account was created.
    #[serde(rename = "cadastro")]
    #[strum(serialize = "cadastro")]
    SignedUp,
    /// A checkout has its client secret.
    #[serde(rename = "checkout_iniciado")]
    #[strum(serialize = "checkout_iniciado")]
    CheckoutStarted,
    /// A checkout tab came to an end.
    #[serde(rename = "checkout_finalizado")]
    #[strum(serialize = "checkout_finalizado")]
    CheckoutFinished,
    /// A payment was confirmed.
    #[serde(rename = "pagamento_confirmado")]
    #[strum(serialize = "pagamento_confirmado")]
    PaymentConfirmed,
    /// The first payment of a new subscriber was confirmed.
    #[serde(rename = "PVNewSubs")]
    #[strum(serialize = "PVNewSubs")]
    NewSubscriber,
}

crate::names::named!(ConversionEvent, parse);

impl ConversionEvent {
    /// Whether its value comes from a confirmed payment alone; a request from outside only names
    /// the checkout.
    pub const fn is_told_by_the_payment(self) -> bool {
        matches!(self, ConversionEvent::PaymentConfirmed | ConversionEvent::NewSubscriber)
    }

    /// Whether it carries value, currency, plan and interval.
    pub const fn has_value(self) -> bool {
        !matches!(self, ConversionEvent::SignedUp)
    }

    /// The event's id, the same wherever it is derived: `subject` is the uid of a sign-up, the
    /// invoice's id of a payment that opens no subscription, the checkout session's id otherwise.
    pub fn event_id(self, subject: &str) -> String {
        format!("{}:{subject}", self.name())
    }

    /// The subject of an id of this event.
    pub fn subject_of(self, event_id: &str) -> Option<&str> {
        event_id.strip_prefix(self.name())?.strip_prefix(':')
    }

    /// Our page on which it happens, when the request has none.
    pub const fn page(self) -> &'static str {
        match self {
            ConversionEvent::SignedUp => "/cadastro",
            _ => "/checkout",
        }
    }
}

/// A field of `user_data`, which is normalised by the platform's rules and then hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
pub enum PersonalField {
    /// An email address.
    #[strum(serialize = "em")]
    Email,
    /// A first name.
    #[strum(serialize = "fn")]
    FirstName,
    /// A phone number.
    #[strum(serialize = "ph")]
    Phone,
    /// Our own id of the person.
    #[strum(serialize = "external_id")]
    ExternalId,
}

crate::names::named!(PersonalField);

impl PersonalField {
    /// The text whose SHA-256 the platform expects; `None` when nothing usable is left.
    ///
    /// Emails in lower case (`None` if invalid), names in lower case without punctuation (accents
    /// stay), phones as digits with the country code. A phone that cannot be completed is dropped,
    /// because a hash of an incomplete one matches no person.
    pub fn normalized(self, text: &str) -> Option<String> {
        let text = text.trim();
        let normal = match self {
            PersonalField::Email => Email::parse(text).ok()?.as_str().to_owned(),
            PersonalField::FirstName => {
                let letters = |c: char| c.is_alphanumeric() || c.is_whitespace();
                text.to_lowercase().chars().filter(|c| letters(*c)).collect::<String>().trim().to_owned()
            }
            PersonalField::Phone => return normalized_phone(text),
            PersonalField::ExternalId => text.to_owned(),
        };
        (!normal.is_empty()).then_some(normal)
    }
}

/// A number keeps the country code that `+` marks or that no Brazilian number can have.
fn normalized_phone(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    let is_brazilian = digits.len() == 10 || digits.as_bytes().get(2) == Some(&b'9');
    match digits.len() {
        8..=15 if text.starts_with('+') => Some(digits.to_owned()),
        10 | 11 if is_brazilian => Some(format!("55{digits}")),
        11 => Some(digits.to_owned()),
        12 | 13 if digits.starts_with("55") => Some(digits.to_owned()),
        _ => None,
    }
}

/// Whether a value is a SHA-256 in hex already and must not be hashed again.
pub fn is_hashed(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Longest address of a page, in bytes.
const LONGEST_ADDRESS: usize = 300;

/// The URL of one of our pages without query and fragment, which may be personal; `None` outside
/// our origin (scheme, host and port, without a trailing slash) or when the path is personal.
pub fn own_page(address: &str, origin: &str) -> Option<String> {
    let path = address.strip_prefix(origin)?.split(['?', '#']).next()?;
    let stands = |byte: u8| byte.is_ascii_graphic();
    let is_ours = path.is_empty() || path.starts_with('/');
    let is_short = path.len() <= LONGEST_ADDRESS;
    (is_ours && is_short && path.bytes().all(stands) && !is_personal(path)).then(|| format!("{origin}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribution::{is_fbc, is_fbp};

    #[test]
    fn event_names_are_those_of_the_specification() {
        for (event, name) in [
            (ConversionEvent::SignedUp, "cadastro"),
            (ConversionEvent::CheckoutStarted, "checkout_iniciado"),
            (ConversionEvent::CheckoutFinished, "checkout_finalizado"),
            (ConversionEvent::PaymentConfirmed, "pagamento_confirmado"),
            (ConversionEvent::NewSubscriber, "PVNewSubs"),
        ] {
            assert_eq!(event.name(), name);
            assert_eq!(ConversionEvent::parse(name), Some(event));
            assert_eq!(serde_json::to_value(event).unwrap(), name);
        }
        assert_eq!(ConversionEvent::parse("pvnewsubs"), None);
    }

    #[test]
    fn an_event_older_than_seven_days_or_in_the_future_is_not_in_time() {
        let now = Timestamp::from_unix_seconds(1_790_000_000);
        for (event, expected) in [
            (now, true),
            (now.plus_days(-7), true),
            (now.plus_days(-7).plus_seconds(-1), false),
            (now.plus_minutes(10), true),
            (now.plus_minutes(10).plus_seconds(1), false),
        ] {
            assert_eq!(is_in_time(event, now), expected, "{event:?}");
        }
        assert!(!is_too_old(now.plus_days(-7), now) && !is_too_old(now.plus_days(1), now));
        assert!(is_too_old(now.plus_days(-7).plus_seconds(-1), now));
    }

    #[test]
    fn an_event_is_sent_only_with_consent_when_recorded_and_still_given() {
        for (when_told, whose, expected) in [
            (Some(true), Whose::Account(Some(true)), true),
            (Some(true), Whose::Account(Some(false)), false),
            (Some(true), Whose::Account(None), false),
            (Some(false), Whose::Account(Some(true)), false),
            (None, Whose::Account(Some(true)), false),
            (Some(true), Whose::Visitor, true),
            (Some(false), Whose::Visitor, false),
            (None, Whose::Visitor, false),
        ] {
            assert_eq!(may_leave(when_told, whose), expected, "{when_told:?} {whose:?}");
        }
    }

    #[test]
    fn page_urls_and_browser_ids_are_accepted_only_in_their_format() {
        let origin = "https://garimpo.example";
        for (typed, expected) in [
            (
                "https://garimpo.example/redefinir-senha?code=1#x",
                Some("https://garimpo.example/redefinir-senha"),
            ),
            ("https://garimpo.example", Some("https://garimpo.example")),
            ("https://garimpo.example.mau.example/x", None),
            ("https://garimpo.example@mau.example/", None),
            ("http://garimpo.example/", None),
            ("https://garimpo.example/a b", None),
            ("/cadastro", None),
        ] {
            assert_eq!(own_page(typed, origin).as_deref(), expected, "{typed}");
        }
        let named = "https://garimpo.example/ana@exemplo.com.br";
        assert_eq!(own_page(named, origin), None, "an email is no page of ours");
        for (typed, is_browser, is_clicks) in [
            ("fb.1.1790000000000.1234567890", true, true),
            ("fb.1.1790000000000.IwAR0-a_B", false, true),
            ("fb.1.1790000000000.ana@exemplo.com.br", false, false),
            ("fb.1..x", false, false),
            ("fb.1.17", false, false),
            ("fb.1.1790000000000.", false, false),
            ("gb.1.1790000000000.x", false, false),
            ("fb.1.1790000000000.a b", false, false),
            ("ana@exemplo.com.br", false, false),
        ] {
            assert_eq!((is_fbp(typed), is_fbc(typed)), (is_browser, is_clicks), "{typed}");
        }
    }

    #[test]
    fn the_event_id_is_derived_from_event_and_subject() {
        assert_eq!(ConversionEvent::SignedUp.event_id("u_1"), "cadastro:u_1");
        assert_eq!(ConversionEvent::NewSubscriber.event_id("cs_test_1"), "PVNewSubs:cs_test_1");
        assert_eq!(ConversionEvent::SignedUp.subject_of("cadastro:u:1"), Some("u:1"));
        assert_eq!(ConversionEvent::SignedUp.subject_of("cadastros:u_1"), None);
    }

    #[test]
    fn personal_data_is_normalised_as_the_platform_requires() {
        for (field, typed, expected) in [
            (PersonalField::Email, " John_Smith@Gmail.com ", Some("john_smith@gmail.com")),
            (PersonalField::FirstName, " João-Paulo. ", Some("joãopaulo")),
            (PersonalField::FirstName, " . ", None),
            (PersonalField::Phone, "(11) 98765-4321", Some("5511987654321")),
            (PersonalField::Phone, "011 98765-4321", Some("5511987654321")),
            (PersonalField::Phone, "+55 11 98765-4321", Some("5511987654321")),
            (PersonalField::Phone, "1133334444", Some("551133334444")),
            (PersonalField::Phone, "98765-4321", None),
            (PersonalField::Phone, "16505551212", Some("16505551212")),
            (PersonalField::Phone, "+1 650 555-1212", Some("16505551212")),
            (PersonalField::Phone, "+351 912 345 678", Some("351912345678")),
            (PersonalField::ExternalId, " usr_1 ", Some("usr_1")),
            (PersonalField::ExternalId, "", None),
        ] {
            assert_eq!(field.normalized(typed).as_deref(), expected, "{field:?} {typed}");
        }
        assert!(is_hashed(&"a".repeat(64)) && !is_hashed(&"g".repeat(64)) && !is_hashed("ab"));
    }

    #[test]
    fn only_payment_events_come_from_the_payment_and_only_sign_up_has_no_value() {
        for (event, told_by_the_payment, has_value, page) in [
            (ConversionEvent::SignedUp, false, false, "/cadastro"),
            (ConversionEvent::CheckoutStarted, false, true, "/checkout"),
            (ConversionEvent::CheckoutFinished, false, true, "/checkout"),
            (ConversionEvent::PaymentConfirmed, true, true, "/checkout"),
            (ConversionEvent::NewSubscriber, true, true, "/checkout"),
        ] {
            assert_eq!(event.is_told_by_the_payment(), told_by_the_payment, "{event:?}");
            assert_eq!(event.has_value(), has_value, "{event:?}");
            assert_eq!(event.page(), page, "{event:?}");
        }
    }

    #[test]
    fn personal_fields_have_the_names_of_the_platform() {
        let fields =
            [PersonalField::Email, PersonalField::FirstName, PersonalField::Phone, PersonalField::ExternalId];
        assert_eq!(fields.map(PersonalField::name), ["em", "fn", "ph", "external_id"]);
    }

    #[test]
    fn a_phone_without_plus_has_a_country_code_only_of_brazil_or_the_united_states() {
        for (typed, expected) in [
            ("551133334444", Some("551133334444")),
            ("5511987654321", Some("5511987654321")),
            ("351912345678", None),
            ("4915123456789", None),
            ("+4915123456789", Some("4915123456789")),
            ("+1234567", None),
            ("+1234567890123456", None),
            ("00551133334444", Some("551133334444")),
        ] {
            assert_eq!(PersonalField::Phone.normalized(typed).as_deref(), expected, "{typed}");
        }
    }

    #[test]
    fn a_page_url_has_at_most_300_bytes() {
        let origin = "https://garimpo.example";
        let page = |length: usize| format!("{origin}/{}", "a".repeat(length - 1));
        assert_eq!(own_page(&page(300), origin), Some(page(300)));
        assert_eq!(own_page(&page(301), origin), None);
    }
}
