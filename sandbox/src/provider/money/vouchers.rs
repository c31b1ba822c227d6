//! Boletos as they are issued.

use time::Duration;
use time::macros::time;

use crate::objects::{
    BoletoDisplayDetails, CheckoutSession, NextAction, PaymentIntent, PaymentIntentStatus, PaymentMethod,
    Subscription, SubscriptionStatus, Voucher,
};
use crate::provider::money::boleto;
use crate::provider::{ApiError, events};
use crate::state::behavior::BoletoIncomplete;
use crate::state::{Moment, SECOND, Timer, Tx, ids};

/// When the boleto of `expire_with_delay@` expires.
const DELAY: i64 = 180 * SECOND;
/// How long a first subscription may be unpaid.
const INCOMPLETE_FOR: i64 = 23 * 3_600 * SECOND;

/// Issues a voucher for the PaymentIntent of an open invoice, due at 23:59 São Paulo so many days
/// ahead.
pub async fn issue(
    tx: &mut Tx,
    mut intent: PaymentIntent,
    method: &PaymentMethod,
    subscription: &Subscription,
    session: Option<&str>,
) -> Result<PaymentIntent, ApiError> {
    // The boleto of a test address pays or expires by itself.
    let email = method.billing_details.email.as_deref().unwrap_or_default();
    let is_of = |name: &str| email.split('@').next().is_some_and(|address| address.ends_with(name));
    let is_due_now = is_of("expire_immediately");
    let days = if is_due_now { 0 } else { subscription.private.boleto_days.clamp(0, 60) };
    let due_day = tx.now.in_sao_paulo().date() + Duration::days(days);
    let end_of_day = Moment::of_sao_paulo(due_day, time!(23:59:59));
    let due = if is_due_now { tx.now } else { end_of_day };
    let free: String = (0..25).map(|_| char::from(b'0' + rand::random_range(0..10u8))).collect();
    let numbers = boleto::numbers(due_day, intent.amount, &free);
    let token = ids::random(40);
    let page = format!("{}/boleto/{token}", tx.url);
    intent.status = PaymentIntentStatus::RequiresAction;
    intent.payment_method = Some(method.id.clone());
    intent.setup_future_usage = None;
    intent.next_action = Some(NextAction {
        kind: "boleto_display_details".into(),
        boleto_display_details: Some(BoletoDisplayDetails {
            expires_at: due.seconds(),
            pdf: format!("{page}/pdf"),
            hosted_voucher_url: page,
            number: numbers.line.clone(),
        }),
    });
    intent.private.voucher = Some(Voucher {
        token,
        line: numbers.line,
        bar_code: numbers.bar_code,
        due: due.seconds(),
        payer: method.billing_details.clone(),
        return_url: subscription.private.return_url.clone(),
    });
    intent.private.session = session.map(str::to_owned);
    tx.update(&intent).await?;
    let is_incomplete = subscription.status == SubscriptionStatus::Incomplete;
    if is_incomplete && tx.behavior.boleto_incomplete == BoletoIncomplete::After23Hours {
        tx.set_timer(&subscription.id, Timer::IncompleteEnds, tx.now.plus(INCOMPLETE_FOR)).await?;
    }
    let expires = if is_of("expire_with_delay") { tx.now.plus(DELAY) } else { due.plus(SECOND) };
    tx.set_timer(&intent.id, Timer::VoucherExpires, expires).await?;
    if is_of("succeed_immediately") {
        tx.set_timer(&intent.id, Timer::VoucherPaid, tx.now.plus(SECOND)).await?;
    }
    events::emit(tx, "payment_intent.requires_action", &intent).await?;
    Ok(intent)
}

/// The newest voucher of the subscription that a session created.
pub async fn of_session(tx: &mut Tx, session: &CheckoutSession) -> Result<Option<PaymentIntent>, ApiError> {
    let Some(subscription) = &session.subscription else { return Ok(None) };
    let intents: Vec<PaymentIntent> = tx.load_by_private("subscription", subscription).await?;
    Ok(intents.into_iter().find(|intent| intent.private.voucher.is_some()))
}
