//! Opens a purchase. The price is decided first, then the intent is stored, and only then the
//! provider is called.

mod order;

use std::sync::Arc;

use garimpo_domain::balance::credit;
use garimpo_domain::checkout::{
    PaymentMethod, SESSION_REUSE_MINUTES, check_shown_price, first_charge_at, may_start, payment_methods,
};
use garimpo_domain::funnel::Step;
use garimpo_domain::prices::Quote;
use garimpo_domain::trial::trial_ended_at;
use garimpo_domain::{Centavos, Timestamp, catalog};
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;

use crate::billing::catalog::push::provider_coupon;
use crate::billing::checkout::Checkouts;
use crate::billing::checkout::coupon_once_per_person::first_coupon_claim_in_tx;
use crate::billing::context::Context;
use crate::billing::current_subscription::{account_state, buyer_history, current, has_paid};
use crate::billing::ending::retire::superfluous_job;
use crate::billing::refusals::{change_in_progress, request_id, request_id_used};
use crate::caller::not_yours;
use crate::crash::{self, CrashPoint};
use crate::error::Error;
use crate::measures::PRICE_DIFFERENCES;
use crate::origin::Origin;
use crate::pause::{self, PausePoint};
use crate::providers::stripe::{CheckoutOrder, CheckoutSession, StripeError};
use crate::store::billing::checkouts::{self, Checkout, CheckoutStatus, PaymentStatus};
use crate::store::billing::customers::{self, Customer};
use crate::store::billing::subscriptions::{self, Subscription};
use crate::store::identity::accounts::{self, Account};
use crate::store::tracking::funnel_counts;
use crate::store::{Tx, jobs};

pub(crate) use order::refuse_what_is_unknown;
use order::{is_same_order, order_of, order_refused, price_changed};

/// An intent with the row that says who it is for at the provider.
struct Intent {
    checkout: Checkout,
    customer: Customer,
}

/// A checkout that can be paid.
pub(crate) struct OpenCheckout {
    /// For the provider's script.
    pub(crate) client_secret: String,
    /// First payment by the provider's session, in centavos.
    pub(crate) amount_centavos: i64,
}

impl OpenCheckout {
    /// Reads a checkout that has a session.
    ///
    /// The session may ask for less than the buyer was shown. For more, the buyer must accept the amount first.
    ///
    /// # Errors
    /// PRICE_CHANGED when the buyer was shown another price.
    fn of(checkout: &Checkout, shown: Option<Centavos>) -> Result<Self, Error> {
        let amount = Centavos::new(checkout.first_payment_centavos);
        let is_cheaper = |shown: Centavos| shown == Centavos::new(checkout.quoted_centavos) && amount < shown;
        if !shown.is_some_and(is_cheaper) {
            check_shown_price(amount, shown).map_err(price_changed)?;
        }
        let client_secret = checkout
            .client_secret
            .clone()
            .ok_or_else(|| Error::internal(anyhow::anyhow!("an open checkout without its secret")))?;
        Ok(Self { client_secret, amount_centavos: amount.get() })
    }
}

/// Logs and counts a session of the provider that asks for another amount than our price.
fn price_differs(checkout: &Checkout) {
    let is_higher = checkout.first_payment_centavos > checkout.quoted_centavos;
    let direction = if is_higher { "higher" } else { "lower" };
    metrics::counter!(PRICE_DIFFERENCES, "provider" => direction).increment(1);
    tracing::error!(
        checkout.id,
        plan = checkout.plan_id.as_str(),
        interval = checkout.plan_interval.written(),
        coupon = checkout.coupon_id,
        ours = checkout.quoted_centavos,
        provider = checkout.first_payment_centavos,
        "the payment provider asks for another amount than our price"
    );
}

