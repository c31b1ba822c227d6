//! A person's steps on the provider's pages: a purchase in the checkout, another card in the
//! portal.

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{
    DECLINES, HOUR, PAYS, Result, SceneError, Tools, expected, status_of,
};
use crate::providers::stripe::{Customer, Invoice, Subscription};
use garimpo_domain::provider_status::{CheckoutSessionStatus, InvoiceStatus};

const RETURN_URL: &str = "https://example.com/";

/// A purchase that a person completed.
pub struct Purchase {
    customer: Customer,
    subscription: Subscription,
}

/// A failed renewal whose payer stored another card in the portal.
pub struct PortalCard {
    /// Id of that card.
    new: String,
    subscription: Subscription,
    /// The open invoice an hour later.
    invoice: Invoice,
}

impl Purchase {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let stripe = &tools.stripe;
        let customer = tools.clock().await?.customer("ensaio.compra@example.com").await?;
        let price = &tools.prices().await?.monthly.id;
        let session = stripe.hosted_checkout(&customer.id, price, &tools.run, &tools.key()).await?;
        let link = expected(session.url.as_deref(), "the checkout has no page")?;
        let what = "Pay with the card 4242 4242 4242 4242, any future date and any code";
        let subscription = tools.in_browser(what, link, || async {
            let session = stripe.get_checkout(&session.id).await?;
            Ok(session.subscription.filter(|_| session.status == CheckoutSessionStatus::Complete))
        });
        let subscription = subscription.await?;
        Ok(Self {
            customer: stripe.get_customer(&customer.id).await?,
            subscription: stripe.get_subscription(&subscription).await?,
        })
    }

    pub fn stores_the_card_on_the_subscription(&self) -> Outcome {
        let on_subscription = self.subscription.own_method_id().is_some();
        let on_customer = self.customer.default_method_id().is_some();
        let has = |has: bool| if has { "set" } else { "empty" };
        let seen = format!(
            "default of the subscription {}, of the customer {}",
            has(on_subscription),
            has(on_customer)
        );
        Outcome::of(on_subscription && !on_customer, seen)
    }
}

impl PortalCard {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let stripe = &tools.stripe;
        let mut clock = tools.clock().await?;
        let started = clock.subscriber("ensaio.portal@example.com", PAYS).await?;
        tools.switch_card(&started, DECLINES).await?;
        clock.advance_to_renewal(&started.subscription).await?;
        let open = tools.newest_invoice(&started.subscription).await?;
        if !open.is(InvoiceStatus::Open) {
            return Err(SceneError::Unexpected("the renewal with a declined card is not open".into()));
        }
        let customer = &started.customer.id;
        let before = stripe.get_customer(customer).await?;
        let link = stripe.create_portal(customer, RETURN_URL).await?;
        let what = "Add the card 5555 5555 5555 4444, any future date and any code, and make it the default";
        let new = tools.in_browser(what, &link, || async {
            let now = stripe.get_customer(customer).await?;
            let changed = now.default_method_id().filter(|id| Some(*id) != before.default_method_id());
            Ok(changed.map(str::to_owned))
        });
        let new = new.await?;
        // The portal may take a moment to pay the invoice; no retry falls into this hour.
        clock.advance_to(clock.now + HOUR).await?;
        Ok(Self {
            new,
            subscription: stripe.get_subscription(&started.subscription.id).await?,
            invoice: stripe.get_invoice(&open.id).await?,
        })
    }

    pub fn stores_the_card_on_the_customer_alone(&self) -> Outcome {
        let seen = "the portal set the new card on the subscription as well";
        Outcome::of(self.subscription.own_method_id() != Some(&self.new), seen)
    }

    pub fn leaves_the_invoice_open(&self) -> Outcome {
        let seen = format!("an hour after the new card the open invoice is {}", status_of(&self.invoice));
        Outcome::of(self.invoice.is(InvoiceStatus::Open), seen)
    }
}
