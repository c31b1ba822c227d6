//! A change of plan in the middle of a period: refused with one card, done with another.

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{DAY, DECLINES, PAYS, Result, Tools, expected};
use crate::providers::stripe::{Invoice, PlanChangeOrder, Subscription};

/// The change: refused, previewed and done.
pub struct PlanChange {
    /// Whether the declined card left a pending update.
    is_pending: bool,
    /// Whether price and status are the same, and the pending update is gone, after a void of its
    /// invoice.
    is_unchanged: bool,
    previewed: Amounts,
    charged: Amounts,
}

/// Total and amount due of an invoice, centavos.
#[derive(Debug, PartialEq, Eq)]
struct Amounts {
    total: i64,
    due: i64,
}

impl From<&Invoice> for Amounts {
    fn from(invoice: &Invoice) -> Self {
        Self { total: invoice.total, due: invoice.amount_due }
    }
}

impl PlanChange {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let stripe = &tools.stripe;
        let mut clock = tools.clock().await?;
        let started = clock.subscriber("ensaio.mudanca@example.com", PAYS).await?;
        let id = &started.subscription.id;
        // An uneven part of the period, so that the proration has to be rounded.
        clock.advance_to(clock.now + 11 * DAY + 12_345).await?;

        let item = expected(started.subscription.item(), "the subscription has no item")?;
        let price = &tools.prices().await?.quarterly.id;
        let (item, proration_date) = (&item.id, clock.now);
        let order = PlanChangeOrder { subscription: id, item, price, proration_date };
        tools.switch_card(&started, DECLINES).await?;
        let declined = stripe.change_plan(&order, &tools.key()).await?;
        let is_pending = declined.pending_update_to(price).is_some();
        let open = expected(declined.latest_invoice(), "the declined change shows no invoice")?;
        stripe.void_invoice(&open.id).await?;
        let after = stripe.get_subscription(id).await?;
        let is_unchanged = price_of(&after) == price_of(&started.subscription)
            && after.status == started.subscription.status
            && after.pending_update_to(price).is_none();

        stripe.set_subscription_card(id, &started.card).await?;
        let previewed = stripe.preview_plan_change(&order).await?;
        let changed = stripe.change_plan(&order, &tools.key()).await?;
        let charged = expected(changed.latest_invoice(), "the changed subscription shows no invoice")?;
        Ok(Self { is_pending, is_unchanged, previewed: (&previewed).into(), charged: charged.into() })
    }

    pub fn charges_its_preview(&self) -> Outcome {
        let seen = format!("previewed {:?}, charged {:?}", self.previewed, self.charged);
        Outcome::of(self.charged == self.previewed, seen)
    }

    pub fn changes_nothing_if_refused(&self) -> Outcome {
        let answer = if self.is_pending { "a pending update" } else { "no pending update" };
        let change = if self.is_unchanged { "nothing changed" } else { "price, status or update changed" };
        let seen = format!("{answer}, after the void {change}");
        Outcome::of(self.is_pending && self.is_unchanged, seen)
    }
}

fn price_of(subscription: &Subscription) -> Option<&str> {
    subscription.item().map(|item| item.price.id.as_str())
}
