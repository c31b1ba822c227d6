//! Refunds: cards alone; a boleto is paid back outside. Most succeed at once; those of two test cards are decided later,
//! for better and for worse.

use crate::objects::charge::{Charge, ChargeStatus};
use crate::objects::refund::{DestinationCard, DestinationDetails, Refund, RefundStatus};
use crate::objects::to_document;
use crate::provider::catalog::{get, get_param};
use crate::provider::error::ApiError;
use crate::provider::money::disputes;
use crate::provider::params::Params;
use crate::provider::{Reply, events};
use crate::state::ids;
use crate::state::moment::SECOND;
use crate::state::store::{Tx, text};
use crate::state::timers::REFUND_SETTLES;

/// The test card whose refunds begin as pending and succeed later.
const PENDS: &str = "4000000000007726";
/// The test card whose refunds succeed and fail later.
const FAILS: &str = "4000000000005126";
/// When the bank decides.
const DECIDED_AFTER: i64 = 60 * SECOND;

/// `POST /v1/refunds`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["payment_intent", "charge", "amount", "reason", "metadata", "instructions_email"])?;
    let mut charge = match (params.text("payment_intent"), params.text("charge")) {
        (Some(id), None) => {
            get_param(tx, "payment_intent", id, "payment_intent").await?;
            let charges: Vec<Charge> = tx.load_by("payment_intent", id).await?;
            charges.into_iter().find(|charge| charge.paid).ok_or_else(|| {
                let message =
                    format!("This PaymentIntent ({id}) does not have a successful charge to refund.");
                ApiError::state(None, message)
            })?
        }
        (None, Some(id)) => {
            tx.load::<Charge>(id).await?.ok_or_else(|| ApiError::not_found("charge", id, "charge"))?
        }
        _ => return Err(ApiError::missing("payment_intent")),
    };
    if charge.status == ChargeStatus::Failed {
        return Err(ApiError::state(None, format!("Charge {} did not succeed.", charge.id)));
    }
    if charge.payment_method_details.kind == "boleto" {
        return Err(ApiError::invalid(Some("charge"), None, "Charges made with boleto cannot be refunded."));
    }
    if disputes::is_open_or_lost(tx, &charge.id).await? {
        let message = format!("Charge {} has been charged back; cannot issue a refund.", charge.id);
        return Err(ApiError::state(Some("charge_disputed"), message));
    }
    let left = charge.amount - charge.amount_refunded;
    if left == 0 {
        let message = format!("Charge {} has already been refunded.", charge.id);
        return Err(ApiError::state(Some("charge_already_refunded"), message));
    }
    let method = tx.find(charge.payment_method.as_deref().unwrap_or_default()).await?.unwrap_or_default();
    let card = text(&method, "_number").to_owned();
    let amount = params.integer("amount")?.unwrap_or(left);
    if !(1..=left).contains(&amount) {
        let message = format!("Refund amount is greater than unrefunded amount on charge ({left}).");
        return Err(ApiError::invalid(Some("amount"), None, message));
    }
    let refund = Refund {
        id: ids::new("re"),
        object: "refund".into(),
        amount,
        balance_transaction: None,
        charge: charge.id.clone(),
        created: tx.now.seconds(),
        currency: charge.currency.clone(),
        customer: charge.customer.clone(),
        destination_details: DestinationDetails {
            card: DestinationCard { reference_status: "pending".into(), kind: "pending".into() },
            kind: "card".into(),
        },
        failure_reason: None,
        metadata: serde_json::from_value(params.metadata("metadata", None))?,
        payment_intent: charge.payment_intent.clone(),
        payment_method: charge.payment_method.clone(),
        reason: params.text("reason").map(str::to_owned),
        receipt_number: None,
        source_transfer_reversal: None,
        status: if card == PENDS { RefundStatus::Pending } else { RefundStatus::Succeeded },
        transfer_reversal: None,
    };
    let document = tx.create(&refund).await?;
    if card == PENDS || card == FAILS {
        tx.timer_set(&refund.id, REFUND_SETTLES, tx.now.plus(DECIDED_AFTER)).await?;
    }
    let before = to_document(&charge)?;
    charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded == charge.amount;
    let after = tx.replace(&charge).await?;
    events::emit(tx, "charge.refunded", &after, Some(events::changed(&before, &after))).await?;
    events::emit(tx, "refund.created", &document, None).await?;
    Ok(document)
}

/// The bank decides on a refund: a pending one succeeds, another one fails and no longer counts.
pub async fn settles(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let Some(mut refund) = tx.load::<Refund>(id).await? else { return Ok(()) };
    let before = to_document(&refund)?;
    let fails = refund.status != RefundStatus::Pending;
    refund.status = if fails { RefundStatus::Failed } else { RefundStatus::Succeeded };
    if fails {
        refund.failure_reason = Some("lost_or_stolen_card".into());
        if let Some(mut charge) = tx.load::<Charge>(&refund.charge).await? {
            let before = to_document(&charge)?;
            charge.amount_refunded -= refund.amount;
            charge.refunded = false;
            let after = tx.replace(&charge).await?;
            events::emit(tx, "charge.updated", &after, Some(events::changed(&before, &after))).await?;
        }
    }
    let document = tx.replace(&refund).await?;
    events::emit(tx, "refund.updated", &document, Some(events::changed(&before, &document))).await?;
    if fails {
        events::emit(tx, "refund.failed", &document, None).await?;
    }
    Ok(())
}

/// `POST /v1/refunds/{id}`: its metadata alone.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["metadata"])?;
    let before = get(tx, "refund", id).await?;
    let mut doc = before.clone();
    doc["metadata"] = params.metadata("metadata", Some(&before["metadata"]));
    tx.update(&doc).await?;
    events::emit(tx, "refund.updated", &doc, Some(events::changed(&before, &doc))).await?;
    Ok(doc)
}
