//! States of an invoice: finalized, attempted, paid, and whether it is collected automatically.

use crate::objects::{Invoice, InvoiceStatus, PaymentIntent, Subscription};
use crate::provider::billing::invoice_payments;
use crate::provider::{ApiError, amounts, customers, events, get};
use crate::state::behavior::CollectionScope;
use crate::state::{Moment, SECOND, Timer, Tx, number};

/// After this time a draft is finalized, and an invoice is attempted whose collection was resumed.
pub const COLLECTION_DELAY: i64 = 3_600 * SECOND;

/// Closes a draft: settles the customer's balance with it, and opens it for payment. Creates its
/// default payment and returns its PaymentIntent, unless nothing is due. `attempted` is the
/// PaymentIntent of attempts that were declined in a checkout session.
pub async fn finalize(
    tx: &mut Tx,
    invoice: &mut Invoice,
    attempted: Option<PaymentIntent>,
) -> Result<Option<PaymentIntent>, ApiError> {
    let now = tx.now.seconds();
    let customer = get(tx, "customer", &invoice.customer).await?;
    let starting = number(&customer, "balance");
    let (due, ending) = amounts::settle(invoice.total, starting);
    invoice.starting_balance = starting;
    invoice.ending_balance = Some(ending);
    invoice.amount_due = due;
    invoice.amount_remaining = due;
    invoice.status = InvoiceStatus::Open;
    invoice.effective_at = Some(now);
    invoice.status_transitions.finalized_at = Some(now);
    let page = format!("{}/invoices/{}", tx.url, invoice.private.page);
    invoice.invoice_pdf = Some(format!("{page}/pdf"));
    invoice.hosted_invoice_url = Some(page);
    events::replace(tx, "invoice.finalized", invoice).await?;
    customers::set_balance(tx, customer, ending).await?;
    if due == 0 {
        return Ok(None);
    }
    invoice_payments::create_default(tx, invoice, attempted).await.map(Some)
}

/// Records that an invoice is paid. `attempted` is true if an attempt paid it.
pub async fn mark_paid(tx: &mut Tx, invoice: &mut Invoice, attempted: bool) -> Result<(), ApiError> {
    set_paid(tx, invoice, attempted).await?;
    Ok(events::emit(tx, "invoice.payment_succeeded", invoice).await?)
}

/// Records that an invoice was paid outside of the provider, where no payment succeeded.
pub async fn mark_paid_out_of_band(tx: &mut Tx, invoice: &mut Invoice) -> Result<(), ApiError> {
    invoice.rest.insert("amount_paid_off_stripe".into(), invoice.amount_due.into());
    set_paid(tx, invoice, false).await
}

async fn set_paid(tx: &mut Tx, invoice: &mut Invoice, attempted: bool) -> Result<(), ApiError> {
    invoice.status = InvoiceStatus::Paid;
    invoice.auto_advance = false;
    invoice.amount_paid = invoice.amount_due;
    invoice.amount_remaining = 0;
    invoice.attempted = true;
    invoice.next_payment_attempt = None;
    invoice.attempt_count += i64::from(attempted);
    invoice.status_transitions.paid_at = Some(tx.now.seconds());
    tx.update(invoice).await?;
    tx.clear_timers(&invoice.id).await?;
    Ok(events::emit(tx, "invoice.paid", invoice).await?)
}

/// Counts an attempt that did not pay. `retry_at` is the time of the next one. An attempt that was
/// scheduled and not executed sends no `invoice.payment_failed`.
pub async fn mark_attempted(
    tx: &mut Tx,
    invoice: &mut Invoice,
    retry_at: Option<Moment>,
    is_executed: bool,
) -> Result<(), ApiError> {
    let before = invoice.clone();
    invoice.attempted = true;
    invoice.attempt_count += 1;
    invoice.next_payment_attempt = retry_at.map(Moment::seconds);
    match retry_at {
        Some(at) => tx.set_timer(&invoice.id, Timer::InvoiceRetries, at).await?,
        None => tx.clear_timers(&invoice.id).await?,
    }
    events::update(tx, "invoice.updated", &before, invoice).await?;
    if is_executed {
        events::emit(tx, "invoice.payment_failed", invoice).await?;
    }
    Ok(())
}

/// Stops the collection that the cancellation of a subscription ends.
pub async fn stop_after_cancellation(tx: &mut Tx, subscription: &Subscription) -> Result<(), ApiError> {
    for invoice in tx.load_by::<Invoice>("customer", &subscription.customer).await? {
        let is_own = invoice.private.subscription == subscription.id;
        let is_stopped = match invoice.status {
            InvoiceStatus::Open => is_own || tx.behavior.cancellation_stops == CollectionScope::Customer,
            InvoiceStatus::Draft => is_own,
            _ => false,
        };
        if is_stopped {
            set_auto_advance(tx, invoice, false).await?;
        }
    }
    Ok(())
}

/// Sets `auto_advance` of a draft or an open invoice: stops its finalization and retries, or
/// resumes them.
pub async fn set_auto_advance(tx: &mut Tx, before: Invoice, is_on: bool) -> Result<Invoice, ApiError> {
    if before.auto_advance == is_on {
        return Ok(before);
    }
    let mut after = before.clone();
    after.auto_advance = is_on;
    let at = tx.now.plus(COLLECTION_DELAY);
    if !is_on {
        after.next_payment_attempt = None;
        tx.clear_timers(&after.id).await?;
    } else if before.status == InvoiceStatus::Draft {
        tx.set_timer(&after.id, Timer::InvoiceCloses, at).await?;
    } else {
        after.next_payment_attempt = Some(at.seconds());
        tx.set_timer(&after.id, Timer::InvoiceRetries, at).await?;
    }
    events::update(tx, "invoice.updated", &before, &after).await?;
    Ok(after)
}
