//! What can go wrong on the provider's wire.

use serde::Deserialize;

use crate::providers::Outcome;

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
    },
    /// It understood and refused; repeating the same call gives the same answer.
    #[error("payment provider refused ({status} {code})")]
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
    /// The client cannot be made with these settings.
    #[error("{0}")]
    Unusable(&'static str),
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
    /// Reads an answer that is not a success.
    pub(super) fn from_answer(status: u16, body: &[u8]) -> Self {
        let detail = serde_json::from_slice::<Body>(body).map(|b| b.error).unwrap_or_default();
        let code = detail.code.unwrap_or(detail.kind);
        // The same key is being worked on by another call of ours: its answer will be ours too.
        let in_flight = matches!(code.as_str(), "idempotency_key_in_use" | "lock_timeout" | "rate_limit");
        if status == 429 || status >= 500 || in_flight {
            return Self::Unavailable { why: format!("{status} {code}"), status: Some(status) };
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

    /// A circuit that is open.
    pub(super) fn circuit_open() -> Self {
        Self::Unavailable { why: "circuit open".to_owned(), status: None }
    }

    /// A wire that gave nothing.
    pub(super) fn transport(why: &str) -> Self {
        Self::Unavailable { why: why.to_owned(), status: None }
    }

    /// How the call ended.
    pub(super) fn outcome(&self) -> Outcome {
        match self {
            Self::Unavailable { .. } => Outcome::Unavailable,
            Self::Refused { .. } => Outcome::Refused,
            Self::Unreadable { .. } | Self::Unusable(_) => Outcome::Unreadable,
        }
    }
}