impl Checkouts {
    /// Answers CreateCheckoutSession for an account that is the caller's own.
    ///
    /// # Errors
    /// As the contract lists them.
    pub(crate) async fn checkout_open(
        &self,
        account: &Account,
        request: &pb::CreateCheckoutSessionRequest,
    ) -> Result<OpenCheckout, Error> {
        self.unsettled_refresh(&account.uid).await?;
        let request_id = request_id(request.request_id.as_deref())?;
        let (consent, attribution) = (request.consent.as_ref(), request.attribution.as_ref());
        let origin = Arc::new(Origin::read(consent, attribution, self.context.now()));
        if let Some(done) = self.checkout_of_request(account, request, request_id, &origin).await? {
            return Ok(done);
        }
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let quote = self.order(account, request, &rows)?;
        let shown = request.shown_price_centavos.map(Centavos::new);
        self.check_shown(account, &quote, shown).await?;
        self.refuse_second(&rows)?;

        self.catalog_push.catalog_arrives().await?;
        let wanted = Arc::new(self.wanted(account, &quote).await?);
        let mut renewed = false;
        loop {
            let intent = self.intend(wanted.clone(), origin.clone(), request_id).await?;
            crash::point(CrashPoint::IntentStored);
            if intent.checkout.client_secret.is_some() {
                return OpenCheckout::of(&intent.checkout, shown);
            }
            let customer_id = self.customer_id(&intent.customer, account).await?;
            self.rest_forgive(&intent.customer, &customer_id).await?;
            let charged_at = charged_at(&self.context, account, &rows);
            match self.session_ask(&intent, &customer_id, charged_at).await {
                Ok(session) => {
                    let checkout = self.opened(intent.checkout, session, charged_at).await?;
                    return OpenCheckout::of(&checkout, shown);
                }
                Err(error) if error.misses_customer() && !renewed => {
                    self.repairs.customer_lost(&account.uid, &customer_id, Some(&intent.checkout)).await?;
                    renewed = true;
                }
                Err(error) => return Err(self.not_opened(&intent.checkout, error).await),
            }
        }
    }

    /// Reads what became of purchases that were begun, since the news of them may be lost: an expired session is not
    /// handed out again and a paid one is not bought twice.
    async fn unsettled_refresh(&self, uid: &str) -> Result<(), Error> {
        if checkouts::unsettled(&self.context.store, uid).await?.is_empty() {
            return Ok(());
        }
        self.sync.refresh_or_stand(uid).await
    }

    /// The answer that this request id had before, if it came to one that can still be used.
    async fn checkout_of_request(
        &self,
        account: &Account,
        request: &pb::CreateCheckoutSessionRequest,
        request_id: Option<&str>,
        origin: &Arc<Origin>,
    ) -> Result<Option<OpenCheckout>, Error> {
        let Some(request_id) = request_id else { return Ok(None) };
        let Some(known) = checkouts::by_request(&self.context.store, &account.uid, request_id).await? else {
            return Ok(None);
        };
        if !is_same_order(&known, request) {
            return Err(request_id_used("purchase"));
        }
        if known.status != CheckoutStatus::Open {
            return Ok(None);
        }
        let open = OpenCheckout::of(&known, request.shown_price_centavos.map(Centavos::new))?;
        // The same purchase; what its buyer answered meanwhile counts all the same.
        if !origin.is_empty() {
            self.origin_keep(&known, origin.clone()).await?;
        }
        Ok(Some(open))
    }

    /// Compares the price that the buyer was shown with ours, or with that of the open session of the same purchase:
    /// the provider may ask for another amount, which the buyer was shown then.
    async fn check_shown(
        &self,
        account: &Account,
        quote: &Quote,
        shown: Option<Centavos>,
    ) -> Result<(), Error> {
        let Err(changed) = check_shown_price(quote.first_payment, shown) else { return Ok(()) };
        let wanted = self.wanted(account, quote).await?;
        let begun_after = self.context.now().plus_minutes(-SESSION_REUSE_MINUTES);
        match checkouts::same_purchase(&self.context.store, &wanted, begun_after).await? {
            Some(open) if open.client_secret.is_some() => OpenCheckout::of(&open, shown).map(drop),
            _ => Err(price_changed(changed)),
        }
    }

    async fn origin_keep(&self, checkout: &Checkout, origin: Arc<Origin>) -> Result<(), Error> {
        let now = self.context.now();
        self.context
            .write((checkout.uid.clone(), checkout.id.clone(), origin), move |tx, (uid, id, origin)| {
                Box::pin(async move { origin.keep_in_tx(tx, uid, id, now).await })
            })
            .await?;
        Ok(())
    }

    fn order(
        &self,
        account: &Account,
        request: &pb::CreateCheckoutSessionRequest,
        rows: &[Subscription],
    ) -> Result<Quote, Error> {
        let context = self.offers.prices_for(buyer_history(account, rows));
        let coupon = Some(request.coupon_id.as_str());
        catalog().order(&request.plan_name, &request.interval, coupon, &context).map_err(order_refused)
    }

    fn refuse_second(&self, rows: &[Subscription]) -> Result<(), Error> {
        let state = current(rows).map(Subscription::state);
        may_start(state.as_ref(), self.context.now(), &self.context.settings.policy).map_err(|_| {
            Error::refused(ErrorReason::AlreadySubscribed, "the account has a live subscription")
        })
    }

