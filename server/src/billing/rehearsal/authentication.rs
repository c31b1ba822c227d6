//! A renewal whose card asks for authentication while nobody is there to give it.

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::dunning::PAYS;
use crate::billing::rehearsal::stage::{DAY, HOUR, SceneError, Stage};
use crate::providers::stripe::rehearsal::{ObservedIntent, ObservedInvoice};

/// A card that asks at every payment.
const ASKS: &str = "pm_card_authenticationRequired";
const ACTION_REQUIRED: &str = "invoice.payment_action_required";
const PAYMENT_FAILED: &str = "invoice.payment_failed";
/// An event that every renewal sends: without it, events of test clocks are not listed.
const CREATED: &str = "invoice.created";

/// The renewal after its attempt.
pub(super) struct FailedAuthentication {
    invoice: ObservedInvoice,
    intent: ObservedIntent,
    subscription: String,
    /// Types of the invoice's events.
    events: Vec<String>,
}

impl FailedAuthentication {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        let mut clock = stage.clock().await?;
        let customer = clock.customer("ensaio.autenticacao@example.com").await?;
        let pays = stage.card(PAYS, &customer).await?;
        let started = stage.subscribe(&customer, &pays).await?;
        let asks = stage.card(ASKS, &customer).await?;
        stripe.subscription_method_set(&started.id, &asks).await?;
        clock.advance_to(started.period_end() + 2 * HOUR).await?;

        let newest = stage.newest_invoice(&started.id).await?;
        let invoice = stripe.invoice_observe_secret(&newest.id).await?;
        let payments = stripe.invoice_payments(&invoice.id).await?;
        let intent = payments.iter().find_map(|payment| payment.intent());
        let intent =
            intent.ok_or_else(|| SceneError::Unexpected("the renewal has no payment intent".into()))?;
        let subscription = stripe.subscription_observe(&started.id).await?.status;
        let types = [ACTION_REQUIRED, PAYMENT_FAILED, CREATED];
        // Events carry the time of their making, or that of their clock.
        let events = stripe.events_since(stage.now - DAY, &types).await?;
        let events = events.into_iter().filter(|event| event.is_about(&invoice.id));
        let events = events.map(|event| event.kind).collect();
        Ok(Self { intent: stripe.intent_observe(intent).await?, invoice, subscription, events })
    }

    fn sent(&self, kind: &str) -> bool {
        self.events.iter().any(|sent| sent == kind)
    }
}

/// The intent waits for the payer's action.
pub(super) async fn intent_requires_action(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.authentication().await?;
    Ok(Outcome::of(seen.intent.status == "requires_action", || {
        let code = seen.intent.error_code().unwrap_or("none");
        format!("the payment intent is {}, error {code}", seen.intent.status)
    }))
}

/// The subscription is `past_due` meanwhile, its invoice open.
pub(super) async fn subscription_is_past_due(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.authentication().await?;
    let is_open = seen.invoice.is("open");
    if is_open && seen.invoice.next_payment_attempt.is_none() && seen.subscription != "past_due" {
        return Ok(Outcome::nothing_to_see("the account makes no retry"));
    }
    Ok(Outcome::of(is_open && seen.subscription == "past_due", || {
        let invoice = seen.invoice.status.as_deref().unwrap_or("without a status");
        format!("the subscription is {}, its invoice {invoice}", seen.subscription)
    }))
}

/// Both events are sent for the attempt.
pub(super) async fn both_events_are_sent(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.authentication().await?;
    if !seen.sent(CREATED) {
        return Ok(Outcome::nothing_to_see("GET /v1/events leaves out objects of test clocks"));
    }
    Ok(Outcome::of(seen.sent(ACTION_REQUIRED) && seen.sent(PAYMENT_FAILED), || {
        let sent: Vec<_> =
            [ACTION_REQUIRED, PAYMENT_FAILED].into_iter().filter(|kind| seen.sent(kind)).collect();
        if sent.is_empty() {
            "neither event was sent".into()
        } else {
            format!("sent alone: {}", sent.join(", "))
        }
    }))
}

/// The list of events has those of test clocks.
pub(super) async fn events_have_test_clocks(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.authentication().await?;
    Ok(Outcome::of(seen.sent(CREATED), || "GET /v1/events leaves out objects of test clocks".into()))
}

/// The invoice's confirmation secret is its intent's client secret.
pub(super) async fn confirmation_secret_is_the_intents(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.authentication().await?;
    let secret = seen.invoice.confirmation_secret();
    // Secrets are not printed.
    Ok(Outcome::of(secret.is_some() && secret == seen.intent.client_secret.as_deref(), || match secret {
        None => "the open invoice has no confirmation_secret".into(),
        Some(_) => "confirmation_secret is not the client secret of the invoice's payment intent".into(),
    }))
}

/// The payer confirms the same intent, and the invoice is paid.
pub(super) async fn payer_confirms_the_same_intent(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.authentication().await?;
    let Some(link) = seen.invoice.hosted_invoice_url.as_deref() else {
        return Ok(Outcome::nothing_to_see("the invoice has no page"));
    };
    let what = "Pay this invoice with the saved card and complete the authentication";
    let paid = stage.in_browser(what, link, || async {
        let invoice = stage.stripe.invoice_observe(&seen.invoice.id).await?;
        Ok(invoice.is("paid").then_some(()))
    });
    paid.await?;
    let intent = stage.stripe.intent_observe(&seen.intent.id).await?;
    Ok(Outcome::of(intent.status == "succeeded", || {
        format!("the invoice is paid, its first payment intent is {}", intent.status)
    }))
}
