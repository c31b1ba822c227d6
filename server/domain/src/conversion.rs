//! Conversion events: their names, who may tell their value, and the ids by which page and server share
//! one (specification 7, "Details of the /meta-capi call"; design, section 9).

use serde::{Deserialize, Serialize};

/// Days after which an event is given up: the platform takes none older.
pub const GIVE_UP_AFTER_DAYS: i64 = 7;

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
    fn identificador_do_evento_e_derivado() {
        assert_eq!(ConversionEvent::SignedUp.event_id("u_1"), "cadastro:u_1");
        assert_eq!(ConversionEvent::NewSubscriber.event_id("cs_test_1"), "PVNewSubs:cs_test_1");
    }
}
