//! What can go wrong on the provider's wire.

use std::time::Duration;

use serde::Deserialize;

use crate::providers::Outcome;
use crate::providers::circuit::Health;

/// Why a call to the payment provider gave no answer that we can use.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StripeError {
    /// It could not be reached, did not answer in time, is overloaded or broken; the call may be made again.
    #[error("payment provider unavailable: {why}")]
    Unavailable {
        /// What happened.
        why: String,
        /// HTTP status, when it answered at all: then it may repeat this answer to the same idempotency key.
        status: Option<u16>,
        /// The pause that it asked for, an hour at most.
        retry_after: Option<Duration>,
    },
    /// It understood and refused; repeating the same call gives the same answer.
    #[error("payment provider refused ({status} {code}{})", naming(param))]
    Refused {
        /// HTTP status.
        status: u16,
        /// The provider's code, for instance `resource_missing`; its type when it gives no code.
        code: String,
        /// The parameter that it refused, for instance `discounts[0][coupon]`; empty when it names none.
        param: String,
        /// Why a bank declined, when it did.
        decline_code: Option<String>,
        /// The provider's explanation, for logs alone.
        message: String,
    },
    /// It answered something that is not the documented shape.
    #[error("payment provider answered an unknown shape to {call}")]
    Unreadable {
        /// Which call.
        call: &'static str,
        /// What could not be read.
        #[source]
        source: std::sync::Arc<serde_json::Error>,
    },
    /// The key is of another account, or of another mode, than the one that the database belongs to; nothing was sent.
    #[error("the payment provider's key is of {found}, and the database belongs to {stored}")]
    OtherAccount {
        /// The account and mode of the key.
        found: String,
        /// The account and mode that are stored.
        stored: String,
    },
    /// The client cannot be made with these settings.
    #[error("{0}")]
    Unusable(&'static str),
}

/// The longest pause that the provider may ask for: what is due by then is not put off by a wrong header.
const LONGEST_ASKED: Duration = Duration::from_hours(1);

/// When a call that found no budget may be made again.
const OVER_BUDGET_PAUSE: Duration = Duration::from_secs(5);

/// Whether a bank wants the payer's authentication, by the code of a failed payment.
pub(super) fn is_authentication_code(code: &str) -> bool {
    matches!(code, "authentication_required" | "payment_intent_authentication_failure")
}

/// The refused parameter, behind the code.
fn naming(param: &str) -> String {
    if param.is_empty() { String::new() } else { format!(": {param}") }
}

#[derive(Deserialize)]
struct Body {
    error: Detail,
}

#[derive(Deserialize, Default)]
struct Detail {
    #[serde(default, rename = "type")]
    kind: String,
    code: Option<String>,
    param: Option<String>,
    decline_code: Option<String>,
    #[serde(default)]
    message: String,
}

impl StripeError {
    /// Reads an answer that is not a success, with the pause that it asks for.
    pub(super) fn from_answer(status: u16, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let detail = serde_json::from_slice::<Body>(body).map(|b| b.error).unwrap_or_default();
        let code = detail.code.unwrap_or(detail.kind);
        // 409: another call of ours works on the same key or object, and its answer will be ours too; 424: something
        // behind the provider failed. Neither says anything about the call itself.
        let passes = matches!(status, 409 | 424 | 429 | 500..)
            || matches!(code.as_str(), "lock_timeout" | "rate_limit");
        if passes {
            let retry_after = retry_after.map(|asked| asked.min(LONGEST_ASKED));
            return Self::Unavailable { why: format!("{status} {code}"), status: Some(status), retry_after };
        }
        let param = detail.param.unwrap_or_default();
        Self::Refused { status, code, param, decline_code: detail.decline_code, message: detail.message }
    }

    /// Whether the named object does not exist at the provider.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }

    /// Whether the provider refused with this code.
    pub fn is_code(&self, wanted: &str) -> bool {
        matches!(self, Self::Refused { code, .. } if code == wanted)
    }

    /// Whether the payer must authenticate the payment. The provider uses either code.
    pub fn needs_authentication(&self) -> bool {
        let Self::Refused { code, decline_code, .. } = self else { return false };
        code == "invoice_payment_intent_requires_action"
            || is_authentication_code(code)
            || decline_code.as_deref().is_some_and(is_authentication_code)
    }

    /// Whether the customer that the call named does not exist at the provider, or exists no more.
    pub fn misses_customer(&self) -> bool {
        self.is_code("resource_missing") && self.param() == "customer"
    }

