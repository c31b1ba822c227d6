//! A change of plan in the middle of a period, by the product's own calls: refused with one card, done with another.

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::dunning::{DECLINES, PAYS};
use crate::billing::rehearsal::stage::{DAY, SceneError, Stage};
use crate::providers::stripe::{PlanChangeOrder, StripeError};

/// The change as it was refused, previewed and done.
pub(super) struct PlanChange {
    /// Code of the refusal, `None` where the declined card changed the plan.
    refused: Option<String>,
    /// Price and number of invoices after the refusal, as before it.
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

impl PlanChange {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        let mut clock = stage.clock().await?;
        let customer = clock.customer("ensaio.mudanca@example.com").await?;
        let pays = stage.card(PAYS, &customer).await?;
        let started = stage.subscribe(&customer, &pays).await?;
        let declines = stage.card(DECLINES, &customer).await?;
        // Not a whole part of the period, so that the proration has something to round.
        clock.advance_to(clock.now() + 11 * DAY + 12_345).await?;

        let item =
            started.item().ok_or_else(|| SceneError::Unexpected("the subscription has no item".into()))?;
        let order = PlanChangeOrder {
            subscription: &started.id,
            item,
            price: &stage.prices().await?.quarterly.id,
            proration_date: clock.now(),
            renews_again: false,
        };
        stripe.subscription_method_set(&started.id, &declines).await?;
        let refused = match stripe.plan_change(&order, &stage.key()).await {
            Ok(_) => None,
            Err(StripeError::Refused { status: 402, code, .. }) => Some(code),
            Err(error) => return Err(error.into()),
        };
        let after = stripe.subscription_observe(&started.id).await?;
        let invoices = stripe.invoices_of(&started.id).await?.len();
        let is_unchanged = after.price() == started.price() && invoices == 1;

        stripe.subscription_method_set(&started.id, &pays).await?;
        let previewed = stripe.plan_change_preview(&order).await?;
        let changed = stripe.plan_change(&order, &stage.key()).await?;
        let charged = changed
            .latest_invoice
            .ok_or_else(|| SceneError::Unexpected("the changed subscription shows no invoice".into()))?;
        Ok(Self {
            refused,
            is_unchanged,
            previewed: Amounts { total: previewed.total, due: previewed.amount_due },
            charged: Amounts { total: charged.total, due: charged.amount_due },
        })
    }
}

/// A change charges what its preview showed.
pub(super) async fn change_charges_its_preview(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.plan_change().await?;
    Ok(Outcome::of(seen.charged == seen.previewed, || {
        format!("previewed {:?}, charged {:?}", seen.previewed, seen.charged)
    }))
}

/// A change that cannot be charged changes nothing.
pub(super) async fn refused_change_changes_nothing(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.plan_change().await?;
    Ok(Outcome::of(seen.refused.is_some() && seen.is_unchanged, || {
        let answer = seen.refused.as_deref().unwrap_or("accepted");
        let change = if seen.is_unchanged { "nothing changed" } else { "price or invoices changed" };
        format!("answer {answer}, {change}")
    }))
}
