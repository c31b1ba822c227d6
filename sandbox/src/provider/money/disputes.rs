//! Disputes: a payer's bank takes a charge back, and decides later who keeps the money. An inquiry
//! comes before any money moves, and can become a dispute.

use serde::Deserialize;
use serde_json::json;

use crate::objects::{
    Charge, ChargeStatus, Dispute, DisputeStatus, PaymentMethod, SubmissionMethod, template,
};
use crate::provider::{ApiError, Params, Reply, events, load};
use crate::state::{DAY, Document, Timer, Tx, ids};

/// The test card that is disputed after each payment.
const DISPUTED: &str = "4000000000000259";
/// Days within which evidence can be submitted.
const EVIDENCE_DAYS: i64 = 9;

/// A bank's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The money stays with the merchant. Also possible after `Lost`.
    Won,
    /// The payer has the money.
    Lost,
    /// An inquiry becomes a dispute.
    Escalated,
    /// An inquiry ends without a dispute.
    WarningClosed,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewDispute {
    pub charge: String,
    /// Disputed amount; the whole rest of the charge when absent.
    #[serde(default)]
    pub amount: Option<i64>,
    #[serde(default, rename = "inquiry")]
    pub is_inquiry: bool,
}

/// Lets the bank of the disputed test card dispute a new charge, after its payment is committed.
pub async fn watch(tx: &mut Tx, charge: &Charge, method: &PaymentMethod) -> Result<(), ApiError> {
    if method.private.number == DISPUTED {
        tx.set_timer(&charge.id, Timer::DisputeOpens, tx.now).await?;
    }
    Ok(())
}

/// Whether a dispute of the charge is open or lost, so that it cannot be refunded.
pub async fn is_open_or_lost(tx: &mut Tx, charge: &str) -> Result<bool, ApiError> {
    Ok(disputed_amount(tx, charge).await? > 0)
}

/// Sum of the disputes that hold the money of a charge: the open and the lost ones.
async fn disputed_amount(tx: &mut Tx, charge: &str) -> Result<i64, ApiError> {
    let all: Vec<Dispute> = tx.load_by("charge", charge).await?;
    let holds = |one: &&Dispute| one.status != DisputeStatus::Won && !one.status.is_inquiry();
    Ok(all.iter().filter(holds).map(|one| one.amount).sum())
}

/// The bank takes a charge back, or opens an inquiry.
///
/// # Errors
/// 400 for a boleto, for a failed charge, and when nothing of the charge is left to dispute.
pub async fn open(tx: &mut Tx, new: NewDispute) -> Reply {
    let charge: Charge = load(tx, &new.charge).await?;
    let left = charge.amount - charge.amount_refunded - disputed_amount(tx, &new.charge).await?;
    let message = "This charge cannot be disputed.";
    let card = charge.payment_method_details.card.clone().ok_or_else(|| ApiError::state(None, message))?;
    ensure!(charge.status != ChargeStatus::Failed && left > 0, ApiError::state(None, message));
    let case_type = if new.is_inquiry { "inquiry" } else { "chargeback" };
    let given = json!({
        "created": tx.now.seconds(), "currency": charge.currency,
        "evidence_details": {"due_by": tx.now.plus(EVIDENCE_DAYS * DAY).seconds()},
        "payment_intent": charge.payment_intent,
        "payment_method_details": {
            "card": {"brand": card["brand"], "case_type": case_type, "network": card["brand"]},
        },
    });
    let dispute = Dispute {
        id: ids::new("du"),
        amount: new.amount.unwrap_or(left),
        charge: charge.id.clone(),
        is_charge_refundable: new.is_inquiry,
        status: if new.is_inquiry {
            DisputeStatus::WarningNeedsResponse
        } else {
            DisputeStatus::NeedsResponse
        },
        ..template("dispute", given)
    };
    tx.insert(&dispute).await?;
    let after = Charge { disputed: true, ..charge.clone() };
    events::update(tx, "charge.updated", &charge, &after).await?;
    events::emit(tx, "charge.dispute.created", &dispute).await?;
    if !new.is_inquiry {
        events::emit(tx, "charge.dispute.funds_withdrawn", &dispute).await?;
    }
    Ok(dispute.document())
}

/// The bank takes back a charge of the disputed test card.
pub async fn open_by_time(tx: &mut Tx, charge: &str) -> Result<(), ApiError> {
    open(tx, NewDispute { charge: charge.to_owned(), ..NewDispute::default() }).await.map(drop)
}

/// The bank decides.
///
/// # Errors
/// 404 for an unknown dispute, 400 for a decision that its state does not allow.
pub async fn decide(tx: &mut Tx, id: &str, verdict: Verdict) -> Reply {
    let before: Dispute = load(tx, id).await?;
    let mut dispute = before.clone();
    let was = dispute.status;
    dispute.status = match verdict {
        Verdict::Won if was == DisputeStatus::Lost => DisputeStatus::Won,
        _ if was.is_closed() => return Err(ApiError::state(None, "This dispute is already closed.")),
        Verdict::Won if !was.is_inquiry() => DisputeStatus::Won,
        Verdict::Lost => DisputeStatus::Lost,
        Verdict::Escalated if was.is_inquiry() => DisputeStatus::NeedsResponse,
        Verdict::WarningClosed if was.is_inquiry() => DisputeStatus::WarningClosed,
        _ => return Err(ApiError::state(None, "This dispute cannot be decided so.")),
    };
    dispute.is_charge_refundable = dispute.status.is_inquiry();
    events::update(tx, "charge.dispute.updated", &before, &dispute).await?;
    if was.is_inquiry() && !dispute.status.is_inquiry() {
        events::emit(tx, "charge.dispute.funds_withdrawn", &dispute).await?;
    }
    if dispute.status == DisputeStatus::Won {
        events::emit(tx, "charge.dispute.funds_reinstated", &dispute).await?;
    }
    if dispute.status.is_closed() {
        events::emit(tx, "charge.dispute.closed", &dispute).await?;
    }
    Ok(dispute.document())
}

/// `POST /v1/disputes/{id}`: evidence. As at the provider, three texts decide at once when they are
/// submitted.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let before: Dispute = load(tx, id).await?;
    let mut dispute = before.clone();
    dispute.metadata = params.metadata(&before.metadata);
    let text = params.text("evidence.uncategorized_text").unwrap_or_default().to_owned();
    if !text.is_empty() {
        dispute.evidence.uncategorized_text = Some(text.clone());
        dispute.evidence_details.has_evidence = true;
    }
    // By default evidence is submitted.
    let submits = params.boolean("submit")?.unwrap_or(true) && params.has("evidence");
    if submits {
        dispute.status = if dispute.status.is_inquiry() {
            DisputeStatus::WarningUnderReview
        } else {
            DisputeStatus::UnderReview
        };
        dispute.evidence_details.submission_count = 1;
        dispute.evidence_details.submission_method = SubmissionMethod::Manual;
    }
    tx.update(&dispute).await?;
    match text.as_str() {
        "winning_evidence" if submits => decide(tx, id, Verdict::Won).await,
        "losing_evidence" if submits => decide(tx, id, Verdict::Lost).await,
        "escalate_inquiry_evidence" if submits => decide(tx, id, Verdict::Escalated).await,
        _ => {
            events::emit_change(tx, "charge.dispute.updated", &before, &dispute).await?;
            Ok(dispute.document())
        }
    }
}