    /// The purchase as a row that is not stored yet.
    async fn wanted(&self, account: &Account, quote: &Quote) -> Result<Checkout, Error> {
        let price = self.catalog_push.price_there(quote.plan, quote.interval, quote.list_price).await?;
        let coupon = quote.coupon.as_ref();
        Ok(Checkout {
            id: self.context.ids.id("chk_"),
            uid: account.uid.clone(),
            email: account.email.clone(),
            plan_id: quote.plan,
            plan_interval: quote.interval,
            coupon_id: coupon.map(|coupon| coupon.id.clone()).unwrap_or_default(),
            promo_code: coupon.map(|coupon| coupon.code.clone()).unwrap_or_default(),
            price_id: price.price_id,
            price_centavos: quote.list_price.get(),
            first_payment_centavos: quote.first_payment.get(),
            quoted_centavos: quote.first_payment.get(),
            attempt: 1,
            session_id: None,
            client_secret: None,
            status: CheckoutStatus::Intent,
            payment_status: PaymentStatus::Unpaid,
            settled: false,
            subscription_id: None,
            created_at_us: self.context.now().as_micros(),
            expires_at_us: None,
        })
    }

    /// Stores the intent, or finds the one of the same purchase: two calls at once get one session.
    async fn intend(
        &self,
        wanted: Arc<Checkout>,
        origin: Arc<Origin>,
        request_id: Option<&str>,
    ) -> Result<Intent, Error> {
        let now = self.context.now();
        let customer_intent = self.context.ids.id("cui_");
        let request_id = request_id.map(str::to_owned);
        pause::point(PausePoint::Decide, &wanted.uid).await;
        self.context
            .store
            .write(
                (wanted, origin, request_id, customer_intent),
                move |tx, (wanted, origin, request_id, customer_intent)| {
                    Box::pin(async move {
                        let intent =
                            intend_in_tx(tx, wanted, request_id.as_deref(), customer_intent, now).await?;
                        origin.keep_in_tx(tx, &wanted.uid, &intent.checkout.id, now).await?;
                        Ok(intent)
                    })
                },
            )
            .await
    }

    /// Asks the provider for the session of an intent.
    async fn session_ask(
        &self,
        Intent { checkout, customer }: &Intent,
        customer_id: &str,
        charged_at: Option<Timestamp>,
    ) -> Result<CheckoutSession, StripeError> {
        let return_url = format!(
            "{}/checkout-return?session_id={{CHECKOUT_SESSION_ID}}",
            self.context.settings.public_url
        );
        // Credit pays first: a boleto is for what is left.
        let credit = credit(Centavos::new(customer.balance_centavos));
        let left = (Centavos::new(checkout.first_payment_centavos) - credit).max(Centavos::new(0));
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
        let answer = self.context.stripe.checkout_create(&order, &checkout.idempotency_key()).await;
        crash::point(CrashPoint::ProviderAnswered);
        answer
    }

    /// Stores the session of an intent and returns the open checkout.
    ///
    /// The provider's amount is the price from here on, because the buyer is charged by it. An amount that is not ours
    /// raises an alarm and has the catalogue compared again.
    async fn opened(
        &self,
        checkout: Checkout,
        session: CheckoutSession,
        charged_at: Option<Timestamp>,
    ) -> Result<Checkout, Error> {
        let secret = session
            .client_secret
            .clone()
            .ok_or_else(|| Error::internal(anyhow::anyhow!("no client secret")))?;
        // A session whose first charge comes at the end of the trial asks for nothing now.
        let is_later = charged_at.is_some() && session.amount_total == Some(0);
        let asked = match session.amount_total {
            Some(asked) if !is_later => asked,
            _ => self.later_charge(&checkout).await?,
        };
        let differs = asked != checkout.quoted_centavos;
        let (checkouts, now, intent) = (self.clone(), self.context.now(), Arc::new(checkout));
        let expires_at = session.expires_at.map(Timestamp::from_unix_seconds);
        let (is_first, stored) = self
            .context
            .write(
                (checkouts, intent, session.id, secret),
                move |tx, (checkouts, intent, session_id, secret)| {
                    Box::pin(async move {
                        let id = &intent.id;
                        let is_first =
                            checkouts::mark_opened(tx, id, session_id, secret, expires_at, asked).await?;
                        let stored = checkouts::by_id(tx, id).await?;
                        if is_first {
                            funnel_counts::count_step(tx, Step::CheckoutStarted, now).await?;
                            if differs {
                                checkouts.catalog_push.catalog_push_again_in_tx(tx).await?;
                            }
                        } else if stored.as_ref().and_then(|row| row.session_id.as_ref()) != Some(session_id)
                        {
                            // Another call stored its session first, or the intent has ended: no row names this one.
                            let job = superfluous_job(&intent.uid, session_id, session_id, now);
                            jobs::enqueue_if_absent(tx, job).await?;
                        }
                        Ok((
                            is_first,
                            stored.filter(|row| {
                                row.status == CheckoutStatus::Open && row.client_secret.is_some()
                            }),
                        ))
                    })
                },
            )
            .await?;
        let checkout = stored.ok_or_else(|| {
            Error::refused(ErrorReason::Unavailable, "the purchase was ended meanwhile")
                .retry_after(std::time::Duration::from_secs(1))
        })?;
        if is_first && differs {
            price_differs(&checkout);
        }
        tracing::info!(
            user.id = checkout.uid,
            checkout.id,
            "checkout opened for {}",
            checkout.plan_id.as_str()
        );
        Ok(checkout)
    }

