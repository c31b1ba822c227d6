//! Boletos: the voucher of a first payment while its subscription is incomplete, and the voucher of a renewal.

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::dunning::PAYS;
use crate::billing::rehearsal::stage::{Clock, DAY, HOUR, SceneError, Stage};
use crate::providers::stripe::StripeError;
use crate::providers::stripe::rehearsal::{ObservedIntent, ObservedSubscription, RehearsalSubscription};

/// How long after a voucher's end another one is looked for.
const REISSUE_DAYS: i64 = 14;
/// Less than the three days for which a voucher can be paid, so that none comes and goes between two looks.
const LOOK_DAYS: i64 = 2;

/// Both vouchers.
pub(super) struct BoletoWaits {
    first: Result<FirstVoucher, SceneError>,
    renewal: Result<RenewalVouchers, SceneError>,
}

/// The voucher of a first payment, a day later.
struct FirstVoucher {
    /// Hours that were left to pay it.
    hours_left: i64,
    subscription: String,
    intent: String,
}

/// The vouchers of a renewal that nobody paid.
struct RenewalVouchers {
    count: usize,
}

impl BoletoWaits {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let mut first = stage.clock().await?;
        let mut renewal = stage.clock().await?;
        Ok(Self {
            first: FirstVoucher::play(stage, &mut first).await,
            renewal: RenewalVouchers::play(stage, &mut renewal).await,
        })
    }
}

/// The voucher that waits on the newest invoice of a subscription.
async fn voucher(stage: &Stage, subscription: &str) -> Result<Option<ObservedIntent>, SceneError> {
    let invoice = stage.newest_invoice(subscription).await?;
    for payment in stage.stripe.invoice_payments(&invoice.id).await? {
        if let Some(id) = payment.intent() {
            let intent = stage.stripe.intent_observe(id).await?;
            if intent.boleto().is_some() {
                return Ok(Some(intent));
            }
        }
    }
    Ok(None)
}

/// The voucher of a subscription; where the provider waits for a confirmation, the invoice is confirmed.
async fn demand_voucher(
    stage: &Stage,
    subscription: &ObservedSubscription,
    method: &str,
) -> Result<ObservedIntent, SceneError> {
    if let Some(found) = voucher(stage, &subscription.id).await? {
        return Ok(found);
    }
    let invoice = stage.newest_invoice(&subscription.id).await?;
    if invoice.is("open") {
        match stage.stripe.invoice_pay_now(&invoice.id, method, &stage.key()).await {
            // The payer still has to pay the voucher, which is no payment yet.
            Ok(_) | Err(StripeError::Refused { status: 400 | 402, .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let found = voucher(stage, &subscription.id).await?;
    found.ok_or_else(|| SceneError::Unexpected("the provider issues no voucher under a test clock".into()))
}

fn expires_at(intent: &ObservedIntent) -> Result<i64, SceneError> {
    let expires = intent.boleto().and_then(|voucher| voucher.expires_at);
    expires.ok_or_else(|| SceneError::Unexpected("the voucher names no last day".into()))
}

impl FirstVoucher {
    async fn play(stage: &Stage, clock: &mut Clock<'_>) -> Result<Self, SceneError> {
        let customer = clock.customer("ensaio.boleto.fill_never@example.com").await?;
        let method = stage.stripe.boleto_attach(&customer, [&stage.key(), &stage.key()]).await?;
        let price = &stage.prices().await?.monthly.id;
        let order = RehearsalSubscription { method_type: "boleto", ..stage.order(&customer, price, &method) };
        let started = stage.subscribe_as(&order).await?;
        let issued = demand_voucher(stage, &started, &method).await?;
        let later = clock.now() + DAY;
        let hours_left = (expires_at(&issued)? - later) / HOUR;
        if hours_left <= 0 {
            return Err(SceneError::Unexpected("the voucher's last day is today".into()));
        }
        clock.advance_to(later).await?;
        Ok(Self {
            hours_left,
            subscription: stage.stripe.subscription_observe(&started.id).await?.status,
            intent: stage.stripe.intent_observe(&issued.id).await?.status,
        })
    }
}

impl RenewalVouchers {
    async fn play(stage: &Stage, clock: &mut Clock<'_>) -> Result<Self, SceneError> {
        let customer = clock.customer("ensaio.renovacao.fill_never@example.com").await?;
        let card = stage.card(PAYS, &customer).await?;
        let method = stage.stripe.boleto_attach(&customer, [&stage.key(), &stage.key()]).await?;
        let started = stage.subscribe(&customer, &card).await?;
        stage.stripe.subscription_method_set(&started.id, &method).await?;
        clock.advance_to(started.period_end() + 2 * HOUR).await?;
        let issued = demand_voucher(stage, &started, &method).await?;
        let first_ends = expires_at(&issued)?;
        let mut numbers = vec![number(&issued)];
        clock.advance_to(first_ends + HOUR).await?;
        for _ in 0..REISSUE_DAYS / LOOK_DAYS {
            clock.advance_to(clock.now() + LOOK_DAYS * DAY).await?;
            if let Some(next) = voucher(stage, &started.id).await?
                && !numbers.contains(&number(&next))
            {
                numbers.push(number(&next));
                break;
            }
        }
        Ok(Self { count: numbers.len() })
    }
}

/// What tells vouchers apart, also where they are issued on one payment intent.
fn number(intent: &ObservedIntent) -> String {
    intent.boleto().and_then(|voucher| voucher.number.clone()).unwrap_or_default()
}

/// A subscription stays `incomplete` for as long as its voucher can be paid.
pub(super) async fn incomplete_until_voucher_ends(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.boleto().await?.first.as_ref().map_err(Clone::clone)?;
    Ok(Outcome::of(seen.subscription == "incomplete" && seen.intent == "requires_action", || {
        format!(
            "a day after the purchase, with {} hours left to pay the voucher, the subscription is {} and the \
             payment intent {}",
            seen.hours_left, seen.subscription, seen.intent
        )
    }))
}

/// After an unpaid voucher of a renewal a retry issues another one.
pub(super) async fn renewal_voucher_is_reissued(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.boleto().await?.renewal.as_ref().map_err(Clone::clone)?;
    if seen.count == 1 && !stage.dunning().await?.has_retries()? {
        return Ok(Outcome::nothing_to_see("the account makes no retry"));
    }
    Ok(Outcome::of(seen.count > 1, || {
        format!("no other voucher within {REISSUE_DAYS} days after the first one ended")
    }))
}
