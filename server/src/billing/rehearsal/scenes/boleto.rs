//! Boletos: of a first payment while its subscription is incomplete, and of a renewal.

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{DAY, HOUR, PAYS, Result, SceneError, Tools, accepted, expected};
use crate::providers::stripe::rehearsal::RehearsalSubscription;
use crate::providers::stripe::{BoletoDetails, PaymentIntent, Subscription};
use garimpo_domain::CustomerId;
use garimpo_domain::provider_status::{InvoiceStatus, PaymentIntentStatus, SubscriptionStatus};

/// Days after the first boleto's expiry in which another one may follow.
const REISSUE_DAYS: i64 = 14;
/// Less than the three days for which a boleto can be paid, so that each one is seen.
const LOOK_DAYS: i64 = 2;

/// The open boleto of a first payment, a day after the purchase.
pub struct FirstBoleto {
    /// Hours left to pay it.
    hours_left: i64,
    subscription_status: SubscriptionStatus,
    intent_status: PaymentIntentStatus,
}

/// The boletos of an unpaid renewal.
pub struct RenewalBoletos {
    /// Whether another boleto follows the first one.
    pub is_reissued: bool,
}

/// An open boleto, with its last instant.
struct OpenBoleto {
    intent: PaymentIntent,
    boleto: BoletoDetails,
    expires_at: i64,
}

/// The open boleto of a subscription's newest invoice.
async fn boleto_of(tools: &Tools, subscription: &Subscription) -> Result<Option<OpenBoleto>> {
    let invoice = tools.newest_invoice(subscription).await?;
    for payment in tools.stripe.invoice_payments(&invoice.id).await? {
        let Some(id) = payment.intent() else { continue };
        let intent = tools.stripe.get_payment_intent(id).await?;
        if let Some(boleto) = intent.boleto().cloned() {
            let expires_at = expected(boleto.expires_at, "the voucher names no last day")?;
            return Ok(Some(OpenBoleto { intent, boleto, expires_at }));
        }
    }
    Ok(None)
}

/// The boleto of a subscription. If the provider waits for a confirmation, the invoice is
/// confirmed.
async fn issue_boleto(tools: &Tools, subscription: &Subscription, method: &str) -> Result<OpenBoleto> {
    if let Some(found) = boleto_of(tools, subscription).await? {
        return Ok(found);
    }
    let invoice = tools.newest_invoice(subscription).await?;
    if invoice.is(InvoiceStatus::Open) {
        // A refusal is expected: an open boleto is not a payment yet.
        accepted(tools.stripe.pay_invoice_now(&invoice.id, method, &tools.key()).await, &[400, 402])?.ok();
    }
    expected(boleto_of(tools, subscription).await?, "the provider issues no voucher under a test clock")
}

/// Attaches a boleto method to a customer and returns its id.
async fn boleto_method(tools: &Tools, customer: &CustomerId, email: &str) -> Result<String> {
    let method = tools.stripe.create_boleto_method(email, &tools.key()).await?;
    Ok(tools.stripe.attach_method(&method, customer, &tools.key()).await?)
}

impl FirstBoleto {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let email = "ensaio.boleto.fill_never@example.com";
        let mut clock = tools.clock().await?;
        let customer = clock.customer(email).await?;
        let method = boleto_method(tools, &customer.id, email).await?;
        let price = &tools.prices().await?.monthly.id;
        let order = RehearsalSubscription { method_type: "boleto", ..tools.order(&customer, price, &method) };
        let started = tools.subscribe_as(&order).await?;
        let issued = issue_boleto(tools, &started, &method).await?;
        let later = clock.now + DAY;
        let hours_left = (issued.expires_at - later) / HOUR;
        if hours_left <= 0 {
            return Err(SceneError::Unexpected("the voucher's last day is today".into()));
        }
        clock.advance_to(later).await?;
        Ok(Self {
            hours_left,
            subscription_status: tools.status(&started).await?,
            intent_status: tools.stripe.get_payment_intent(&issued.intent.id).await?.status,
        })
    }

    pub fn leaves_the_subscription_incomplete(&self) -> Outcome {
        let Self { hours_left, subscription_status, intent_status } = self;
        let seen = format!(
            "a day after the purchase, with {hours_left} hours left to pay the voucher, the subscription is \
         {subscription_status} and the payment intent {intent_status}"
        );
        let is_waiting = *subscription_status == SubscriptionStatus::Incomplete
            && *intent_status == PaymentIntentStatus::RequiresAction;
        Outcome::of(is_waiting, seen)
    }
}

impl RenewalBoletos {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let email = "ensaio.renovacao.fill_never@example.com";
        let mut clock = tools.clock().await?;
        let started = clock.subscriber(email, PAYS).await?;
        let method = boleto_method(tools, &started.customer.id, email).await?;
        let started = started.subscription;
        tools.stripe.set_subscription_card(&started.id, &method).await?;
        clock.advance_to_renewal(&started).await?;
        let first = issue_boleto(tools, &started, &method).await?;
        clock.advance_to(first.expires_at + HOUR).await?;
        let mut is_reissued = false;
        for _ in 0..REISSUE_DAYS / LOOK_DAYS {
            clock.advance_to(clock.now + LOOK_DAYS * DAY).await?;
            // The number distinguishes boletos, even of one payment intent.
            let next = boleto_of(tools, &started).await?;
            is_reissued = next.is_some_and(|next| next.boleto.number != first.boleto.number);
            if is_reissued {
                break;
            }
        }
        Ok(Self { is_reissued })
    }

    /// The retry of a failed payment issues the next boleto.
    pub fn check_reissue(&self, has_retries: bool) -> Outcome {
        if !self.is_reissued && !has_retries {
            return Outcome::nothing_to_see("the account makes no retry");
        }
        let seen = format!("no other voucher within {REISSUE_DAYS} days after the first one ended");
        Outcome::of(self.is_reissued, seen)
    }
}
