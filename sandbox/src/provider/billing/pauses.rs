//! Paused collection: `pause_collection` of `POST /v1/subscriptions/{id}`.
//!
//! A paused subscription keeps its status and its periods. The invoices of new periods are made and
//! not collected. Earlier invoices are still retried.

use crate::objects::{Invoice, InvoiceStatus, PauseBehavior, PauseCollection, Subscription};
use crate::provider::billing::voiding::Intents;
use crate::provider::billing::{invoices, subscriptions, voiding};
use crate::provider::{ApiError, Params, events};
use crate::state::{Moment, Timer, Tx};

/// Sets or clears the pause that a call asks for.
///
/// # Errors
/// 400 naming the parameter.
pub async fn change(tx: &mut Tx, subscription: &mut Subscription, params: &Params) -> Result<(), ApiError> {
    if params.is_cleared("pause_collection") {
        subscription.pause_collection = None;
        return Ok(());
    }
    if !params.has("pause_collection") {
        return Ok(());
    }
    let name = params.required("pause_collection.behavior")?;
    let message = "Invalid behavior: must be one of keep_as_draft, mark_uncollectible, or void";
    let behavior: PauseBehavior = serde_json::from_value(name.into())
        .map_err(|_| ApiError::param("pause_collection[behavior]", message))?;
    let resumes_at = params.integer("pause_collection.resumes_at")?;
    if let Some(at) = resumes_at {
        let message = "resumes_at must be in the future.";
        let is_future = at > tx.now.seconds();
        ensure!(is_future, ApiError::param("pause_collection[resumes_at]", message));
        tx.set_timer(&subscription.id, Timer::CollectionResumes, Moment::from_seconds(at)).await?;
    }
    subscription.pause_collection = Some(PauseCollection { behavior, resumes_at });
    Ok(())
}

/// Ends a pause whose `resumes_at` has come and was not changed.
pub async fn resume_by_time(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let now = tx.now.seconds();
    let is_due = |found: &Subscription| {
        let resumes_at = found.pause_collection.as_ref().and_then(|pause| pause.resumes_at);
        !found.is_over() && resumes_at.is_some_and(|at| at <= now)
    };
    let Some(before) = tx.load::<Subscription>(id).await?.filter(is_due) else { return Ok(()) };
    let after = Subscription { pause_collection: None, ..before.clone() };
    subscriptions::save(tx, &before, &after).await
}

/// Leaves the draft of a new period uncollected.
pub async fn withhold(tx: &mut Tx, mut invoice: Invoice, behavior: PauseBehavior) -> Result<(), ApiError> {
    if behavior == PauseBehavior::KeepAsDraft {
        invoice.auto_advance = false;
        return Ok(tx.update(&invoice).await?);
    }
    let is_due = invoices::finalize(tx, &mut invoice, None).await?.is_some();
    if behavior == PauseBehavior::Void {
        // The void restores the credit that the invoice used.
        return voiding::void(tx, &invoice.id, Intents::Canceled).await.map(drop);
    }
    if !is_due {
        return invoices::mark_paid(tx, &mut invoice, false).await;
    }
    invoice.status = InvoiceStatus::Uncollectible;
    invoice.auto_advance = false;
    invoice.status_transitions.marked_uncollectible_at = Some(tx.now.seconds());
    Ok(events::replace(tx, "invoice.marked_uncollectible", &invoice).await?)
}
