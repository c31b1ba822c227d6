//! States of the payment provider's objects, by the names of its API. Each enum has the states
//! that a rule reads.
//!
//! Any other state is kept as its text, because the provider adds states at any time and what is
//! stored or printed must not change.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr};

/// Declares a state that is read from the provider's name and printed as it.
macro_rules! state {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $state:ident,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, EnumString, Display)]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        pub enum $name {
            $($(#[$doc])* $state,)*
            /// Any other state.
            #[serde(untagged)]
            #[strum(default)]
            Other(String),
        }
    };
}

state! {
    /// State of a subscription.
    SubscriptionStatus {
        /// Before its first charge.
        Trialing,
        /// Paid.
        Active,
        /// A renewal is unpaid, and the provider still collects it.
        PastDue,
        /// Invoices stay drafts, because the last one was never paid.
        Unpaid,
        /// Ended.
        Canceled,
        /// The first payment is pending.
        Incomplete,
        /// The first payment was never made.
        IncompleteExpired,
    }
}

/// State of an invoice. The provider's list is closed; an unknown state is read as a draft, which
/// gives nothing and asks for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum InvoiceStatus {
    /// Payable.
    Open,
    /// Paid, by money or by credit.
    Paid,
    /// The provider no longer expects its payment, and accepts it.
    Uncollectible,
    /// It cannot be paid.
    Void,
    /// Not yet payable.
    #[serde(other)]
    Draft,
}

state! {
    /// Why an invoice was made.
    InvoiceReason {
        /// A subscription began.
        SubscriptionCreate,
        /// A period began, the first one after a trial included.
        SubscriptionCycle,
        /// A plan was changed.
        SubscriptionUpdate,
    }
}

state! {
    /// State of one payment of an invoice.
    InvoicePaymentStatus {
        /// Pending.
        Open,
        /// Paid.
        Paid,
    }
}

state! {
    /// State of a payment intent.
    PaymentIntentStatus {
        /// It has no method, or the last attempt failed.
        RequiresPaymentMethod,
        /// The payer must authenticate it or pay the boleto.
        RequiresAction,
        /// Canceled.
        Canceled,
        /// Paid.
        Succeeded,
    }
}

state! {
    /// State of a charge.
    ChargeStatus {
        /// Paid.
        Succeeded,
        /// Refused.
        Failed,
    }
}

state! {
    /// State of a checkout session.
    CheckoutSessionStatus {
        /// It can be paid.
        Open,
        /// The buyer completed it; a boleto may still be unpaid.
        Complete,
        /// It can no longer be paid.
        Expired,
    }
}

state! {
    /// Whether a checkout session is paid.
    CheckoutPaymentStatus {
        /// Paid.
        Paid,
        /// Not yet paid.
        Unpaid,
    }
}

state! {
    /// State of a refund.
    RefundStatus {
        /// The bank refused it, and the money came back to our balance.
        Failed,
        /// Canceled before it was sent.
        Canceled,
    }
}

state! {
    /// State of a dispute, or of an inquiry before one.
    DisputeStatus {
        /// An inquiry waits for evidence. It moves no money.
        WarningNeedsResponse,
        /// Evidence is due.
        NeedsResponse,
        /// Evidence was sent.
        UnderReview,
        /// The seller keeps the money.
        Won,
        /// The payer keeps the money.
        Lost,
        /// The seller may appeal against the loss.
        AppealNeedsResponse,
        /// The appeal was sent.
        AppealUnderReview,
    }
}

impl DisputeStatus {
    /// Whether the bank waits for the seller's answer.
    pub fn needs_response(&self) -> bool {
        matches!(self, Self::WarningNeedsResponse | Self::NeedsResponse | Self::AppealNeedsResponse)
    }
}
