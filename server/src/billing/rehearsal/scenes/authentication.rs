//! A renewal whose card asks for authentication while the payer is absent.

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{DAY, PAYS, Result, Tools, expected, status_of};
use crate::providers::stripe::{Invoice, InvoiceConfirmation, PaymentIntent};
use garimpo_domain::provider_status::{InvoiceStatus, PaymentIntentStatus, SubscriptionStatus};

/// A card that asks for authentication at every payment.
const ASKS: &str = "pm_card_authenticationRequired";
const ACTION_REQUIRED: &str = "invoice.payment_action_required";
const PAYMENT_FAILED: &str = "invoice.payment_failed";
/// An event that every renewal sends: without it, events of test clocks are not listed.
const CREATED: &str = "invoice.created";

/// The renewal after its attempt.
pub struct FailedAuthentication {
    invoice: Invoice,
    confirmation: InvoiceConfirmation,
    intent: PaymentIntent,
    subscription_status: SubscriptionStatus,
    /// Types of the invoice's events.
    events: Vec<String>,
}

impl FailedAuthentication {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let stripe = &tools.stripe;
        let mut clock = tools.clock().await?;
        let started = clock.subscriber("ensaio.autenticacao@example.com", PAYS).await?;
        tools.switch_card(&started, ASKS).await?;
        clock.advance_to_renewal(&started.subscription).await?;

        let invoice = tools.newest_invoice(&started.subscription).await?;
        let payments = stripe.invoice_payments(&invoice.id).await?;
        let intent = payments.iter().find_map(|payment| payment.intent());
        let intent = expected(intent, "the renewal has no payment intent")?;
        // Events have the time of their creation, or that of their clock.
        let types = [ACTION_REQUIRED, PAYMENT_FAILED, CREATED];
        let events = stripe.events_since(tools.setting.now - DAY, &types).await?.into_iter();
        let events = events.filter(|event| event.object_id() == Some(&invoice.id)).map(|event| event.kind);
        Ok(Self {
            events: events.collect(),
            intent: stripe.get_payment_intent(intent).await?,
            subscription_status: tools.status(&started.subscription).await?,
            confirmation: stripe.get_invoice_confirmation(&invoice.id).await?,
            invoice,
        })
    }

    fn has_sent(&self, kind: &str) -> bool {
        self.events.iter().any(|sent| sent == kind)
    }

    pub fn intent_requires_action(&self) -> Outcome {
        let intent = &self.intent;
        let code = intent.error_codes().next().unwrap_or("none");
        let seen = format!("the payment intent is {}, error {code}", intent.status);
        Outcome::of(intent.status == PaymentIntentStatus::RequiresAction, seen)
    }

    pub fn subscription_is_past_due(&self) -> Outcome {
        let Self { invoice, subscription_status: status, .. } = self;
        let is_open = invoice.is(InvoiceStatus::Open);
        if is_open && invoice.next_payment_attempt.is_none() && *status != SubscriptionStatus::PastDue {
            return Outcome::nothing_to_see("the account makes no retry");
        }
        let seen = format!("the subscription is {status}, its invoice {}", status_of(invoice));
        Outcome::of(is_open && *status == SubscriptionStatus::PastDue, seen)
    }

    pub fn sends_both_events(&self) -> Outcome {
        if !self.has_sent(CREATED) {
            return Outcome::nothing_to_see("GET /v1/events leaves out objects of test clocks");
        }
        let mut sent = vec![ACTION_REQUIRED, PAYMENT_FAILED];
        sent.retain(|kind| self.has_sent(kind));
        match sent[..] {
            [] => Outcome::differs("neither event was sent"),
            [one] => Outcome::differs(format!("sent alone: {one}")),
            _ => Outcome::Holds,
        }
    }

    pub fn lists_events_of_test_clocks(&self) -> Outcome {
        Outcome::of(self.has_sent(CREATED), "GET /v1/events leaves out objects of test clocks")
    }

    pub fn confirmation_secret_is_of_the_intent(&self) -> Outcome {
        // Secrets are not printed.
        match self.confirmation.client_secret() {
            None => Outcome::differs("the open invoice has no confirmation_secret"),
            Some(secret) => Outcome::of(
                self.intent.client_secret() == Some(secret),
                "confirmation_secret is not the client secret of the invoice's payment intent",
            ),
        }
    }

    /// Waits until a person has paid the invoice in the browser.
    pub async fn confirms_the_same_intent(&self, tools: &Tools) -> Result<Outcome> {
        let Some(link) = self.invoice.hosted_invoice_url.as_deref() else {
            return Ok(Outcome::nothing_to_see("the invoice has no page"));
        };
        let what = "Pay this invoice with the saved card and complete the authentication";
        let paid = tools.in_browser(what, link, || async {
            let invoice = tools.stripe.get_invoice(&self.invoice.id).await?;
            Ok(invoice.is(InvoiceStatus::Paid).then_some(()))
        });
        paid.await?;
        let status = tools.stripe.get_payment_intent(&self.intent.id).await?.status;
        let seen = format!("the invoice is paid, its first payment intent is {status}");
        Ok(Outcome::of(status == PaymentIntentStatus::Succeeded, seen))
    }
}
