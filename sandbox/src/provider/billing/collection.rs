//! Collection of open invoices: attempts, the retry schedule, and its end.

use crate::objects::{
    Charge, Invoice, InvoiceStatus, MethodKind, PaymentIntent, PaymentIntentStatus, PaymentMethod,
    Subscription, SubscriptionStatus,
};
use crate::provider::amounts::BOLETO_BOUNDS;
use crate::provider::billing::{invoice_payments, invoices, pending_updates, subscriptions};
use crate::provider::money::cards::{Challenge, Verdict, first_charge, later_charge};
use crate::provider::money::{cards, intents, vouchers};
use crate::provider::{ApiError, events};
use crate::state::behavior::{
    AuthenticationEvents, AuthenticationStatus, RetryEnd, RetryIntent, RetrySchedule,
};
use crate::state::{DAY, Tx};

/// Days between attempts of a custom schedule.
const CUSTOM_DAYS: [i64; 3] = [3, 5, 7];
/// Days between attempts of Smart Retries: eight retries in two weeks.
const SMART_DAYS: [i64; 8] = [1, 1, 2, 2, 2, 2, 2, 2];
/// Declines after which a retry is counted and not made until there is another payment method.
const HARD_DECLINES: [&str; 8] = [
    "incorrect_number",
    "lost_card",
    "pickup_card",
    "stolen_card",
    "revocation_of_authorization",
    "authentication_required",
    "highest_risk_level",
    "transaction_not_allowed",
];

/// Who makes an attempt.
pub enum Attempt {
    /// The retry schedule.
    Scheduled,
    /// A call or a person. After the first attempt it changes neither count nor schedule.
    Manual {
        /// Method to charge in place of the invoice's.
        method: Option<Box<PaymentMethod>>,
        /// Whether the card's holder is absent.
        off_session: bool,
    },
}

/// Result of an attempt.
pub enum Collected {
    Paid,
    /// A voucher waits for its payer.
    Waiting,
    Declined(ApiError),
}

/// Tries to get an open invoice paid, by a charge or by a new voucher.
pub async fn attempt(tx: &mut Tx, mut invoice: Invoice, by: &Attempt) -> Result<Collected, ApiError> {
    let subscription: Option<Subscription> = tx.load(&invoice.private.subscription).await?;
    let method = match by {
        Attempt::Manual { method: Some(method), .. } => Some((**method).clone()),
        _ => method_of(tx, &invoice, subscription.as_ref()).await?,
    };
    let is_scheduled = matches!(by, Attempt::Scheduled);
    let is_counted = is_scheduled || !invoice.attempted;
    let mut intent = intent_of(tx, &invoice).await?;
    let why = match method {
        None => {
            let message = "This customer has no attached payment source or default payment method.";
            fail(tx, &mut intent, "resource_missing", message).await?
        }
        Some(method) if method.kind == MethodKind::Boleto => {
            if intent.status == PaymentIntentStatus::RequiresAction {
                return Ok(Collected::Waiting);
            }
            if tx.behavior.boleto_without_reissue && is_scheduled && invoice.attempt_count > 0 {
                // The retry is counted, and no voucher is issued.
                count(tx, &mut invoice, subscription, false).await?;
                return Ok(Collected::Waiting);
            }
            match &subscription {
                Some(subscription) if BOLETO_BOUNDS.contains(&invoice.amount_remaining) => {
                    vouchers::issue(tx, intent, &method, subscription, None).await?;
                    return Ok(Collected::Waiting);
                }
                _ => {
                    let message = "Amount must be at least R$5.00 for boleto.";
                    fail(tx, &mut intent, "amount_too_small", message).await?
                }
            }
        }
        Some(method) if is_scheduled && is_pointless(tx, &intent, &method).await? => {
            count(tx, &mut invoice, subscription, false).await?;
            return Ok(Collected::Waiting);
        }
        Some(method) => match verdict(&method, by) {
            Verdict::Declined(why) => {
                intents::decline(tx, &mut intent, &method, &why).await?;
                why
            }
            Verdict::Challenge => {
                let why = hold(tx, &mut intent, &mut invoice, subscription, &method, is_counted).await?;
                return Ok(Collected::Declined(why));
            }
            Verdict::Paid => {
                Box::pin(pay(tx, &mut intent, &mut invoice, &method)).await?;
                return Ok(Collected::Paid);
            }
        },
    };
    if is_counted {
        count(tx, &mut invoice, subscription, true).await?;
    } else {
        events::emit(tx, "invoice.payment_failed", &invoice).await?;
    }
    Ok(Collected::Declined(why))
}

/// Records an attempt without a charge. Returns its error.
async fn fail(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    code: &str,
    message: &str,
) -> Result<ApiError, ApiError> {
    let why = ApiError::declined(code, None, message);
    intents::fail(tx, intent, &why).await?;
    Ok(why)
}

/// The bank's answer. If the holder is present, the bank can ask about a card that passes
/// otherwise.
pub fn verdict(method: &PaymentMethod, by: &Attempt) -> Verdict {
    let number = &method.private.number;
    match (later_charge(number), by) {
        (Verdict::Paid, Attempt::Manual { off_session: false, .. }) => {
            first_charge(number, Challenge::Unasked)
        }
        (alone, _) => alone,
    }
}

