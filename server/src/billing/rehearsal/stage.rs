//! What the checks of a run share: the provider's client, the scenes that several of them look at, and the browser.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::billing::rehearsal::authentication::FailedAuthentication;
use crate::billing::rehearsal::boleto::BoletoWaits;
use crate::billing::rehearsal::browser::{PortalCard, Purchase};
use crate::billing::rehearsal::dunning::Dunning;
use crate::billing::rehearsal::plan_change::PlanChange;
use crate::billing::rehearsal::refunds::{Disputed, Refunded};
use crate::billing::rehearsal::trial::TrialEnd;
use crate::providers::stripe::rehearsal::{
    ClockStatus, ObservedCustomer, ObservedInvoice, ObservedSubscription, RehearsalCustomer,
    RehearsalSubscription,
};
use crate::providers::stripe::{Price, Stripe, StripeError};

/// Regular monthly price. 15% of it are 748.5 centavos.
pub(super) const MONTHLY: i64 = 4_990;
/// A second monthly price. 15% of it are 751.5 centavos: the two tell half up, half to even and down apart.
pub(super) const MONTHLY_ODD: i64 = 5_010;
/// A quarterly price, for changes of plan.
pub(super) const QUARTERLY: i64 = 12_990;
pub(super) const HOUR: i64 = 3_600;
pub(super) const DAY: i64 = 86_400;
/// A test clock advances within seconds; the provider names no limit.
const CLOCK_DEADLINE: Duration = Duration::from_mins(5);
/// A person may have to look for the test card's number first.
const BROWSER_MINUTES: u64 = 10;
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Tells a person what to do, and the link at which to do it.
pub type Ask = Box<dyn Fn(&str, &str) + Send + Sync>;

/// Whether a person completes the steps that need a browser.
pub enum Browser {
    /// Nobody does: those assumptions are not checked.
    Absent,
    /// One is asked.
    Asks(Ask),
}

/// In what a run takes place.
pub struct Setting {
    /// Whether a person completes the steps that need a browser.
    pub browser: Browser,
    /// The instant at which test clocks start, Unix seconds.
    pub now: i64,
    /// Id of the account that the database belongs to; else why it is not known.
    pub stored_account: Result<String, String>,
}

/// Why a scene could not be played to its end.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SceneError {
    /// A call failed.
    #[error(transparent)]
    Provider(#[from] StripeError),
    /// A state was not reached in time.
    #[error("{what}: not reached within {seconds} s")]
    Late {
        /// The state.
        what: &'static str,
        /// The deadline.
        seconds: u64,
    },
    /// Nobody completed the step in the browser within so many minutes.
    #[error("nobody completed the step in the browser within {0} minutes")]
    NobodyCame(u64),
    /// An earlier step came out so that the rest has nothing to look at.
    #[error("{0}")]
    Unexpected(String),
}

/// A scene that several assumptions look at: played once, its failure kept as well.
type Scene<T> = OnceCell<Result<T, SceneError>>;

/// What the checks of a run share.
pub struct Stage {
    pub(super) stripe: Stripe,
    pub(super) run: String,
    pub(super) now: i64,
    /// Id of the account that the database belongs to; else why it is not known.
    pub(super) stored_account: Result<String, String>,
    browser: Browser,
    keys: AtomicU32,
    prices: Scene<Prices>,
    dunning: Scene<Dunning>,
    authentication: Scene<FailedAuthentication>,
    trial: Scene<TrialEnd>,
    plan_change: Scene<PlanChange>,
    boleto: Scene<BoletoWaits>,
    refunded: Scene<Refunded>,
    disputed: Scene<Disputed>,
    purchase: Scene<Purchase>,
    portal_card: Scene<PortalCard>,
}

/// The prices of a run, and a customer who looks at them.
pub(super) struct Prices {
    pub(super) shopper: ObservedCustomer,
    pub(super) monthly: Price,
    pub(super) monthly_odd: Price,
    pub(super) quarterly: Price,
}

macro_rules! scenes {
    ($($name:ident: $scene:ty),* $(,)?) => {
        $(
            #[doc = concat!("The scene `", stringify!($name), "`, played at its first use.")]
            pub(super) async fn $name(&self) -> Result<&$scene, SceneError> {
                let played = self.$name.get_or_init(|| <$scene>::play(self)).await;
                played.as_ref().map_err(Clone::clone)
            }
        )*
    };
}

impl Stage {
    /// A stage on which nothing was played yet.
    pub(super) fn new(stripe: Stripe, run: String, setting: Setting) -> Self {
        Self {
            stripe,
            run,
            now: setting.now,
            stored_account: setting.stored_account,
            browser: setting.browser,
            keys: AtomicU32::new(0),
            prices: OnceCell::new(),
            dunning: OnceCell::new(),
            authentication: OnceCell::new(),
            trial: OnceCell::new(),
            plan_change: OnceCell::new(),
            boleto: OnceCell::new(),
            refunded: OnceCell::new(),
            disputed: OnceCell::new(),
            purchase: OnceCell::new(),
            portal_card: OnceCell::new(),
        }
    }

    scenes! {
        prices: Prices,
        dunning: Dunning,
        authentication: FailedAuthentication,
        trial: TrialEnd,
        plan_change: PlanChange,
        boleto: BoletoWaits,
        refunded: Refunded,
        disputed: Disputed,
        purchase: Purchase,
        portal_card: PortalCard,
    }

