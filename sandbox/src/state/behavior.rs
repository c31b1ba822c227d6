//! How the played provider behaves where the real one is undocumented or configurable.
//!
//! The defaults follow the provider's published documentation. A test changes a field to show that
//! the product is right under the other behavior as well.

use serde::{Deserialize, Serialize};

/// Every switch. An absent field of a request keeps its default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each switch is a behavior of its own")]
pub struct Behavior {
    /// Rounding of a percent coupon that gives half a centavo. Undocumented.
    pub coupon_rounding: CouponRounding,
    /// Where the portal stores a new card. Documented for the customer, unknown for subscriptions.
    pub portal_card: PortalCard,
    /// Whether the portal pays open invoices with a new card. Undocumented.
    pub portal_pays_open_invoices: bool,
    /// Whose open invoices are no longer collected after a cancellation. The documents disagree.
    pub cancellation_stops: CollectionScope,
    /// Status of the PaymentIntent of a renewal that needs authentication. The documents disagree.
    pub authentication_status: AuthenticationStatus,
    /// Events of a renewal that needs authentication. Undocumented.
    pub authentication_events: AuthenticationEvents,
    /// Retries of a failed renewal: an account setting.
    pub retry_schedule: RetrySchedule,
    /// Status of a subscription after the last failed retry: an account setting.
    pub retry_end: RetryEnd,
    /// PaymentIntent of a retry. Undocumented for retries.
    pub retry_intent: RetryIntent,
    /// End of an `incomplete` subscription that waits for a boleto. Undocumented.
    pub boleto_incomplete: BoletoIncomplete,
    /// Whether the retry schedule issues a new voucher after one expired. Undocumented.
    pub boleto_without_reissue: bool,
    /// When a paid boleto is confirmed. Documented as one business day later.
    pub boleto_confirmation: BoletoConfirmation,
    /// Whether a once coupon is used up by the zero invoice of a trial. Undocumented.
    pub trial_uses_once_coupon: bool,
    /// Whether voiding the open invoice of a `past_due` subscription makes it `active`.
    /// Undocumented.
    pub void_reactivates: bool,
    /// Whether `GET /v1/events` leaves out events of test clock objects. Undocumented.
    pub events_omit_test_clocks: bool,
    /// Whether the key is of another account.
    pub other_account: bool,
    /// What the key may read of its account. Restricted keys often may not read it.
    pub key_reads: KeyReads,
    /// Answer to a list of a customer that does not exist. Undocumented.
    pub unknown_customer: UnknownCustomer,
    /// Answer to a list of what a deleted customer had. Undocumented.
    pub deleted_customer: DeletedCustomer,
    /// Real milliseconds after which a changed object is found by search. Documented as up to a
    /// minute.
    pub search_delay_ms: u32,
}

/// Declares the alternatives of switches, each with its default first.
macro_rules! alternatives {
    ($($(#[$about:meta])* pub enum $name:ident { $(#[$of_default:meta])* $default:ident, $($others:tt)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $(#[$of_default])*
            #[default]
            $default,
            $($others)*
        }
    )*};
}

alternatives! {
    /// Rounding of a discount.
    pub enum CouponRounding {
        /// Half a centavo is rounded up.
        HalfUp,
        /// Half a centavo is rounded to the even centavo.
        HalfEven,
        /// Every fraction of a centavo is dropped.
        Down,
    }

    /// Where the portal stores a new card.
    pub enum PortalCard {
        /// As the customer's default only.
        Customer,
        /// As the customer's default and on each of the customer's subscriptions.
        CustomerAndSubscriptions,
    }

    /// Whose open invoices a cancellation stops collecting.
    pub enum CollectionScope {
        /// All finalized invoices of the customer (API reference).
        Customer,
        /// Those of the cancelled subscription (guide).
        Subscription,
    }

    /// Status of a PaymentIntent that needs authentication off-session.
    pub enum AuthenticationStatus {
        /// The guide about webhooks of subscriptions.
        RequiresAction,
        /// The guide about off-session payments.
        RequiresPaymentMethod,
    }

    /// Events of an invoice whose payment needs authentication.
    pub enum AuthenticationEvents {
        /// `invoice.payment_action_required` and `invoice.payment_failed`.
        Both,
        /// `invoice.payment_action_required` alone.
        ActionRequired,
        /// `invoice.payment_failed` alone.
        PaymentFailed,
    }

    /// Days between attempts to collect an invoice.
    pub enum RetrySchedule {
        /// A custom schedule: 3, 5 and 7 days after the attempt before.
        Custom,
        /// Eight retries within two weeks.
        Smart,
        /// No retry.
        None,
    }

    /// Status of a subscription after its last failed retry.
    pub enum RetryEnd {
        /// The subscription is canceled.
        Canceled,
        /// The subscription is `unpaid`; its next invoices stay drafts.
        Unpaid,
        /// The subscription stays `past_due`; its next invoices are collected.
        PastDue,
    }

    /// PaymentIntent of a retry.
    pub enum RetryIntent {
        /// The default PaymentIntent of the invoice.
        Same,
        /// A new one for each attempt.
        New,
    }

    /// End of an `incomplete` subscription that waits for a boleto.
    pub enum BoletoIncomplete {
        /// When the voucher expires.
        UntilVoucherExpires,
        /// 23 hours after its creation.
        #[serde(rename = "after_23_hours")]
        After23Hours,
    }

    /// When a paid boleto is confirmed.
    pub enum BoletoConfirmation {
        /// At once, so that demonstrations need not wait.
        AtOnce,
        /// One business day later; a voucher paid on its last day reports its expiry first.
        NextBusinessDayAfterExpiry,
        /// One business day later; a voucher paid on its last day reports no expiry.
        NextBusinessDay,
    }

    /// What a key may read of its account.
    pub enum KeyReads {
        /// The account and its balance.
        Everything,
        /// Not the account; the refusal names it.
        AccountRefusedByName,
        /// Not the account; the refusal names nothing.
        AccountRefused,
        /// Neither the account nor its balance.
        AccountAndBalanceRefused,
    }

    /// Answer to a list of a customer that does not exist.
    pub enum UnknownCustomer {
        /// An empty list.
        EmptyList,
        /// `resource_missing`.
        Refused,
    }

    /// Answer to a list of what a deleted customer had.
    pub enum DeletedCustomer {
        /// The list, unless a field of the customer is to be expanded: that is refused.
        ExpandRefused,
        /// The list; what is to be expanded of the customer is left out.
        Listed,
        /// `resource_missing`.
        Refused,
    }
}
