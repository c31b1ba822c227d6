//! Refunds of a charge in parts, and a dispute that the merchant loses.

use garimpo_domain::provider_status::DisputeStatus;
use std::time::Duration;

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{PAYS, Result, SceneError, Tools, accepted, expected, until};
use crate::providers::stripe::{Charge, Dispute};

/// A card whose payments are disputed at once.
const DISPUTES: &str = "pm_card_createDispute";
const PART: i64 = 1_000;
/// Test mode creates and decides a dispute within seconds.
const DISPUTE_DEADLINE: Duration = Duration::from_mins(2);

/// A charge refunded in two parts.
pub struct Refunded {
    after_part: Charge,
    after_rest: Charge,
    /// Whether one key returned the same refund twice.
    is_same_refund: bool,
}

/// A disputed charge.
pub struct Disputed {
    charge: Charge,
    opened: Dispute,
    /// Code of a refund that was refused during the dispute; `None` if it was accepted.
    refused: Option<String>,
    decided: DisputeStatus,
}

/// The charge of the first invoice of a new subscription.
async fn paid_charge(tools: &Tools, card: &str, email: &str) -> Result<Charge> {
    let started = tools.clock().await?.subscriber(email, card).await?;
    let invoice = tools.newest_invoice(&started.subscription).await?;
    let paid = tools.charges(&invoice).await?.into_iter().find(|charge| charge.paid);
    expected(paid, "the first invoice shows no paid charge")
}

fn late(what: &'static str) -> SceneError {
    SceneError::Late { what, seconds: DISPUTE_DEADLINE.as_secs() }
}

impl Refunded {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let stripe = &tools.stripe;
        let id = paid_charge(tools, PAYS, "ensaio.reembolso@example.com").await?.id;
        let key = tools.key();
        let first = stripe.refund_charge(&id, Some(PART), &key).await?;
        let second = stripe.refund_charge(&id, Some(PART), &key).await?;
        let after_part = stripe.get_charge(&id).await?;
        stripe.refund_charge(&id, None, &tools.key()).await?;
        let after_rest = stripe.get_charge(&id).await?;
        Ok(Self { after_part, after_rest, is_same_refund: first.id == second.id })
    }

    pub fn adds_up(&self) -> Outcome {
        let Self { after_part, after_rest, .. } = self;
        let holds = (after_part.amount_refunded, after_part.refunded) == (PART, false)
            && (after_rest.amount_refunded, after_rest.refunded) == (after_rest.amount, true);
        let state = |Charge { amount_refunded, amount, refunded, .. }: &Charge| {
            format!("amount_refunded {amount_refunded} of {amount}, refunded {refunded}")
        };
        let seen = format!("after a part: {}; after the rest: {}", state(after_part), state(after_rest));
        Outcome::of(holds, seen)
    }

    pub fn refunds_once_per_key(&self) -> Outcome {
        let refunded = self.after_part.amount_refunded;
        let seen = format!("two calls under one key refunded {refunded} centavos");
        Outcome::of(self.is_same_refund && refunded == PART, seen)
    }
}

impl Disputed {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let stripe = &tools.stripe;
        let id = paid_charge(tools, DISPUTES, "ensaio.contestacao@example.com").await?.id;
        let opened = until(DISPUTE_DEADLINE, late("dispute opened"), || async {
            Ok(stripe.list_disputes(&id).await?.into_iter().next())
        });
        let opened = opened.await?;
        let charge = stripe.get_charge(&id).await?;
        let refund = stripe.refund_charge(&id, Some(PART), &tools.key()).await;
        let refused = accepted(refund, &[400])?.err();
        stripe.decide_dispute(&opened.id, "losing_evidence").await?;
        let decided = until(DISPUTE_DEADLINE, late("dispute decided"), || async {
            let status = stripe.get_dispute(&opened.id).await?.status;
            Ok(matches!(status, DisputeStatus::Won | DisputeStatus::Lost).then_some(status))
        });
        let decided = decided.await?;
        Ok(Self { charge, opened, refused, decided })
    }

    pub fn refuses_refunds(&self) -> Outcome {
        let Self { charge, opened, refused, .. } = self;
        let refund = refused.as_deref().unwrap_or("accepted");
        let seen = format!("disputed {}, dispute {}, refund {refund}", charge.disputed, opened.status);
        Outcome::of(charge.disputed && (refused.is_some() || opened.is_charge_refundable), seen)
    }

    pub fn closes_as_lost(&self) -> Outcome {
        let status = &self.decided;
        Outcome::of(*status == DisputeStatus::Lost, format!("the dispute is {status} after losing evidence"))
    }
}
