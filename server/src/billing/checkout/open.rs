//! Opens a purchase: computes the price, then stores the intent, then calls the provider.

mod pending_checkout;
mod purchase_request;
mod session;

use std::sync::Arc;

use garimpo_domain::checkout::{SESSION_REUSE_MINUTES, check_shown_price, may_start};
use garimpo_domain::{Centavos, Quote, Uid, catalog};
use garimpo_proto::billing::v1 as pb;

use crate::billing::catalog::wire;
use crate::billing::checkout::Checkouts;
use crate::billing::facts::current_subscription::{buyer_history, charged_at};
use crate::billing::guards::refusals::{request_id, request_id_used};
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result};
use crate::origin::Origin;
use crate::rights::current;
use crate::store::{Account, Checkout, CheckoutStatus, Subscription, checkouts, subscriptions, transaction};

pub(crate) use purchase_request::PurchaseRequest;
use purchase_request::price_changed;

/// A checkout that can be paid.
pub(crate) struct OpenCheckout {
    /// Secret of the session for the provider's script in the browser.
    pub(crate) client_secret: String,
    /// First payment by the provider's session, in centavos.
    pub(crate) amount_centavos: i64,
}

impl OpenCheckout {
    /// Converts a checkout whose session is stored.
    ///
    /// The session may charge less than the buyer was shown. If it charges more, the buyer must
    /// first accept the amount.
    ///
    /// # Errors
    /// PRICE_CHANGED if the session charges more than the buyer was shown.
    fn of(checkout: &Checkout, shown: Option<Centavos>) -> Result<Self> {
        let amount = checkout.first_payment_centavos;
        let is_cheaper = |shown: Centavos| shown == checkout.quoted_centavos && amount < shown;
        if !shown.is_some_and(is_cheaper) {
            check_shown_price(amount, shown).map_err(price_changed)?;
        }
        let client_secret = checkout
            .client_secret
            .clone()
            .ok_or_else(|| Error::internal(anyhow::anyhow!("an open checkout without its secret")))?;
        Ok(Self { client_secret, amount_centavos: amount.get() })
    }
}

impl Checkouts {
    /// Serves CreateCheckoutSession for the caller's own account.
    ///
    /// # Errors
    /// INVALID_ARGUMENT, UNKNOWN_PLAN, PLAN_NOT_FOR_SALE, UNKNOWN_INTERVAL, COUPON_NOT_APPLICABLE,
    /// ALREADY_SUBSCRIBED, PRICE_CHANGED, CHANGE_IN_PROGRESS, PROVIDER_UNAVAILABLE,
    /// UNAVAILABLE while selling is stopped.
    pub(crate) async fn open(
        &self,
        account: &Account,
        order: &PurchaseRequest,
        request: &pb::CreateCheckoutSessionRequest,
    ) -> Result<OpenCheckout> {
        self.refresh_unsettled(&account.uid).await?;
        let request_id = request_id(request.request_id.as_deref())?;
        let (consent, attribution) = (request.consent.as_ref(), request.attribution.as_ref());
        let origin = Arc::new(Origin::read(consent, attribution, self.context.now()));
        if let Some(done) = self.find_by_request(account, (order, request), request_id, &origin).await? {
            return Ok(done);
        }
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let context = self.offers.prices_for(buyer_history(account, &rows));
        let quote = catalog().quote(order.plan, order.interval, order.coupon.as_ref(), &context);
        let quote = quote.map_err(wire::quote_refused)?;
        let shown = request.shown_price_centavos.map(Centavos::new);
        self.check_shown(account, &quote, shown).await?;
        self.refuse_second(&rows)?;

        self.selling_stop.refuse_while_stopped().await?;
        self.catalog_push.wait_for_catalog().await?;
        let wanted = Arc::new(self.new_checkout(account, &quote).await?);
        let mut renewed = false;
        loop {
            let intent = self.store_pending_checkout(wanted.clone(), origin.clone(), request_id).await?;
            crash::point(CrashPoint::IntentStored);
            if intent.checkout.client_secret.is_some() {
                return OpenCheckout::of(&intent.checkout, shown);
            }
            let customer_id = self.customer_id(&intent.customer, account).await?;
            self.clear_balance(&intent.customer, &customer_id).await?;
            let charged_at = charged_at(self.trial_purchase, account, &rows, self.context.now());
            match self.create_session(&intent, &customer_id, charged_at).await {
                Ok(session) => {
                    let checkout = self.store_session(intent.checkout, session, charged_at).await?;
                    return OpenCheckout::of(&checkout, shown);
                }
                Err(error) if error.misses_customer() && !renewed => {
                    self.repairs
                        .handle_lost_customer(&account.uid, &customer_id, Some(&intent.checkout))
                        .await?;
                    renewed = true;
                }
                Err(error) => return Err(self.handle_failed_session(&intent.checkout, error).await?),
            }
        }
    }

    /// Syncs the account if it has unsettled checkouts, because an event may be lost: an expired
    /// session must not be returned again, and a paid one must not be bought twice.
    async fn refresh_unsettled(&self, uid: &Uid) -> Result<()> {
        if checkouts::unsettled(&self.context.store, uid).await?.is_empty() {
            return Ok(());
        }
        self.sync.refresh_if_available(uid).await
    }

    /// The checkout that this request id opened before, if it can still be used.
    async fn find_by_request(
        &self,
        account: &Account,
        (order, request): (&PurchaseRequest, &pb::CreateCheckoutSessionRequest),
        request_id: Option<&str>,
        origin: &Arc<Origin>,
    ) -> Result<Option<OpenCheckout>> {
        let Some(request_id) = request_id else { return Ok(None) };
        let Some(known) = checkouts::by_request(&self.context.store, &account.uid, request_id).await? else {
            return Ok(None);
        };
        if !order.is_of(&known) {
            return Err(request_id_used("purchase"));
        }
        if known.status != CheckoutStatus::Open {
            return Ok(None);
        }
        let open = OpenCheckout::of(&known, request.shown_price_centavos.map(Centavos::new))?;
        // The purchase is the same, but attribution and consent may be newer, so store them.
        if !origin.is_empty() {
            self.record_origin(&known, origin.clone()).await?;
        }
        Ok(Some(open))
    }

    /// Compares the price that the buyer was shown with ours, or with that of the same purchase's
    /// open session. The provider's amount may differ from ours, and the buyer was shown that one.
    async fn check_shown(&self, account: &Account, quote: &Quote, shown: Option<Centavos>) -> Result<()> {
        let Err(changed) = check_shown_price(quote.first_payment, shown) else { return Ok(()) };
        let wanted = self.new_checkout(account, quote).await?;
        let begun_after = self.context.now().plus_minutes(-SESSION_REUSE_MINUTES);
        match checkouts::same_purchase(&self.context.store, &wanted, begun_after).await? {
            Some(open) if open.client_secret.is_some() => OpenCheckout::of(&open, shown).map(drop),
            _ => Err(price_changed(changed)),
        }
    }

    async fn record_origin(&self, checkout: &Checkout, origin: Arc<Origin>) -> Result<()> {
        let now = self.context.now();
        transaction!(self.context, (uid = checkout.uid.clone(), id = checkout.id.clone(), origin), |tx| {
            origin.record(tx, uid, Some(id), now).await
        })
    }

    fn refuse_second(&self, rows: &[Subscription]) -> Result<()> {
        let state = current(rows).map(Subscription::state);
        if may_start(state.as_ref(), self.context.now(), &self.policy) {
            return Ok(());
        }
        Err(Error::refused(ErrorReason::AlreadySubscribed, "the account has a live subscription"))
    }
}