    /// Whether a price or coupon that the call named is unknown at the provider, or no longer usable there.
    pub fn misses_catalog(&self) -> bool {
        let param = self.param();
        let names_it = ["line_items", "discounts", "price", "coupon"].iter().any(|p| param.starts_with(p));
        names_it || self.is_code("resource_missing") && !self.misses_customer()
    }

    fn param(&self) -> &str {
        if let Self::Refused { param, .. } = self { param } else { "" }
    }

    /// Whether the provider may answer the same failure to the same idempotency key for ever: it keeps a first result,
    /// also when that was a fault of its own.
    pub fn is_kept_under_its_key(&self) -> bool {
        matches!(self, Self::Unavailable { status: Some(500..), .. })
    }

    /// A text that cannot be an id names no object.
    pub(super) fn no_such_object() -> Self {
        Self::Refused {
            status: 404,
            code: "resource_missing".to_owned(),
            param: "id".to_owned(),
            decline_code: None,
            message: String::new(),
        }
    }

    /// Whether the provider refuses the key itself, or lets it do too little.
    pub fn refuses_key(&self) -> bool {
        matches!(self, Self::Refused { status: 401 | 403, .. })
    }

    /// A circuit that is open.
    pub(super) fn circuit_open() -> Self {
        Self::transport("circuit open")
    }

    /// The budget of calls was used up for too long; nothing was sent.
    pub(super) fn over_budget() -> Self {
        let retry_after = Some(OVER_BUDGET_PAUSE);
        Self::Unavailable { why: "the budget of calls is used up".to_owned(), status: None, retry_after }
    }

    /// A wire that gave nothing.
    pub(super) fn transport(why: &str) -> Self {
        Self::Unavailable { why: why.to_owned(), status: None, retry_after: None }
    }

    /// What the failure says about the provider. A conflict, a failed dependency and a rate limit
    /// are answers about one call.
    pub(super) fn health(&self) -> Health {
        match self {
            Self::Unavailable { status: None | Some(500..), .. } => Health::Down,
            _ => Health::Up,
        }
    }

    /// How the call ended.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Unavailable { .. } => Outcome::Unavailable,
            Self::Refused { .. } => Outcome::Refused,
            Self::OtherAccount { .. } => Outcome::Unwelcome,
            Self::Unreadable { .. } | Self::Unusable(_) => Outcome::Unreadable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, error: &str) -> StripeError {
        StripeError::from_answer(status, None, format!(r#"{{"error":{error}}}"#).as_bytes())
    }

    #[test]
    fn so_o_que_pode_passar_e_indisponibilidade() {
        for (status, error, passes) in [
            (400, r#"{"type":"invalid_request_error","code":"parameter_unknown","param":"ui_mode"}"#, false),
            (400, r#"{"type":"idempotency_error"}"#, false),
            (401, r#"{"type":"invalid_request_error","code":"api_key_expired"}"#, false),
            (402, r#"{"type":"card_error","code":"card_declined"}"#, false),
            (403, "{}", false),
            (404, r#"{"code":"resource_missing","param":"id"}"#, false),
            (400, r#"{"code":"rate_limit"}"#, true),
            (409, r#"{"code":"idempotency_key_in_use"}"#, true),
            (409, "{}", true),
            (424, "{}", true),
            (429, r#"{"code":"lock_timeout"}"#, true),
            (500, "{}", true),
            (503, "{}", true),
        ] {
            let read = answered(status, error);
            assert_eq!(matches!(read, StripeError::Unavailable { .. }), passes, "{status} {error}: {read}");
        }
        assert!(matches!(StripeError::from_answer(502, None, b"<html>"), StripeError::Unavailable { .. }));
    }

    #[test]
    fn recusa_diz_codigo_e_parametro_e_nada_do_texto() {
        let read = answered(
            400,
            r#"{"type":"invalid_request_error","code":"parameter_unknown","param":"ui_mode","message":"ana@example.com"}"#,
        );
        assert_eq!(read.to_string(), "payment provider refused (400 parameter_unknown: ui_mode)");
        assert_eq!(
            answered(404, r#"{"code":"resource_missing"}"#).to_string(),
            "payment provider refused (404 resource_missing)"
        );
    }

    #[test]
    fn pausa_pedida_vale_ate_uma_hora() {
        for (asked, kept) in [(None, None), (Some(7), Some(7)), (Some(86_400), Some(3600))] {
            let read = StripeError::from_answer(429, asked.map(Duration::from_secs), b"");
            let StripeError::Unavailable { retry_after, .. } = read else { panic!("{read}") };
            assert_eq!(retry_after, kept.map(Duration::from_secs));
        }
    }
}
