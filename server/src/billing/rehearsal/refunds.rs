//! Refunds of a charge in parts, and a dispute that the merchant loses.

use std::time::Duration;

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::dunning::PAYS;
use crate::billing::rehearsal::stage::{SceneError, Stage, until};
use crate::providers::stripe::StripeError;
use crate::providers::stripe::rehearsal::{ObservedCharge, ObservedDispute};

/// A card whose payments are disputed as soon as they are through.
const DISPUTES: &str = "pm_card_createDispute";
const PART: i64 = 1_000;
/// Test mode makes and decides a dispute within seconds.
const DISPUTE_DEADLINE: Duration = Duration::from_mins(2);

/// A charge refunded in two parts.
pub(super) struct Refunded {
    after_part: ObservedCharge,
    after_rest: ObservedCharge,
    /// Whether one key gave the same refund twice.
    is_same_refund: bool,
}

/// A disputed charge.
pub(super) struct Disputed {
    charge: ObservedCharge,
    opened: ObservedDispute,
    /// Code of a refund that was refused while the dispute was open, `None` where it was accepted.
    refused: Option<String>,
    decided: String,
}

/// The charge that pays the first invoice of a new subscription.
async fn paid_charge(stage: &Stage, card: &str, email: &str) -> Result<ObservedCharge, SceneError> {
    let clock = stage.clock().await?;
    let customer = clock.customer(email).await?;
    let card = stage.card(card, &customer).await?;
    let started = stage.subscribe(&customer, &card).await?;
    let invoice = stage.newest_invoice(&started.id).await?;
    for payment in stage.stripe.invoice_payments(&invoice.id).await? {
        let Some(intent) = payment.intent() else { continue };
        if let Some(paid) = stage.stripe.charges_of(intent).await?.into_iter().find(|charge| charge.paid) {
            return Ok(paid);
        }
    }
    Err(SceneError::Unexpected("the first invoice shows no paid charge".into()))
}

impl Refunded {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        let charge = paid_charge(stage, PAYS, "ensaio.reembolso@example.com").await?;
        let key = stage.key();
        let first = stripe.charge_refund(&charge.id, Some(PART), &key).await?;
        let second = stripe.charge_refund(&charge.id, Some(PART), &key).await?;
        let after_part = stripe.charge_observe(&charge.id).await?;
        stripe.charge_refund(&charge.id, None, &stage.key()).await?;
        let after_rest = stripe.charge_observe(&charge.id).await?;
        Ok(Self { after_part, after_rest, is_same_refund: first.id == second.id })
    }
}

impl Disputed {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        let charge = paid_charge(stage, DISPUTES, "ensaio.contestacao@example.com").await?;
        let opened = until(DISPUTE_DEADLINE, || async {
            Ok(stripe.disputes_of(&charge.id).await?.into_iter().next())
        });
        let seconds = DISPUTE_DEADLINE.as_secs();
        let opened = opened.await?.ok_or(SceneError::Late { what: "dispute opened", seconds })?;
        let charge = stripe.charge_observe(&charge.id).await?;
        let refused = match stripe.charge_refund(&charge.id, Some(PART), &stage.key()).await {
            Ok(_) => None,
            Err(StripeError::Refused { status: 400, code, .. }) => Some(code),
            Err(error) => return Err(error.into()),
        };
        stripe.dispute_decide(&opened.id, "losing_evidence").await?;
        let decided = until(DISPUTE_DEADLINE, || async {
            let dispute = stripe.dispute_observe(&opened.id).await?;
            Ok(matches!(dispute.status.as_str(), "won" | "lost").then_some(dispute.status))
        });
        let decided = decided.await?.ok_or(SceneError::Late { what: "dispute decided", seconds })?;
        Ok(Self { charge, opened, refused, decided })
    }
}

/// `amount_refunded` adds up, and `refunded` is true after the whole amount alone.
pub(super) async fn refunds_add_up(stage: &Stage) -> Result<Outcome, SceneError> {
    let Refunded { after_part, after_rest, .. } = stage.refunded().await?;
    let holds = (after_part.amount_refunded, after_part.refunded) == (PART, false)
        && (after_rest.amount_refunded, after_rest.refunded) == (after_rest.amount, true);
    Ok(Outcome::of(holds, || {
        let seen = |charge: &ObservedCharge| {
            format!(
                "amount_refunded {} of {}, refunded {}",
                charge.amount_refunded, charge.amount, charge.refunded
            )
        };
        format!("after a part: {}; after the rest: {}", seen(after_part), seen(after_rest))
    }))
}

/// One idempotency key makes one refund.
pub(super) async fn one_key_makes_one_refund(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.refunded().await?;
    Ok(Outcome::of(seen.is_same_refund && seen.after_part.amount_refunded == PART, || {
        format!("two calls under one key refunded {} centavos", seen.after_part.amount_refunded)
    }))
}

/// A dispute marks its charge and refuses refunds.
pub(super) async fn dispute_refuses_refunds(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.disputed().await?;
    let holds = seen.charge.disputed && (seen.refused.is_some() || seen.opened.is_charge_refundable);
    Ok(Outcome::of(holds, || {
        let refund = seen.refused.as_deref().unwrap_or("accepted");
        format!("disputed {}, dispute {}, refund {refund}", seen.charge.disputed, seen.opened.status)
    }))
}

/// A lost dispute says so.
pub(super) async fn lost_dispute_is_lost(stage: &Stage) -> Result<Outcome, SceneError> {
    let status = stage.disputed().await?.decided.as_str();
    Ok(Outcome::of(status == "lost", || format!("the dispute is {status} after losing evidence")))
}
