//! The intent of a purchase, stored before the provider is called.

use std::sync::Arc;

use garimpo_domain::checkout::SESSION_REUSE_MINUTES;
use garimpo_domain::{Centavos, CheckoutId, Quote, Timestamp};

use super::purchase_request::items_of;
use crate::billing::checkout::Checkouts;
use crate::billing::guards::coupon_once_per_person::claim_first_coupon;
use crate::billing::guards::refusals::{change_in_progress, request_id_used};
use crate::caller::not_yours;
use crate::error::Result;
use crate::origin::Origin;
use crate::pause::{self, PausePoint};
use crate::store::{
    Account, Checkout, CheckoutStatus, Customer, NonEmpty, PaymentStatus, Tx, accounts, checkouts, customers,
    subscriptions, transaction,
};

/// An intent with the row of its customer.
pub(super) struct PendingCheckout {
    pub(super) checkout: Checkout,
    pub(super) customer: Customer,
}

impl Checkouts {
    /// The purchase as a row to insert.
    pub(super) async fn new_checkout(&self, account: &Account, quote: &Quote) -> Result<Checkout> {
        let price = self.catalog_push.pushed_price(quote.plan, quote.interval, quote.list_price).await?;
        let coupon = quote.coupon.as_ref();
        Ok(Checkout {
            id: CheckoutId::new(self.context.ids.id("chk_")),
            uid: account.uid.clone(),
            email: account.email.clone().into(),
            plan_id: quote.plan,
            plan_interval: quote.interval,
            coupon_id: coupon.and_then(|coupon| NonEmpty::new(&coupon.id)),
            promo_code: coupon.and_then(|coupon| NonEmpty::new(&coupon.code)),
            price_id: price.price_id,
            price_centavos: quote.list_price,
            first_payment_centavos: quote.first_payment,
            quoted_centavos: quote.first_payment,
            attempt: 1,
            session_id: None,
            client_secret: None,
            status: CheckoutStatus::Intent,
            payment_status: PaymentStatus::Unpaid,
            settled: false,
            subscription_id: None,
            created_at: self.context.now(),
            expires_at: None,
        })
    }

    /// Stores the intent, or returns the one of the same purchase, so that two concurrent calls get
    /// one session.
    pub(super) async fn store_pending_checkout(
        &self,
        wanted: Arc<Checkout>,
        origin: Arc<Origin>,
        request_id: Option<&str>,
    ) -> Result<PendingCheckout> {
        let now = self.context.now();
        let customer_intent = self.context.ids.id("cui_");
        let request_id = request_id.map(str::to_owned);
        pause::point(PausePoint::Decide, &wanted.uid).await;
        transaction!(self.context.store, (wanted, origin, request_id, customer_intent), |tx| {
            let intent = insert_or_reuse(tx, wanted, request_id.as_deref(), customer_intent, now).await?;
            origin.record(tx, &wanted.uid, Some(&intent.checkout.id), now).await?;
            Ok(intent)
        })
    }
}

/// Locks the account's row first, so that two concurrent calls for the same purchase store one
/// intent.
async fn insert_or_reuse(
    tx: &mut Tx,
    wanted: &Checkout,
    request_id: Option<&str>,
    customer_intent: &str,
    now: Timestamp,
) -> Result<PendingCheckout> {
    let account = accounts::lock(tx, &wanted.uid).await?.ok_or_else(not_yours)?;
    claim_first_coupon(tx, &account, wanted.coupon_id.as_deref(), now).await?;
    if let Some(request_id) = request_id {
        // Another call may have stored it since the request id was first looked up.
        let known = checkouts::by_request(&mut *tx, &wanted.uid, request_id).await?;
        if known.is_some_and(|known| items_of(&known) != items_of(wanted)) {
            return Err(request_id_used("purchase"));
        }
    }
    let customer = customers::intend(tx, &wanted.uid, customer_intent, now).await?;
    // The purchase would use credit that the refund is about to end.
    if customer.balance_centavos < Centavos::ZERO
        && !subscriptions::returned_with_credit(&mut *tx, &wanted.uid).await?.is_empty()
    {
        return Err(change_in_progress("a refund has not ended the credit of its subscription yet"));
    }
    let same = checkouts::same_purchase(&mut *tx, wanted, now.plus_minutes(-SESSION_REUSE_MINUTES)).await?;
    let checkout = if let Some(same) = same {
        same
    } else {
        checkouts::insert(tx, wanted).await?;
        wanted.clone()
    };
    if let Some(request_id) = request_id {
        checkouts::record_request(tx, &wanted.uid, request_id, &checkout.id, now).await?;
    }
    Ok(PendingCheckout { checkout, customer })
}
