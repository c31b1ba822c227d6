//! What a person does on the provider's pages: a purchase in the checkout, another card in the portal.

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::dunning::{DECLINES, PAYS};
use crate::billing::rehearsal::stage::{HOUR, SceneError, Stage};
use crate::providers::stripe::rehearsal::{ObservedCustomer, ObservedInvoice, ObservedSubscription};

const RETURN_URL: &str = "https://example.com/";

/// A purchase that a person completed.
pub(super) struct Purchase {
    customer: ObservedCustomer,
    subscription: ObservedSubscription,
}

/// A failed renewal whose payer gave another card in the portal.
pub(super) struct PortalCard {
    /// The card given.
    new: String,
    subscription: ObservedSubscription,
    /// The open invoice an hour later.
    invoice: ObservedInvoice,
}

impl Purchase {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        let clock = stage.clock().await?;
        let customer = clock.customer("ensaio.compra@example.com").await?;
        let price = &stage.prices().await?.monthly.id;
        let session = stripe.hosted_checkout(&customer.id, price, &stage.run, &stage.key()).await?;
        let link = session
            .url
            .as_deref()
            .ok_or_else(|| SceneError::Unexpected("the checkout has no page".into()))?;
        let what = "Pay with the card 4242 4242 4242 4242, any future date and any code";
        let subscription = stage.in_browser(what, link, || async {
            let session = stripe.session_observe(&session.id).await?;
            Ok(session.subscription.filter(|_| session.status == "complete"))
        });
        let subscription = subscription.await?;
        Ok(Self {
            customer: stripe.customer_observe(&customer.id).await?,
            subscription: stripe.subscription_observe(&subscription).await?,
        })
    }
}

impl PortalCard {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        let mut clock = stage.clock().await?;
        let customer = clock.customer("ensaio.portal@example.com").await?;
        let good = stage.card(PAYS, &customer).await?;
        let started = stage.subscribe(&customer, &good).await?;
        let bad = stage.card(DECLINES, &customer).await?;
        stripe.subscription_method_set(&started.id, &bad).await?;
        clock.advance_to(started.period_end() + 2 * HOUR).await?;
        let open = stage.newest_invoice(&started.id).await?;
        if !open.is("open") {
            return Err(SceneError::Unexpected("the renewal with a declined card is not open".into()));
        }
        let before = stripe.customer_observe(&customer.id).await?;
        let link = stripe.portal_create(&customer.id, RETURN_URL).await?;
        let what = "Add the card 5555 5555 5555 4444, any future date and any code, and make it the default";
        let new = stage.in_browser(what, &link, || async {
            let now = stripe.customer_observe(&customer.id).await?;
            let default = now.default_method().map(str::to_owned);
            Ok(default.filter(|method| Some(method.as_str()) != before.default_method()))
        });
        let new = new.await?;
        // A payment that the portal causes may take a moment; no retry falls into this hour.
        clock.advance_to(clock.now() + HOUR).await?;
        Ok(Self {
            new,
            subscription: stripe.subscription_observe(&started.id).await?,
            invoice: stripe.invoice_observe(&open.id).await?,
        })
    }
}

/// Checkout stores the card on the subscription and leaves the customer's default empty.
pub(super) async fn checkout_card_is_the_subscriptions(stage: &Stage) -> Result<Outcome, SceneError> {
    let Purchase { customer, subscription } = stage.purchase().await?;
    let (on_subscription, on_customer) =
        (subscription.default_payment_method.is_some(), customer.default_method().is_some());
    Ok(Outcome::of(on_subscription && !on_customer, || {
        let has = |has: bool| if has { "set" } else { "empty" };
        format!("default of the subscription {}, of the customer {}", has(on_subscription), has(on_customer))
    }))
}

/// The portal stores a new card as the customer's default alone.
pub(super) async fn portal_card_is_the_customers(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.portal_card().await?;
    Ok(Outcome::of(seen.subscription.default_payment_method.as_ref() != Some(&seen.new), || {
        "the portal set the new card on the subscription as well".into()
    }))
}

/// The portal leaves open invoices as they are.
pub(super) async fn portal_pays_nothing(stage: &Stage) -> Result<Outcome, SceneError> {
    let invoice = &stage.portal_card().await?.invoice;
    Ok(Outcome::of(invoice.is("open"), || {
        let status = invoice.status.as_deref().unwrap_or("without a status");
        format!("an hour after the new card the open invoice is {status}")
    }))
}
