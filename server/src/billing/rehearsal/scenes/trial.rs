//! A trial that ends while the subscription has a coupon for one charge.

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{DAY, HOUR, MONTHLY, PAYS, Result, Tools, status_of};
use crate::providers::stripe::Invoice;
use crate::providers::stripe::rehearsal::RehearsalSubscription;
use garimpo_domain::Centavos;
use garimpo_domain::coupons::Discount;
use garimpo_domain::provider_status::{InvoiceStatus, SubscriptionStatus};

const OFF: i64 = 1_000;
const TRIAL_DAYS: i64 = 7;

/// The first charge after the trial.
pub struct TrialEnd {
    invoice: Invoice,
    subscription_status: SubscriptionStatus,
}

impl TrialEnd {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let mut clock = tools.clock().await?;
        let customer = clock.customer("ensaio.teste@example.com").await?;
        let card = tools.card(PAYS, &customer).await?;
        let discount = Discount::Amount(Centavos::new(OFF));
        let coupon = tools.stripe.create_rehearsal_coupon(discount, &tools.run, &tools.key()).await?;
        let price = &tools.prices().await?.monthly.id;
        let end = clock.now + TRIAL_DAYS * DAY;
        let order = RehearsalSubscription {
            coupon: Some(&coupon),
            trial_end: Some(end),
            ..tools.order(&customer, price, &card)
        };
        let started = tools.subscribe_as(&order).await?;
        clock.advance_to(end + 2 * HOUR).await?;
        Ok(Self {
            invoice: tools.newest_invoice(&started).await?,
            subscription_status: tools.status(&started).await?,
        })
    }

    pub fn end_is_charged(&self) -> Outcome {
        let Self { invoice, subscription_status: status } = self;
        let is_charged = invoice.is(InvoiceStatus::Paid) && invoice.total > 0;
        let (total, invoice) = (invoice.total, status_of(invoice));
        let seen = format!(
            "two hours after the trial the invoice of {total} is {invoice}, the subscription {status}"
        );
        Outcome::of(is_charged && *status == SubscriptionStatus::Active, seen)
    }

    pub fn keeps_the_coupon(&self) -> Outcome {
        let (total, discounted) = (self.invoice.total, MONTHLY - OFF);
        let seen = format!(
            "the first charge after the trial is {total} centavos; with the coupon it is {discounted}"
        );
        Outcome::of(total == discounted, seen)
    }
}
