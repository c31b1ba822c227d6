//! The provider's session of an intent.

use std::sync::Arc;

use garimpo_domain::balance::credit;
use garimpo_domain::checkout::payment_methods;
use garimpo_domain::{Centavos, CustomerId, PaymentMethod, Step, Timestamp};

use super::pending_checkout::PendingCheckout;
use crate::billing::catalog::push::provider_coupon;
use crate::billing::checkout::Checkouts;
use crate::billing::facts::projection::CHECKOUT_KEY;
use crate::billing::jobs::retirement::session_expire_job;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result};
use crate::measures::PRICE_DIFFERENCES;
use crate::pause::{self, PausePoint};
use crate::providers::stripe::{CheckoutOrder, CheckoutSession, StripeError};
use crate::store::{Checkout, CheckoutStatus, OrEmpty as _, checkouts, funnel_counts, jobs, transaction};

impl Checkouts {
    /// Creates the provider's session of an intent.
    pub(super) async fn create_session(
        &self,
        PendingCheckout { checkout, customer }: &PendingCheckout,
        customer_id: &CustomerId,
        charged_at: Option<Timestamp>,
    ) -> Result<CheckoutSession, StripeError> {
        let return_url = format!("{}/checkout-return?session_id={{CHECKOUT_SESSION_ID}}", self.public_url);
        // Credit pays first, and a boleto can only pay the rest.
        let credit = credit(customer.balance_centavos);
        let left = (checkout.first_payment_centavos - credit).max(Centavos::ZERO);
        let coupon = provider_coupon(checkout);
        let order = CheckoutOrder {
            customer: customer_id,
            price: &checkout.price_id,
            coupon: coupon.as_deref(),
            boleto: charged_at.is_none() && payment_methods(left).contains(&PaymentMethod::Boleto),
            trial_end: charged_at.map(Timestamp::as_unix_seconds),
            return_url: &return_url,
            metadata: metadata(checkout),
        };
        pause::point(PausePoint::Provider, &checkout.uid).await;
        let answer = self.stripe.create_checkout(&order, &checkout.idempotency_key()).await;
        crash::point(CrashPoint::ProviderAnswered);
        answer
    }

    /// Stores the session of an intent and returns the open checkout.
    ///
    /// The provider's amount becomes the price, because the buyer is charged by it. If it differs
    /// from ours, an alarm is raised and the catalogue is compared again.
    pub(super) async fn store_session(
        &self,
        checkout: Checkout,
        session: CheckoutSession,
        charged_at: Option<Timestamp>,
    ) -> Result<Checkout> {
        let no_secret = || Error::internal(anyhow::anyhow!("no client secret"));
        let secret = session.client_secret.clone().ok_or_else(no_secret)?;
        // A session whose first charge is at the end of the trial has the amount zero now.
        let is_later = charged_at.is_some() && session.amount_total == Some(0);
        let asked = match session.amount_total {
            Some(asked) if !is_later => Centavos::new(asked),
            _ => self.later_charge(&checkout).await?,
        };
        let differs = asked != checkout.quoted_centavos;
        let (checkouts, now, intent) = (self.clone(), self.context.now(), Arc::new(checkout));
        let expires_at = session.expires_at.map(Timestamp::from_unix_seconds);
        let stored =
            transaction!(self.context, (checkouts, intent, session_id = session.id, secret), |tx| {
                let id = &intent.id;
                let is_first = checkouts::mark_opened(tx, id, session_id, secret, expires_at, asked).await?;
                let stored = checkouts::by_id(tx, id).await?;
                if is_first {
                    funnel_counts::count_step(tx, Step::CheckoutStarted, now).await?;
                    if let Some(checkout) = stored.clone().filter(|_| differs) {
                        checkouts.catalog_push.enqueue_whole(tx).await?;
                        tx.after_commit(move || log_price_difference(&checkout));
                    }
                } else if stored.as_ref().and_then(|row| row.session_id.as_ref()) != Some(session_id) {
                    // Another call stored its session first, or the intent has ended. No row has
                    // this session, so a job closes it.
                    let job = session_expire_job(&intent.uid, session_id, session_id, now);
                    jobs::enqueue_if_absent(tx, job).await?;
                }
                Ok(stored.filter(|row| row.status == CheckoutStatus::Open && row.client_secret.is_some()))
            })?;
        let checkout = stored.ok_or_else(|| {
            Error::refused(ErrorReason::Unavailable, "the purchase was ended meanwhile")
                .retry_after(std::time::Duration::from_secs(1))
        })?;
        tracing::info!(
            user.id = %checkout.uid,
            %checkout.id,
            "checkout opened for {}",
            checkout.plan_id.as_str()
        );
        Ok(checkout)
    }

    /// The amount that the provider charges at the end of the trial. The session does not have it,
    /// so the coupon is read.
    async fn later_charge(&self, checkout: &Checkout) -> Result<Centavos> {
        let Some(coupon_id) = provider_coupon(checkout) else { return Ok(checkout.quoted_centavos) };
        // If the coupon was deleted after the session was created, its discount stays, and no
        // object has its amount.
        let coupon = self.stripe.get_coupon(&coupon_id).await?;
        Ok(coupon.map_or(checkout.quoted_centavos, |coupon| {
            checkout.price_centavos - Centavos::new(coupon.off(checkout.price_centavos.get()))
        }))
    }

    /// Ends or renews an intent after a failure, so that the next attempt does not get the same
    /// stored response again. Returns the error for the caller.
    pub(super) async fn handle_failed_session(
        &self,
        checkout: &Checkout,
        error: StripeError,
    ) -> Result<Error> {
        if error.misses_catalog() {
            return self.repairs.handle_lost_catalog(Some(checkout), &error).await;
        }
        let (id, attempt) = (checkout.id.clone(), checkout.attempt);
        if matches!(error, StripeError::Refused { .. }) {
            transaction!(self.context, (id), |tx| checkouts::mark_refused(tx, id).await)?;
        } else if error.is_kept_under_its_key() {
            transaction!(self.context, (id), |tx| checkouts::next_attempt(tx, id, attempt).await)?;
        }
        Ok(error.into())
    }
}

/// Logs and counts a session whose amount differs from our price.
fn log_price_difference(checkout: &Checkout) {
    let is_higher = checkout.first_payment_centavos > checkout.quoted_centavos;
    let direction = if is_higher { "higher" } else { "lower" };
    metrics::counter!(PRICE_DIFFERENCES, "provider" => direction).increment(1);
    tracing::error!(
        %checkout.id,
        plan = checkout.plan_id.as_str(),
        interval = checkout.plan_interval.written(),
        coupon = checkout.coupon_id.or_empty(),
        ours = checkout.quoted_centavos.get(),
        provider = checkout.first_payment_centavos.get(),
        "the payment provider asks for another amount than our price"
    );
}

/// Metadata of the session and its subscription. A value has at most 500 characters at the
/// provider.
fn metadata(checkout: &Checkout) -> Vec<(&'static str, String)> {
    vec![
        ("uid", checkout.uid.to_string()),
        (CHECKOUT_KEY, checkout.id.to_string()),
        ("plan", checkout.plan_id.as_str().to_owned()),
        ("interval", checkout.plan_interval.written().to_owned()),
        ("coupon", checkout.coupon_id.or_empty().to_owned()),
        ("code", checkout.promo_code.or_empty().to_owned()),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect()
}
