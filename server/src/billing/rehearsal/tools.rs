//! The tools of scenes and checks: the provider's client, test clocks, prices, cards and the
//! browser.

use garimpo_domain::provider_status::{InvoiceStatus, SubscriptionStatus};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::providers::stripe::rehearsal::{ClockStatus, RehearsalSubscription, TestClock};
use crate::providers::stripe::{Charge, Customer, Invoice, Price, Stripe, StripeError, Subscription};

/// Regular monthly price. 15% of it are 748.5 centavos.
pub const MONTHLY: i64 = 4_990;
/// A second monthly price. 15% of it are 751.5 centavos: together the two prices distinguish
/// rounding half up, half to even and down.
pub const MONTHLY_ODD: i64 = 5_010;
/// A quarterly price, for changes of plan.
const QUARTERLY: i64 = 12_990;
/// A test card that pays.
pub const PAYS: &str = "pm_card_visa";
/// A test card that can be attached and is declined at every charge.
pub const DECLINES: &str = "pm_card_chargeCustomerFail";
pub const HOUR: i64 = 3_600;
pub const DAY: i64 = 86_400;
/// A test clock advances within seconds; the provider names no limit.
const CLOCK_DEADLINE: Duration = Duration::from_mins(5);
const BROWSER_MINUTES: u64 = 10;
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Shows a person what to do, and the link at which to do it.
pub type Ask = Box<dyn Fn(&str, &str) + Send + Sync>;

/// The setting of a run.
pub struct Setting {
    /// Asks a person to complete a step in a browser; without it, these steps are not checked.
    pub browser: Option<Ask>,
    /// The instant at which test clocks start, Unix seconds.
    pub now: i64,
    /// Id of the database's provider account; else why it is unknown.
    pub stored_account: Result<String, String>,
}

/// Why a scene could not be completed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SceneError {
    #[error(transparent)]
    Provider(#[from] StripeError),
    #[error("{what}: not reached within {seconds} s")]
    Late { what: &'static str, seconds: u64 },
    #[error("nobody completed the step in the browser within {0} minutes")]
    NobodyCame(u64),
    /// An earlier step came out so that there is nothing to check.
    #[error("{0}")]
    Unexpected(String),
}

/// The result of a step of a scene.
pub type Result<T, E = SceneError> = std::result::Result<T, E>;

/// A scene that several checks share: played once, and its failure is kept as well.
pub type Scene<T> = OnceCell<Result<T>>;

/// The result of a scene or a part of it.
pub fn seen<T>(played: &Result<T>) -> Result<&T> {
    played.as_ref().map_err(Clone::clone)
}

/// Returns the value that the scene needs to continue; otherwise reports `why`.
pub fn expected<T>(found: Option<T>, why: &str) -> Result<T> {
    found.ok_or_else(|| SceneError::Unexpected(why.to_owned()))
}

/// The value of an accepted call, or the code of a refusal with one of these statuses.
pub fn accepted<T>(
    result: Result<T, StripeError>,
    statuses: &[u16],
) -> Result<Result<T, String>, StripeError> {
    match result {
        Err(StripeError::Refused { status, code, .. }) if statuses.contains(&status) => Ok(Err(code)),
        result => result.map(Ok),
    }
}

/// Status of an invoice, for reports.
pub fn status_of(invoice: &Invoice) -> &'static str {
    invoice.status.map_or("without a status", InvoiceStatus::into)
}

/// The tools of a run.
pub struct Tools {
    pub stripe: Stripe,
    pub run: String,
    pub setting: Setting,
    keys: AtomicU32,
    prices: Scene<Prices>,
}

/// The prices of a run, and a customer who opens checkouts for them.
pub struct Prices {
    pub shopper: Customer,
    pub monthly: Price,
    pub monthly_odd: Price,
    pub quarterly: Price,
}

/// A customer with a card and a subscription at the monthly price.
pub struct Subscriber {
    pub customer: Customer,
    pub card: String,
    pub subscription: Subscription,
}

impl Tools {
    pub fn new(stripe: Stripe, run: String, setting: Setting) -> Self {
        Self { stripe, run, setting, keys: AtomicU32::new(0), prices: OnceCell::new() }
    }

    /// An idempotency key of this run.
    pub fn key(&self) -> String {
        format!("{}-{}", self.run, self.keys.fetch_add(1, Ordering::Relaxed))
    }

    /// The prices of the run, created at their first use.
    pub async fn prices(&self) -> Result<&Prices> {
        seen(self.prices.get_or_init(|| self.create_prices()).await)
    }

    async fn create_prices(&self) -> Result<Prices> {
        self.stripe.create_rehearsal_product(&self.run).await?;
        let price = async |centavos, days| {
            self.stripe.create_rehearsal_price(centavos, days, &self.run, &self.key()).await
        };
        Ok(Prices {
            shopper: self.clock().await?.customer("ensaio.precos@example.com").await?,
            monthly: price(MONTHLY, 30).await?,
            monthly_odd: price(MONTHLY_ODD, 30).await?,
            quarterly: price(QUARTERLY, 90).await?,
        })
    }

