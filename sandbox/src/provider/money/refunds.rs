//! Refunds of cards; a boleto is paid back outside of the provider. Most succeed at once. The
//! refunds of two test cards are decided later.

use crate::objects::{
    Charge, ChargeStatus, Metadata, MethodKind, PaymentIntent, PaymentMethod, Refund, RefundStatus, template,
};
use crate::provider::money::disputes;
use crate::provider::{ApiError, Params, Reply, events, load_param};
use crate::state::{Document, SECOND, Timer, Tx, ids};
use serde_json::json;

/// The test card whose refunds begin as pending and succeed later.
const PENDS: &str = "4000000000007726";
/// The test card whose refunds succeed and fail later.
const FAILS: &str = "4000000000005126";
/// When the bank decides.
const DECIDED_AFTER: i64 = 60 * SECOND;

/// `POST /v1/refunds`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    let charge = charge_of(tx, params).await?;
    let left = refundable(tx, &charge).await?;
    let amount = params.integer("amount")?.unwrap_or(left);
    let message = format!("Refund amount is greater than unrefunded amount on charge ({left}).");
    ensure!((1..=left).contains(&amount), ApiError::param("amount", message));
    let method = tx.load::<PaymentMethod>(charge.payment_method.as_deref().unwrap_or_default()).await?;
    let card = method.map(|method| method.private.number).unwrap_or_default();
    let given = json!({
        "created": tx.now.seconds(), "currency": charge.currency, "customer": charge.customer,
        "payment_intent": charge.payment_intent, "payment_method": charge.payment_method,
        "reason": params.text("reason"),
    });
    let refund = Refund {
        id: ids::new("re"),
        amount,
        charge: charge.id.clone(),
        metadata: params.metadata(&Metadata::new()),
        status: if card == PENDS { RefundStatus::Pending } else { RefundStatus::Succeeded },
        ..template("refund", given)
    };
    tx.insert(&refund).await?;
    if card == PENDS || card == FAILS {
        tx.set_timer(&refund.id, Timer::RefundSettles, tx.now.plus(DECIDED_AFTER)).await?;
    }
    let mut after = charge.clone();
    after.amount_refunded += amount;
    after.refunded = after.amount_refunded == after.amount;
    events::update(tx, "charge.refunded", &charge, &after).await?;
    events::emit(tx, "refund.created", &refund).await?;
    Ok(refund.document())
}

/// The charge that the call names, or the successful one of the PaymentIntent that it names.
async fn charge_of(tx: &mut Tx, params: &Params) -> Result<Charge, ApiError> {
    match (params.text("payment_intent"), params.text("charge")) {
        (Some(id), None) => {
            load_param::<PaymentIntent>(tx, id, "payment_intent").await?;
            let charges: Vec<Charge> = tx.load_by("payment_intent", id).await?;
            charges.into_iter().find(|charge| charge.paid).ok_or_else(|| {
                let message =
                    format!("This PaymentIntent ({id}) does not have a successful charge to refund.");
                ApiError::state(None, message)
            })
        }
        (None, Some(id)) => load_param(tx, id, "charge").await,
        _ => Err(ApiError::missing("payment_intent")),
    }
}

/// The amount of a charge that can be refunded.
async fn refundable(tx: &mut Tx, charge: &Charge) -> Result<i64, ApiError> {
    let message = format!("Charge {} did not succeed.", charge.id);
    ensure!(charge.status != ChargeStatus::Failed, ApiError::state(None, message));
    let message = "Charges made with boleto cannot be refunded.";
    ensure!(charge.payment_method_details.kind != MethodKind::Boleto, ApiError::param("charge", message));
    let is_held = disputes::is_open_or_lost(tx, &charge.id).await?;
    let message = format!("Charge {} has been charged back; cannot issue a refund.", charge.id);
    ensure!(!is_held, ApiError::state(Some("charge_disputed"), message));
    let left = charge.amount - charge.amount_refunded;
    let message = format!("Charge {} has already been refunded.", charge.id);
    ensure!(left != 0, ApiError::state(Some("charge_already_refunded"), message));
    Ok(left)
}

/// The bank decides on a refund: a pending one succeeds, another one fails and no longer counts.
pub async fn settle(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let Some(before) = tx.load::<Refund>(id).await? else { return Ok(()) };
    let mut refund = before.clone();
    let fails = refund.status != RefundStatus::Pending;
    refund.status = if fails { RefundStatus::Failed } else { RefundStatus::Succeeded };
    if fails {
        refund.failure_reason = Some("lost_or_stolen_card".into());
        if let Some(charge) = tx.load::<Charge>(&refund.charge).await? {
            let mut after = charge.clone();
            after.amount_refunded -= refund.amount;
            after.refunded = false;
            events::update(tx, "charge.updated", &charge, &after).await?;
        }
    }
    events::update(tx, "refund.updated", &before, &refund).await?;
    if fails {
        events::emit(tx, "refund.failed", &refund).await?;
    }
    Ok(())
}
