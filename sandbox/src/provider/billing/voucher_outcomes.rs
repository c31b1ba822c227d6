//! Boletos as they are paid, days later or never.

use crate::objects::{
    BillingReason, CheckoutSession, Invoice, InvoiceStatus, MethodKind, PaymentIntent, PaymentIntentStatus,
    PaymentMethod, PaymentStatus, Subscription, SubscriptionStatus,
};
use crate::provider::billing::voiding::Intents;
use crate::provider::billing::{collection, invoices, subscriptions, voiding};
use crate::provider::money::{confirmation, intents};
use crate::provider::{ApiError, clock_time, events, load};
use crate::state::behavior::BoletoConfirmation;
use crate::state::{DAY, Timer, Tx};

/// How long after a renewal's voucher expired the next one is issued.
const NEXT_VOUCHER: i64 = 3 * DAY;
/// Number of unpaid vouchers after which the subscription ends.
const MAX_VOUCHERS: i64 = 3;

/// Pays a voucher at a bank. Paying a paid one changes nothing.
///
/// # Errors
/// 400 when it expired, was canceled, or the invoice was paid by a card instead.
pub async fn pay(tx: &mut Tx, intent: PaymentIntent) -> Result<(), ApiError> {
    clock_time::enter_clock_of(tx, intent.customer.as_deref()).await?;
    let method = tx.load::<PaymentMethod>(intent.payment_method.as_deref().unwrap_or_default()).await?;
    let is_boleto = method.is_some_and(|method| method.kind == MethodKind::Boleto);
    match intent.status {
        PaymentIntentStatus::Succeeded if is_boleto => return Ok(()),
        PaymentIntentStatus::RequiresAction if is_boleto => {}
        _ => return Err(ApiError::state(Some("boleto_not_payable"), "Este boleto venceu ou foi cancelado.")),
    }
    if confirmation::postpone(tx, &intent.id).await? {
        return Ok(());
    }
    confirm(tx, intent).await
}

/// The bank confirms the payment, possibly after the due date or the end of the subscription.
pub async fn confirm_by_time(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    match tx.load::<PaymentIntent>(id).await? {
        Some(intent) => confirm(tx, intent).await,
        None => Ok(()),
    }
}

/// Records the money of a voucher. It pays the invoice only if that is still open.
async fn confirm(tx: &mut Tx, mut intent: PaymentIntent) -> Result<(), ApiError> {
    clock_time::enter_clock_of(tx, intent.customer.as_deref()).await?;
    // An expiry that was reported first has removed the method.
    let failed = intent.last_payment_error.as_ref().and_then(|error| error["payment_method"]["id"].as_str());
    let method = intent.payment_method.as_deref().or(failed).unwrap_or_default();
    let method: PaymentMethod = load(tx, method).await?;
    match open_invoice(tx, &intent).await? {
        Some(mut invoice) => collection::pay(tx, &mut intent, &mut invoice, &method).await?,
        None => intents::succeed(tx, &mut intent, &method).await?,
    }
    if let Some(mut session) = session_of(tx, &intent).await? {
        session.payment_status = PaymentStatus::Paid;
        events::replace(tx, "checkout.session.async_payment_succeeded", &session).await?;
    }
    Ok(())
}

async fn open_invoice(tx: &mut Tx, intent: &PaymentIntent) -> Result<Option<Invoice>, ApiError> {
    let invoice: Option<Invoice> = tx.load(intent.private.invoice.as_deref().unwrap_or_default()).await?;
    Ok(invoice.filter(|invoice| invoice.status == InvoiceStatus::Open))
}

async fn session_of(tx: &mut Tx, intent: &PaymentIntent) -> Result<Option<CheckoutSession>, ApiError> {
    Ok(tx.load(intent.private.session.as_deref().unwrap_or_default()).await?)
}

async fn waiting_intent(tx: &mut Tx, id: &str) -> Result<Option<PaymentIntent>, ApiError> {
    let intent = tx.load::<PaymentIntent>(id).await?;
    Ok(intent.filter(|intent| intent.status == PaymentIntentStatus::RequiresAction))
}

/// Pays the voucher of a test address, unless it was canceled.
pub async fn pay_by_itself(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    match waiting_intent(tx, id).await? {
        Some(intent) => pay(tx, intent).await,
        None => Ok(()),
    }
}

/// The due date of a voucher has passed.
pub async fn expire(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let Some(mut intent) = waiting_intent(tx, id).await? else { return Ok(()) };
    clock_time::enter_clock_of(tx, intent.customer.as_deref()).await?;
    let confirmed_at = confirmation::awaited_at(tx, id).await?;
    if confirmed_at.is_some() && tx.behavior.boleto_confirmation == BoletoConfirmation::NextBusinessDay {
        return Ok(());
    }
    let why =
        ApiError::declined("payment_intent_payment_attempt_expired", None, "O boleto venceu sem pagamento.");
    intents::fail(tx, &mut intent, &why).await?;
    if let Some(confirmed_at) = confirmed_at {
        tx.set_timer(id, Timer::VoucherConfirmed, confirmed_at).await?;
    }
    match open_invoice(tx, &intent).await? {
        None => Ok(()),
        Some(invoice) if invoice.billing_reason == BillingReason::SubscriptionCreate => {
            expire_first(tx, &intent, invoice, confirmed_at.is_some()).await
        }
        Some(invoice) => expire_later(tx, &intent, invoice).await,
    }
}

/// The voucher of a first invoice expired.
async fn expire_first(
    tx: &mut Tx,
    intent: &PaymentIntent,
    mut invoice: Invoice,
    is_paid: bool,
) -> Result<(), ApiError> {
    invoices::mark_attempted(tx, &mut invoice, None, true).await?;
    if let Some(session) = session_of(tx, intent).await? {
        // The session itself does not change: complete and unpaid.
        events::emit(tx, "checkout.session.async_payment_failed", &session).await?;
    }
    // A voucher that was paid on its last day reports its expiry, and its payment is confirmed
    // later.
    if !is_paid {
        // Voiding the first invoice is what makes an incomplete subscription expire.
        voiding::void(tx, &invoice.id, Intents::Canceled).await?;
    }
    Ok(())
}

/// The voucher of a renewal or a plan change expired.
async fn expire_later(tx: &mut Tx, intent: &PaymentIntent, mut invoice: Invoice) -> Result<(), ApiError> {
    let subscription: Option<Subscription> =
        tx.load(intent.private.subscription.as_deref().unwrap_or_default()).await?;
    let subscription = subscription.filter(|subscription| !subscription.is_over());
    let again = invoice.attempt_count + 1 < MAX_VOUCHERS && subscription.is_some();
    // A cancellation has stopped the collection: no further voucher is issued.
    let next = (again && invoice.auto_advance).then_some(tx.now.plus(NEXT_VOUCHER));
    invoices::mark_attempted(tx, &mut invoice, next, true).await?;
    match subscription {
        None => Ok(()),
        Some(subscription) if again => {
            subscriptions::set_status(tx, &subscription.id, SubscriptionStatus::PastDue).await
        }
        Some(subscription) => collection::give_up(tx, subscription).await,
    }
}

/// 23 hours after its creation an unpaid subscription ends. Its invoice is void, its voucher stays
/// payable.
pub async fn end_incomplete(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let Some(subscription) = tx.load::<Subscription>(id).await? else { return Ok(()) };
    if subscription.status != SubscriptionStatus::Incomplete {
        return Ok(());
    }
    let invoice = subscription.latest_invoice.unwrap_or_default();
    voiding::void(tx, &invoice, Intents::Kept).await.map(drop)
}