    /// An idempotency key of this run.
    pub(super) fn key(&self) -> String {
        format!("{}-{}", self.run, self.keys.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether a person completes the steps that need a browser.
    pub(super) fn has_browser(&self) -> bool {
        matches!(self.browser, Browser::Asks(_))
    }

    /// Starts a test clock.
    pub(super) async fn clock(&self) -> Result<Clock<'_>, SceneError> {
        let clock = self.stripe.clock_create(&self.run, self.now, &self.key()).await?;
        Ok(Clock { stage: self, id: clock.id, at: clock.frozen_time })
    }

    /// Attaches a test card by its token.
    pub(super) async fn card(&self, token: &str, customer: &ObservedCustomer) -> Result<String, SceneError> {
        Ok(self.stripe.card_attach(token, &customer.id, &self.key()).await?)
    }

    /// Starts a subscription at the monthly price on a card that pays.
    pub(super) async fn subscribe(
        &self,
        customer: &ObservedCustomer,
        card: &str,
    ) -> Result<ObservedSubscription, SceneError> {
        let price = &self.prices().await?.monthly.id;
        self.subscribe_as(&self.order(customer, price, card)).await
    }

    /// The order of a subscription on a card; a scene changes what it needs otherwise.
    pub(super) fn order<'o>(
        &'o self,
        customer: &'o ObservedCustomer,
        price: &'o str,
        card: &'o str,
    ) -> RehearsalSubscription<'o> {
        RehearsalSubscription {
            customer: &customer.id,
            price,
            method: card,
            method_type: "card",
            coupon: None,
            trial_end: None,
            run: &self.run,
        }
    }

    /// Starts a subscription.
    pub(super) async fn subscribe_as(
        &self,
        order: &RehearsalSubscription<'_>,
    ) -> Result<ObservedSubscription, SceneError> {
        Ok(self.stripe.rehearsal_subscription(order, &self.key()).await?)
    }

    /// The newest invoice of a subscription.
    pub(super) async fn newest_invoice(&self, subscription: &str) -> Result<ObservedInvoice, SceneError> {
        let newest = self.stripe.invoices_of(subscription).await?.into_iter().next();
        newest.ok_or_else(|| SceneError::Unexpected("the subscription has no invoice".into()))
    }

    /// Shows a link and waits until a person has done what is asked for there.
    pub(super) async fn in_browser<T, F>(
        &self,
        what: &str,
        link: &str,
        look: impl Fn() -> F,
    ) -> Result<T, SceneError>
    where
        F: Future<Output = Result<Option<T>, SceneError>>,
    {
        if let Browser::Asks(ask) = &self.browser {
            ask(what, link);
        }
        let found = until(Duration::from_mins(BROWSER_MINUTES), look).await?;
        found.ok_or(SceneError::NobodyCame(BROWSER_MINUTES))
    }
}

impl Prices {
    async fn play(stage: &Stage) -> Result<Self, SceneError> {
        stage.stripe.rehearsal_product(&stage.run).await?;
        let price = async |centavos, days| {
            stage.stripe.rehearsal_price(centavos, days, &stage.run, &stage.key()).await
        };
        Ok(Self {
            shopper: stage.clock().await?.customer("ensaio.precos@example.com").await?,
            monthly: price(MONTHLY, 30).await?,
            monthly_odd: price(MONTHLY_ODD, 30).await?,
            quarterly: price(QUARTERLY, 90).await?,
        })
    }
}

/// A test clock of a scene. It takes three customers, and each of them three subscriptions.
pub(super) struct Clock<'s> {
    stage: &'s Stage,
    id: String,
    at: i64,
}

impl Clock<'_> {
    /// Its time in Unix seconds.
    pub(super) fn now(&self) -> i64 {
        self.at
    }

    /// Creates a customer under it.
    pub(super) async fn customer(&self, email: &str) -> Result<ObservedCustomer, SceneError> {
        let order = RehearsalCustomer { clock: &self.id, email, run: &self.stage.run };
        Ok(self.stage.stripe.rehearsal_customer(&order, &self.stage.key()).await?)
    }

    /// Advances it to an instant and waits until the provider has done what fell due.
    pub(super) async fn advance_to(&mut self, to: i64) -> Result<(), SceneError> {
        if to <= self.at {
            return Ok(());
        }
        let stripe = &self.stage.stripe;
        let mut clock = stripe.clock_advance(&self.id, to, &self.stage.key()).await?;
        if clock.status == ClockStatus::Advancing {
            let ready = until(CLOCK_DEADLINE, || async {
                let clock = stripe.clock_get(&self.id).await?;
                Ok((clock.status != ClockStatus::Advancing).then_some(clock))
            });
            let seconds = CLOCK_DEADLINE.as_secs();
            clock = ready.await?.ok_or(SceneError::Late { what: "test clock ready", seconds })?;
        }
        if clock.status == ClockStatus::InternalFailure {
            return Err(SceneError::Unexpected("the provider could not advance the test clock".into()));
        }
        self.at = to;
        Ok(())
    }
}

/// Looks again, with growing pauses, until there is something to see or the deadline has passed.
pub(super) async fn until<T, F>(deadline: Duration, look: impl Fn() -> F) -> Result<Option<T>, SceneError>
where
    F: Future<Output = Result<Option<T>, SceneError>>,
{
    let ends = Instant::now() + deadline;
    let mut pause = FIRST_PAUSE;
    loop {
        if let Some(found) = look().await? {
            return Ok(Some(found));
        }
        if Instant::now() >= ends {
            return Ok(None);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