    /// Starts a test clock.
    pub async fn clock(&self) -> Result<Clock<'_>> {
        let TestClock { id, frozen_time: now, .. } =
            self.stripe.create_clock(&self.run, self.setting.now, &self.key()).await?;
        Ok(Clock { tools: self, id, now })
    }

    /// Attaches a test card by its token and returns its id.
    pub async fn card(&self, token: &str, customer: &Customer) -> Result<String> {
        Ok(self.stripe.attach_method(token, &customer.id, &self.key()).await?)
    }

    /// Starts a subscription at the monthly price.
    pub async fn subscribe(&self, customer: &Customer, card: &str) -> Result<Subscription> {
        self.subscribe_as(&self.order(customer, &self.prices().await?.monthly.id, card)).await
    }

    /// The order of a subscription on a card.
    pub fn order<'o>(
        &'o self,
        customer: &'o Customer,
        price: &'o str,
        method: &'o str,
    ) -> RehearsalSubscription<'o> {
        let (customer, run) = (&customer.id, &self.run);
        RehearsalSubscription {
            customer,
            price,
            method,
            method_type: "card",
            coupon: None,
            trial_end: None,
            run,
        }
    }

    pub async fn subscribe_as(&self, order: &RehearsalSubscription<'_>) -> Result<Subscription> {
        Ok(self.stripe.create_rehearsal_subscription(order, &self.key()).await?)
    }

    /// Attaches a test card and makes the subscription charge it from now on.
    pub async fn switch_card(&self, started: &Subscriber, token: &str) -> Result<String> {
        let card = self.card(token, &started.customer).await?;
        self.stripe.set_subscription_card(&started.subscription.id, &card).await?;
        Ok(card)
    }

    /// The newest invoice of a subscription.
    pub async fn newest_invoice(&self, subscription: &Subscription) -> Result<Invoice> {
        let newest = self.stripe.invoices_of(&subscription.id).await?.into_iter().next();
        expected(newest, "the subscription has no invoice")
    }

    /// The charges of all payments of an invoice.
    pub async fn charges(&self, invoice: &Invoice) -> Result<Vec<Charge>> {
        let mut charges = Vec::new();
        for payment in self.stripe.invoice_payments(&invoice.id).await? {
            if let Some(intent) = payment.intent() {
                charges.extend(self.stripe.charges_of_payment(intent).await?);
            }
        }
        Ok(charges)
    }

    /// Reads the status of a subscription.
    pub async fn status(&self, subscription: &Subscription) -> Result<SubscriptionStatus> {
        Ok(self.stripe.get_subscription(&subscription.id).await?.status)
    }

    /// Shows a link and waits until a person has done the step there.
    pub async fn in_browser<T, F>(&self, what: &str, link: &str, look: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<Option<T>>>,
    {
        if let Some(ask) = &self.setting.browser {
            ask(what, link);
        }
        until(Duration::from_mins(BROWSER_MINUTES), SceneError::NobodyCame(BROWSER_MINUTES), look).await
    }
}

/// A test clock. It can have three customers with three subscriptions each.
pub struct Clock<'t> {
    tools: &'t Tools,
    id: String,
    /// Its time in Unix seconds.
    pub now: i64,
}

impl Clock<'_> {
    /// Creates a customer under it.
    pub async fn customer(&self, email: &str) -> Result<Customer> {
        let Tools { stripe, run, .. } = self.tools;
        Ok(stripe.create_rehearsal_customer(&self.id, email, run, &self.tools.key()).await?)
    }

    /// Creates a customer with a test card and a subscription.
    pub async fn subscriber(&self, email: &str, token: &str) -> Result<Subscriber> {
        let customer = self.customer(email).await?;
        let card = self.tools.card(token, &customer).await?;
        let subscription = self.tools.subscribe(&customer, &card).await?;
        Ok(Subscriber { customer, card, subscription })
    }

    /// Advances it past the end of a subscription's period, to the attempt to charge the renewal.
    pub async fn advance_to_renewal(&mut self, subscription: &Subscription) -> Result<()> {
        self.advance_to(period_end(subscription) + 2 * HOUR).await
    }

    /// Advances it to an instant and waits until the provider has done the work that fell due.
    pub async fn advance_to(&mut self, to: i64) -> Result<()> {
        if to <= self.now {
            return Ok(());
        }
        let stripe = &self.tools.stripe;
        stripe.advance_clock(&self.id, to, &self.tools.key()).await?;
        let late = SceneError::Late { what: "test clock ready", seconds: CLOCK_DEADLINE.as_secs() };
        let status = until(CLOCK_DEADLINE, late, || async {
            let status = stripe.get_clock(&self.id).await?.status;
            Ok(Some(status).filter(|status| *status != ClockStatus::Advancing))
        });
        if status.await? == ClockStatus::InternalFailure {
            return Err(SceneError::Unexpected("the provider could not advance the test clock".into()));
        }
        self.now = to;
        Ok(())
    }
}

/// End of a subscription's period; 0 without an item.
pub fn period_end(subscription: &Subscription) -> i64 {
    subscription.item().map_or(0, |item| item.current_period_end)
}

/// Repeats `look` with growing pauses, and fails with `late` after the deadline.
pub async fn until<T, F>(deadline: Duration, late: SceneError, look: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    let ends = Instant::now() + deadline;
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(found) = look().await? {
            return Ok(found);
        }
        if Instant::now() >= ends {
            return Err(late);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}