/// Records an attempt that needs the authentication by the holder. Returns the error for the
/// caller.
async fn hold(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    invoice: &mut Invoice,
    subscription: Option<Subscription>,
    method: &PaymentMethod,
    is_counted: bool,
) -> Result<ApiError, ApiError> {
    let why = cards::declined("authentication_required", Some("authentication_required"));
    match tx.behavior.authentication_status {
        AuthenticationStatus::RequiresAction => intents::require_authentication(tx, intent, method).await?,
        AuthenticationStatus::RequiresPaymentMethod => intents::decline(tx, intent, method, &why).await?,
    }
    let events = tx.behavior.authentication_events;
    let is_failure_sent = events != AuthenticationEvents::ActionRequired;
    if is_counted {
        count(tx, invoice, subscription, is_failure_sent).await?;
    } else if is_failure_sent {
        events::emit(tx, "invoice.payment_failed", invoice).await?;
    }
    if events != AuthenticationEvents::PaymentFailed {
        events::emit(tx, "invoice.payment_action_required", invoice).await?;
    }
    Ok(why)
}

/// The subscription's method, or the customer's default, if it is still attached.
async fn method_of(
    tx: &mut Tx,
    invoice: &Invoice,
    subscription: Option<&Subscription>,
) -> Result<Option<PaymentMethod>, ApiError> {
    let own = subscription.and_then(|subscription| subscription.default_payment_method.clone());
    let id = if own.is_some() {
        own
    } else {
        let customer = tx.find(&invoice.customer).await?.unwrap_or_default();
        customer["invoice_settings"]["default_payment_method"].as_str().map(str::to_owned)
    };
    let Some(id) = id else { return Ok(None) };
    let method: Option<PaymentMethod> = tx.load(&id).await?;
    Ok(method.filter(|method| method.customer.as_ref() == Some(&invoice.customer)))
}

/// The PaymentIntent to confirm: the default one, or a new one for each retry.
async fn intent_of(tx: &mut Tx, invoice: &Invoice) -> Result<PaymentIntent, ApiError> {
    match invoice_payments::default_intent(tx, &invoice.id).await? {
        Some(intent) if tx.behavior.retry_intent == RetryIntent::Same || intent.is_fresh() => Ok(intent),
        Some(intent) if intent.status == PaymentIntentStatus::RequiresAction => Ok(intent),
        _ => {
            invoice_payments::cancel_open(tx, &invoice.id, "automatic").await?;
            invoice_payments::create_default(tx, invoice, None).await
        }
    }
}

/// Whether a retry would charge the method that was declined for good.
async fn is_pointless(tx: &mut Tx, intent: &PaymentIntent, method: &PaymentMethod) -> Result<bool, ApiError> {
    if intent.status == PaymentIntentStatus::RequiresAction {
        return Ok(intent.payment_method.as_ref() == Some(&method.id));
    }
    let Some(latest) = &intent.latest_charge else { return Ok(false) };
    let Some(charge) = tx.load::<Charge>(latest).await? else { return Ok(false) };
    let is_hard = charge.outcome.reason.is_some_and(|code| HARD_DECLINES.contains(&code.as_str()));
    Ok(is_hard && charge.payment_method.as_ref() == Some(&method.id))
}

/// Records the payment of an invoice by one successful attempt.
pub async fn pay(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    invoice: &mut Invoice,
    method: &PaymentMethod,
) -> Result<(), ApiError> {
    intents::succeed(tx, intent, method).await?;
    invoices::mark_paid(tx, invoice, method.kind == MethodKind::Card).await?;
    invoice_payments::mark_paid(tx, &intent.id).await?;
    pending_updates::apply_paid(tx, invoice).await?;
    subscriptions::follow_latest_invoice(tx, &invoice.private.subscription).await
}

/// Counts a scheduled attempt that did not pay, and schedules the next one or ends the schedule.
async fn count(
    tx: &mut Tx,
    invoice: &mut Invoice,
    subscription: Option<Subscription>,
    is_executed: bool,
) -> Result<(), ApiError> {
    let is_held =
        |found: &Subscription| found.private.held.as_ref().is_some_and(|held| held.invoice == invoice.id);
    if subscription.as_ref().is_some_and(is_held) {
        // The subscription goes on as before, and its pending update ends by time.
        return invoices::mark_attempted(tx, invoice, None, is_executed).await;
    }
    let days: &[i64] = match tx.behavior.retry_schedule {
        RetrySchedule::Custom => &CUSTOM_DAYS,
        RetrySchedule::Smart => &SMART_DAYS,
        RetrySchedule::None => &[],
    };
    let subscription = subscription.filter(|subscription| !subscription.is_over());
    let made = usize::try_from(invoice.attempt_count).unwrap_or_default();
    let wait = days.get(made).filter(|_| subscription.is_some());
    let retry_at = wait.map(|days| tx.now.plus(days * DAY));
    invoices::mark_attempted(tx, invoice, retry_at, is_executed).await?;
    match subscription {
        None => Ok(()),
        Some(subscription) if retry_at.is_some() => {
            subscriptions::set_status(tx, &subscription.id, SubscriptionStatus::PastDue).await
        }
        Some(subscription) => give_up(tx, subscription).await,
    }
}

/// Ends the collection of a subscription's invoice according to the account's setting.
pub async fn give_up(tx: &mut Tx, subscription: Subscription) -> Result<(), ApiError> {
    let status = match tx.behavior.retry_end {
        RetryEnd::Canceled => {
            return subscriptions::cancel_now(tx, subscription, "payment_failed").await.map(drop);
        }
        RetryEnd::Unpaid => SubscriptionStatus::Unpaid,
        RetryEnd::PastDue => SubscriptionStatus::PastDue,
    };
    subscriptions::set_status(tx, &subscription.id, status).await
}

/// Makes a scheduled retry.
pub async fn retry(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let is_collected = |invoice: &Invoice| invoice.status == InvoiceStatus::Open && invoice.auto_advance;
    match tx.load(id).await?.filter(is_collected) {
        Some(invoice) => attempt(tx, invoice, &Attempt::Scheduled).await.map(drop),
        None => Ok(()),
    }
}
