//! Answers about advertising: the current answer of each account, and all that were given.

use garimpo_domain::{CheckoutId, Consent, SubscriptionId, Timestamp, Uid};

use crate::store::engine::{NonEmpty, Result, Store, Tx, ro, row, tx};

row! {
    "consents" by checkout_id, select, printed;

    /// An answer as given.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ConsentRow {
        /// The checkout at which it was given; `None` for an answer of the account itself.
        pub checkout_id: Option<NonEmpty>,
        /// When it was given.
        pub chosen_at: Timestamp as chosen_at_us,
        pub ads_allowed: bool,
        /// Version of the text that was answered.
        pub text_version: String,
        /// When it was received.
        pub stored_at: Timestamp as stored_at_us,
    }
}

/// Stores the account's answer unless a newer one is stored. If consent is withdrawn, the click ids
/// are deleted.
pub async fn save(tx: &mut Tx, uid: &Uid, consent: &Consent, now: Timestamp) -> Result<()> {
    let changed = tx!(tx, affected
        "UPDATE accounts SET consent_given = $2, consent_at_us = $3, consent_text_version = $4
         WHERE uid = $1 AND (consent_at_us IS NULL OR consent_at_us < $3)",
        uid, consent.ads_allowed, consent.at, &consent.text_version)?;
    if changed == 0 {
        return Ok(());
    }
    record(tx, uid, None, consent, now).await?;
    if !consent.ads_allowed {
        tx!(tx, execute "DELETE FROM click_ids WHERE uid = $1", uid)?;
    }
    Ok(())
}

/// Records an answer, each only once.
pub async fn record(
    tx: &mut Tx,
    uid: &Uid,
    checkout_id: Option<&CheckoutId>,
    consent: &Consent,
    now: Timestamp,
) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO consents (uid, checkout_id, chosen_at_us, ads_allowed, text_version, stored_at_us)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (uid, checkout_id, chosen_at_us) DO NOTHING",
        uid, checkout_id.map_or("", |id| id), consent.at, consent.ads_allowed, &consent.text_version, now)
}

/// The answer at the checkout that created a subscription; `None` without one.
pub async fn of_subscription(
    tx: &mut Tx,
    uid: &Uid,
    subscription_id: &SubscriptionId,
) -> Result<Option<bool>> {
    tx!(tx, first_value "SELECT c.ads_allowed FROM consents c JOIN checkouts o ON o.id = c.checkout_id
         WHERE o.uid = $1 AND c.uid = $1 AND o.subscription_id = $2 ORDER BY c.chosen_at_us DESC LIMIT 1",
        uid, subscription_id)
}

/// The answer at a checkout of an account; `None` without one.
pub async fn of_checkout(store: &Store, uid: &Uid, checkout_id: &CheckoutId) -> Result<Option<bool>> {
    ro!(store, first_value "SELECT ads_allowed FROM consents WHERE uid = $1 AND checkout_id = $2
         ORDER BY chosen_at_us DESC LIMIT 1", uid, checkout_id)
}

/// All answers of an account, oldest first.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<ConsentRow>> {
    ro!(store, rows select!("WHERE uid = $1 ORDER BY stored_at_us, chosen_at_us, checkout_id"), uid)
}
