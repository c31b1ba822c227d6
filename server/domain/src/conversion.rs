//! Conversion events: their names, who may tell their value, and the ids by which page and server share
//! one (specification 7, "Details of the /meta-capi call"; design, section 9).

use serde::{Deserialize, Serialize};

use crate::instant::Timestamp;

/// Days after which an event is given up: the platform takes none older.
pub const GIVE_UP_AFTER_DAYS: i64 = 7;
/// Minutes that an event may lie ahead of our clock, since no two clocks agree.
const AHEAD_MINUTES: i64 = 10;

/// Whether the platform takes an event of this moment now.
pub fn is_in_time(event: Timestamp, now: Timestamp) -> bool {
    (now.plus_days(-GIVE_UP_AFTER_DAYS)..=now.plus_minutes(AHEAD_MINUTES)).contains(&event)
}

/// A conversion event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConversionEvent {
    /// An account was created.
    #[serde(rename = "cadastro")]
    SignedUp,
    /// A checkout has its client secret.
    #[serde(rename = "checkout_iniciado")]
    CheckoutStarted,
    /// A checkout tab came to an end.
    #[serde(rename = "checkout_finalizado")]
    CheckoutFinished,
    /// A payment was confirmed.
    #[serde(rename = "pagamento_confirmado")]
    PaymentConfirmed,
    /// The first payment of a new subscriber was confirmed.
    #[serde(rename = "PVNewSubs")]
    NewSubscriber,
}

impl ConversionEvent {
    /// Every event.
    pub const ALL: [ConversionEvent; 5] = [
        ConversionEvent::SignedUp,
        ConversionEvent::CheckoutStarted,
        ConversionEvent::CheckoutFinished,
        ConversionEvent::PaymentConfirmed,
        ConversionEvent::NewSubscriber,
    ];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            ConversionEvent::SignedUp => "cadastro",
            ConversionEvent::CheckoutStarted => "checkout_iniciado",
            ConversionEvent::CheckoutFinished => "checkout_finalizado",
            ConversionEvent::PaymentConfirmed => "pagamento_confirmado",
            ConversionEvent::NewSubscriber => "PVNewSubs",
        }
    }

    /// Reads an event by its wire name, exactly.
    pub fn parse(name: &str) -> Option<Self> {
        ConversionEvent::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Whether its value comes from a confirmed payment alone; posted from outside it is only a pointer.
    pub const fn is_told_by_the_payment(self) -> bool {
        matches!(self, ConversionEvent::PaymentConfirmed | ConversionEvent::NewSubscriber)
    }

    /// Whether it carries value, currency, plan and interval.
    pub const fn has_value(self) -> bool {
        !matches!(self, ConversionEvent::SignedUp)
    }

    /// The event's id, the same wherever it is derived: `subject` is the uid of a sign-up, the checkout
    /// session's id otherwise.
    pub fn event_id(self, subject: &str) -> String {
        format!("{}:{subject}", self.name())
    }
}

/// A field of `user_data`, which the platform takes hashed after normalising it in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PersonalField {
    /// `em`.
    Email,
    /// `fn`.
    FirstName,
    /// `ph`.
    Phone,
    /// `external_id`.
    ExternalId,
}

impl PersonalField {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            PersonalField::Email => "em",
            PersonalField::FirstName => "fn",
            PersonalField::Phone => "ph",
            PersonalField::ExternalId => "external_id",
        }
    }

    /// The text whose SHA-256 the platform expects; `None` when nothing usable is left.
    ///
    /// Emails and names in lower case, names without punctuation (accents stay), phones as digits with the
    /// country code; a phone that cannot be completed is dropped rather than hashed short.
    pub fn normalized(self, text: &str) -> Option<String> {
        let text = text.trim();
        let normal = match self {
            PersonalField::Email => text.to_lowercase(),
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

fn normalized_phone(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    match digits.len() {
        10 | 11 => Some(format!("55{digits}")),
        12 | 13 if digits.starts_with("55") => Some(digits.to_owned()),
        _ => None,
    }
}

/// Whether a value is a SHA-256 in hex already and must not be hashed again.
pub fn is_hashed(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nomes_de_eventos_sao_os_da_especificacao() {
        let names = ConversionEvent::ALL.map(ConversionEvent::name);
        assert_eq!(
            names,
            ["cadastro", "checkout_iniciado", "checkout_finalizado", "pagamento_confirmado", "PVNewSubs"]
        );
        for event in ConversionEvent::ALL {
            assert_eq!(ConversionEvent::parse(event.name()), Some(event));
            assert_eq!(serde_json::to_value(event).unwrap(), event.name());
        }
        assert_eq!(ConversionEvent::parse("pvnewsubs"), None);
    }

    #[test]
    fn evento_de_mais_de_sete_dias_ou_do_futuro_nao_e_aceito_pela_plataforma() {
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
    }

    #[test]
    fn identificador_do_evento_e_derivado() {
        assert_eq!(ConversionEvent::SignedUp.event_id("u_1"), "cadastro:u_1");
        assert_eq!(ConversionEvent::NewSubscriber.event_id("cs_test_1"), "PVNewSubs:cs_test_1");
    }

    #[test]
    fn dados_pessoais_sao_normalizados_como_a_plataforma_pede() {
        for (field, typed, expected) in [
            (PersonalField::Email, " John_Smith@Gmail.com ", Some("john_smith@gmail.com")),
            (PersonalField::FirstName, " João-Paulo. ", Some("joãopaulo")),
            (PersonalField::FirstName, " . ", None),
            (PersonalField::Phone, "(11) 98765-4321", Some("5511987654321")),
            (PersonalField::Phone, "011 98765-4321", Some("5511987654321")),
            (PersonalField::Phone, "+55 11 98765-4321", Some("5511987654321")),
            (PersonalField::Phone, "1133334444", Some("551133334444")),
            (PersonalField::Phone, "98765-4321", None),
            (PersonalField::ExternalId, " usr_1 ", Some("usr_1")),
            (PersonalField::ExternalId, "", None),
        ] {
            assert_eq!(field.normalized(typed).as_deref(), expected, "{field:?} {typed}");
        }
        assert!(is_hashed(&"a".repeat(64)) && !is_hashed(&"g".repeat(64)) && !is_hashed("ab"));
    }
}