    /// What the provider charges at the end of the trial. Its session names no amount of it, so the
    /// coupon is read there.
    async fn later_charge(&self, checkout: &Checkout) -> Result<i64, Error> {
        let Some(coupon_id) = provider_coupon(checkout) else { return Ok(checkout.quoted_centavos) };
        // A coupon that was removed since the session was created is kept in its discount, whose
        // amount nothing names.
        let coupon = self.context.stripe.coupon_get(&coupon_id).await?;
        Ok(coupon.map_or(checkout.quoted_centavos, |coupon| {
            checkout.price_centavos - coupon.off(checkout.price_centavos)
        }))
    }

    /// Notes why an intent came to nothing, so that the next try is neither refused again nor answered with an old fault.
    async fn not_opened(&self, checkout: &Checkout, error: StripeError) -> Error {
        if error.misses_catalog() {
            return self.repairs.catalog_lost(Some(checkout), &error).await;
        }
        let (id, attempt, refused) =
            (checkout.id.clone(), checkout.attempt, matches!(error, StripeError::Refused { .. }));
        if refused || error.is_kept_under_its_key() {
            let noted = self.context.write(id, move |tx, id| {
                Box::pin(async move {
                    if refused {
                        checkouts::mark_refused(tx, id).await
                    } else {
                        checkouts::next_attempt(tx, id, attempt).await
                    }
                })
            });
            if let Err(unstored) = noted.await {
                return unstored.into();
            }
        }
        error.into()
    }
}

/// When the first charge of a purchase made now falls, where that is not at once: the trial is for who never paid.
pub(crate) fn charged_at(context: &Context, account: &Account, rows: &[Subscription]) -> Option<Timestamp> {
    let trial_ends = trial_ended_at(account.created_at(), account_state(account).trial);
    // The provider knows whole seconds.
    let trial_ends = Timestamp::from_unix_seconds(trial_ends.as_unix_seconds());
    first_charge_at(context.settings.trial_purchase, Some(trial_ends), context.now())
        .filter(|_| !has_paid(rows))
}

/// The account's row is locked first, so that the same purchase asked for twice at once becomes one intent.
async fn intend_in_tx(
    tx: &mut Tx,
    wanted: &Checkout,
    request_id: Option<&str>,
    customer_intent: &str,
    now: Timestamp,
) -> Result<Intent, Error> {
    let account = accounts::lock(tx, &wanted.uid).await?.ok_or_else(not_yours)?;
    first_coupon_claim_in_tx(tx, &account, &wanted.coupon_id, now).await?;
    if let Some(request_id) = request_id {
        // The look before the quote may have been at the same time as another call's.
        let known = checkouts::by_request(&mut *tx, &wanted.uid, request_id).await?;
        if known.is_some_and(|known| order_of(&known) != order_of(wanted)) {
            return Err(request_id_used("purchase"));
        }
    }
    let customer = customers::intend(tx, &wanted.uid, customer_intent, now).await?;
    // The purchase would use the credit that the refund is about to end.
    if customer.balance_centavos < 0
        && !subscriptions::returned_with_credit(&mut *tx, &wanted.uid).await?.is_empty()
    {
        return Err(change_in_progress("a refund has not ended the credit of its subscription yet"));
    }
    let same = checkouts::same_purchase(&mut *tx, wanted, now.plus_minutes(-SESSION_REUSE_MINUTES)).await?;
    let checkout = if let Some(same) = same {
        same
    } else {
        checkouts::insert(tx, wanted).await?;
        wanted.clone()
    };
    if let Some(request_id) = request_id {
        checkouts::record_request(tx, &wanted.uid, request_id, &checkout.id, now).await?;
    }
    Ok(Intent { checkout, customer })
}

/// Our keys on the session and its subscription; the provider allows 500 characters each.
fn metadata(checkout: &Checkout) -> Vec<(&'static str, String)> {
    vec![
        ("uid", checkout.uid.clone()),
        ("plan", checkout.plan_id.as_str().to_owned()),
        ("interval", checkout.plan_interval.written().to_owned()),
        ("coupon", checkout.coupon_id.clone()),
        ("code", checkout.promo_code.clone()),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect()
}
