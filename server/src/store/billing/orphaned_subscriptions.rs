//! Subscriptions that run at the payment provider and whose account is missing here.

use garimpo_domain::{Centavos, CustomerId, SubscriptionId, Timestamp, Uid};
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Result, Store, Text as _, Tx, ro, row, text, tx};

/// Why a payer without an account is not adopted by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, Serialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AdoptionRefusal {
    /// The account was deleted by its owner.
    AccountDeleted,
    /// An account with this email was deleted by its owner.
    EmailDeleted,
    /// An account has this email, and its address is not confirmed: it may be somebody else's.
    EmailUnconfirmed,
    /// The account of this email has another customer: it bought again.
    OtherCustomer,
    /// The customer has no usable email at the provider.
    NoEmail,
    /// The subscription is older than this database, so it may belong to another one.
    OlderThanDatabase,
}

text!(AdoptionRefusal);

impl AdoptionRefusal {
    /// The reason, as an operator reads it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::AccountDeleted => "the owner deleted the account",
            Self::EmailDeleted => "an account with this email was deleted by its owner",
            Self::EmailUnconfirmed => "an account has this email, and its address is not confirmed",
            Self::OtherCustomer => "the account of this email has another customer: it bought again",
            Self::NoEmail => "the customer has no usable email at the provider",
            Self::OlderThanDatabase => "the subscription is older than this database",
        }
    }

    /// The operator's next step.
    pub fn action(self) -> &'static str {
        match self {
            Self::AccountDeleted => "refund its invoices and cancel it at the provider",
            Self::EmailDeleted | Self::OlderThanDatabase => {
                "garimpo admin adopt SUBSCRIPTION; or refund its invoices and cancel it at the provider"
            }
            Self::EmailUnconfirmed => {
                "nothing, if the owner confirms the address: it is adopted within a day. Or make sure that the account \
                 is the payer's, and: garimpo admin adopt SUBSCRIPTION"
            }
            Self::OtherCustomer => {
                "refund the invoices and cancel the subscription of one of both at the provider"
            }
            Self::NoEmail => "write the payer's email into the customer there, then: garimpo admin reconcile",
        }
    }
}

row! {
    "orphaned_subscriptions" by subscription_id, select;

    /// A running subscription of the provider whose account is missing here.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PayerWithoutAccount {
        pub subscription_id: SubscriptionId,
        pub customer_id: CustomerId,
        /// The account in the subscription's metadata.
        pub uid: Uid,
        /// The customer's email at the provider.
        pub email: Option<String>,
        /// Total of the customer's paid invoices.
        pub paid_centavos: Centavos,
        pub found_at: Timestamp as found_at_us,
        /// Why the last adoption was refused; `None` before the first one.
        pub refused: Option<AdoptionRefusal>,
    }
}

/// The row of a subscription.
pub async fn by_id(store: &Store, subscription_id: &SubscriptionId) -> Result<Option<PayerWithoutAccount>> {
    ro!(store, first select!("WHERE subscription_id = $1"), subscription_id)
}

/// The subscriptions, ordered by id, after `after`.
pub async fn page(store: &Store, after: &str, limit: i64) -> Result<Vec<SubscriptionId>> {
    ro!(store, values
        "SELECT subscription_id FROM orphaned_subscriptions WHERE subscription_id > $1
         ORDER BY subscription_id LIMIT $2", after, limit)
}

/// Those that were refused or that wait since before an instant, the longest waiting first.
pub async fn waiting(store: &Store, found_before: Timestamp, limit: i64) -> Result<Vec<PayerWithoutAccount>> {
    ro!(store, rows select!("WHERE refused IS NOT NULL OR found_at_us < $1
         ORDER BY found_at_us, subscription_id LIMIT $2"), found_before, limit)
}

/// Stores a found subscription, or what changed of a known one.
pub async fn save(tx: &mut Tx, found: &PayerWithoutAccount) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO orphaned_subscriptions (subscription_id, customer_id, uid, email, paid_centavos, found_at_us)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (subscription_id) DO UPDATE SET uid = excluded.uid,
           email = CASE WHEN orphaned_subscriptions.refused = 'account_deleted' THEN NULL ELSE excluded.email END,
           paid_centavos = excluded.paid_centavos",
        &found.subscription_id, &found.customer_id, &found.uid, &found.email, found.paid_centavos, found.found_at)
}

/// Locks the row of a subscription until the transaction ends; false if it has none.
pub async fn lock(tx: &mut Tx, subscription_id: &SubscriptionId) -> Result<bool> {
    tx!(tx, changed "UPDATE orphaned_subscriptions SET uid = uid WHERE subscription_id = $1", subscription_id)
}

/// Stores why an adoption was refused. The email of a deleted account is deleted.
pub async fn refuse(tx: &mut Tx, subscription_id: &SubscriptionId, refused: AdoptionRefusal) -> Result<()> {
    tx!(tx, execute
        "UPDATE orphaned_subscriptions SET refused = $2, email = CASE WHEN $2 = 'account_deleted' THEN NULL ELSE email END
         WHERE subscription_id = $1", subscription_id, refused.text())
}

/// Deletes the row of a subscription that has its account or has ended.
pub async fn delete(tx: &mut Tx, subscription_id: &SubscriptionId) -> Result<()> {
    tx!(tx, execute "DELETE FROM orphaned_subscriptions WHERE subscription_id = $1", subscription_id)
}
