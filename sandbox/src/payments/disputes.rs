//! Disputes: a payer's bank takes a charge back, and decides later whose the money is.

use serde_json::{Value, json};

use crate::ids;
use crate::moment::DAY;
use crate::params::Params;
use crate::payments::catalog::get;
use crate::payments::error::ApiError;
use crate::payments::{Reply, events};
use crate::store::{Tx, number, text};
use crate::timers::DISPUTE_OPENS;

/// The test card that is disputed after each payment.
const DISPUTED: &str = "4000000000000259";
/// How long evidence may be handed in.
const EVIDENCE_DAYS: i64 = 9;

/// Whose money a dispute's end makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stays with the merchant.
    Won,
    /// The payer has it back.
    Lost,
}

/// Lets the bank of a card that disputes everything dispute a new charge, as soon as its payment is through.
pub async fn watch(tx: &mut Tx, charge: &Value, method: &Value) -> Result<(), ApiError> {
    if text(method, "_number") == DISPUTED {
        tx.timer_set(text(charge, "id"), DISPUTE_OPENS, tx.now).await?;
    }
    Ok(())
}

/// The dispute of a charge is open, or was lost: nothing is left to give back.
pub async fn is_open_or_lost(tx: &mut Tx, charge: &Value) -> Result<bool, ApiError> {
    let all = tx.find_by("dispute", "charge", text(charge, "id")).await?;
    Ok(all.iter().any(|doc| doc["status"] != "won"))
}

/// The bank takes a charge back.
///
/// # Errors
/// 400 for a boleto, which nobody can dispute, and for a charge that is disputed or was given back already.
pub async fn open(tx: &mut Tx, charge_id: &str) -> Reply {
    let before = get(tx, "charge", charge_id).await?;
    if before["payment_method_details"]["type"] != "card"
        || before["disputed"] == true
        || before["refunded"] == true
    {
        return Err(ApiError::state(None, "This charge cannot be disputed."));
    }
    let amount = number(&before, "amount") - number(&before, "amount_refunded");
    let brand = before["payment_method_details"]["card"]["brand"].clone();
    let doc = json!({
        "id": ids::new("du"), "object": "dispute", "amount": amount, "balance_transactions": [],
        "charge": before["id"], "created": tx.now.seconds(), "currency": before["currency"],
        "enhanced_eligibility_types": [], "evidence": {},
        "evidence_details": {"due_by": tx.now.plus(EVIDENCE_DAYS * DAY).seconds(), "enhanced_eligibility": {},
            "has_evidence": false, "past_due": false, "submission_count": 0},
        "is_charge_refundable": false, "livemode": false, "metadata": {},
        "payment_intent": before["payment_intent"],
        "payment_method_details": {"card": {"brand": brand, "case_type": "chargeback",
            "network_reason_code": "10.4"}, "type": "card"},
        "reason": "fraudulent", "status": "needs_response",
    });
    tx.insert(&doc).await?;
    let mut after = before;
    after["disputed"] = json!(true);
    tx.update(&after).await?;
    events::emit(tx, "charge.dispute.created", &doc, None).await?;
    events::emit(tx, "charge.dispute.funds_withdrawn", &doc, None).await?;
    Ok(doc)
}

/// The bank decides.
///
/// # Errors
/// 404 for an unknown dispute, 400 for one that is decided.
pub async fn decide(tx: &mut Tx, id: &str, verdict: Verdict) -> Reply {
    let before = get(tx, "dispute", id).await?;
    if matches!(text(&before, "status"), "won" | "lost") {
        return Err(ApiError::state(None, "This dispute is already closed."));
    }
    let mut doc = before.clone();
    doc["status"] = json!(if verdict == Verdict::Won { "won" } else { "lost" });
    tx.update(&doc).await?;
    events::emit(tx, "charge.dispute.updated", &doc, Some(events::changed(&before, &doc))).await?;
    if verdict == Verdict::Won {
        events::emit(tx, "charge.dispute.funds_reinstated", &doc, None).await?;
    }
    events::emit(tx, "charge.dispute.closed", &doc, None).await?;
    Ok(doc)
}

/// `POST /v1/disputes/{id}`: evidence. As at the provider, two texts decide at once when they are submitted.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["evidence", "submit", "metadata"])?;
    let before = get(tx, "dispute", id).await?;
    let mut doc = before.clone();
    doc["metadata"] = params.metadata("metadata", Some(&before["metadata"]));
    let said = params.text("evidence.uncategorized_text").unwrap_or_default().to_owned();
    if !said.is_empty() {
        doc["evidence"]["uncategorized_text"] = json!(said);
        doc["evidence_details"]["has_evidence"] = json!(true);
    }
    // Evidence is submitted unless the caller says that it is not.
    let submits = params.at("evidence").is_some() && params.boolean("submit")?.unwrap_or(true);
    if submits {
        doc["status"] = json!("under_review");
        doc["evidence_details"]["submission_count"] = json!(1);
    }
    tx.update(&doc).await?;
    match said.as_str() {
        "winning_evidence" if submits => decide(tx, id, Verdict::Won).await,
        "losing_evidence" if submits => decide(tx, id, Verdict::Lost).await,
        _ => {
            events::emit(tx, "charge.dispute.updated", &doc, Some(events::changed(&before, &doc))).await?;
            Ok(doc)
        }
    }
}
