//! The composition root: creates, starts and stops the parts of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use garimpo_domain::PasswordPolicy;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::audit::Audit;
use crate::auth::identity_toolkit::ToolkitIdentity;
use crate::auth::local::LocalIdentity;
use crate::auth::{self, IdentityProvider, Limits, PasswordHashing, Sessions};
use crate::billing::{Billing, Feed};
use crate::causes::Causes;
use crate::clock::{Clock, SandboxClock, SystemClock, system_now};
use crate::context::AppContext;
use crate::crash;
use crate::doctor::{Doctor, hourly};
use crate::email_hash::EmailHash;
use crate::error::Error;
use crate::mail::{self, MailWriter, Recipients};
use crate::pause;
use crate::providers::captcha::Captcha;
use crate::providers::identity_toolkit::{IdentityToolkit, ToolkitError};
use crate::providers::mail::Mailer;
use crate::providers::meta::Meta;
use crate::providers::stripe::{Stripe, StripeError};
use crate::providers::{CallClass, client_for};
use crate::queue::{Handlers, JobKind, Queue};
use crate::retention;
use crate::store::{CodeUse, Store, StoreError, heartbeats};
use crate::tracking::{Delivery, TrackingApi};
use crate::users::{self, payer_adoption::PayerAdoption};

/// How long a start waits for the payment provider.
const ACCOUNT_CHECK_TIMEOUT: Duration = Duration::from_secs(3);

mod caller_layer;
pub(crate) mod clock_follower;
mod connections;
mod metrics;
mod readiness;
mod services;
mod settings;
#[cfg(test)]
mod tests;

pub use clock_follower::FollowError;
use clock_follower::Follower;
use readiness::{beat, divide_budget, set_health};
pub use settings::{ClockSettings, IdentitySettings, Settings};

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("creating the HTTP client")]
    Client(#[from] reqwest::Error),
    #[error("creating the payment provider's client")]
    Payments(#[from] StripeError),
    #[error("creating the identity provider's client")]
    Identity(#[from] ToolkitError),
    #[error(transparent)]
    Clock(#[from] FollowError),
    /// The payment provider's key belongs to another account than the database.
    #[error("{0}; `garimpo admin provider adopt` changes the database's account")]
    OtherAccount(StripeError),
    #[error("enqueueing the first jobs")]
    Begin(#[source] Error),
}

/// The running server.
pub struct App {
    context: AppContext,
    sessions: Arc<Sessions>,
    identity: Arc<dyn IdentityProvider>,
    limits: Limits,
    audit: Audit,
    tracking: TrackingApi,
    password_policy: PasswordPolicy,
    captcha: Option<Captcha>,
    billing: Billing,
    feed: Arc<Feed>,
    queue: Arc<Queue>,
    /// Id of this process in the table of live servers.
    server_id: String,
    ready: Arc<AtomicBool>,
    leaving: CancellationToken,
    health: HealthReporter,
    tasks: Vec<JoinHandle<()>>,
}

impl App {
    /// Opens the database, migrates it if the settings allow it, follows the clock and starts the
    /// workers.
    ///
    /// It returns before the sandbox's clock is known; until then calls get UNAVAILABLE and
    /// [`App::ready`] is false.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        if let Some(at) = settings.crash_at {
            crash::arm(at);
        }
        if let Some(at) = settings.pause_at {
            pause::arm(at);
        }
        metrics::describe();
        // Every outbound client uses ring for TLS; an earlier installation in the process wins.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let store = Store::open(&settings.database).await?;
        let (clock, sandbox) = clock_of(&settings.clock);
        let context = AppContext { store: store.clone(), clock: clock.clone(), ids: settings.ids.clone() };
        let stripe = Stripe::new(settings.payments)?;
        let server_id = settings.ids.id("srv_");
        // Together, because writes that wait together share one COMMIT.
        let ((), (), servers, emails) = tokio::try_join!(
            retention::schedule(&store),
            hourly::schedule(&store),
            heartbeats::first_beat(&store, &server_id, system_now()),
            EmailHash::open(&store, &settings.ids),
        )?;
        divide_budget(&stripe, servers);
        let audit = Audit { clock: clock.clone(), ids: settings.ids.clone(), emails };
        let mailer = Mailer::new(settings.mail)?;
        let public_url = settings.billing.public_url.clone();
        let doctor = Doctor::new(store.clone(), clock.clone(), settings.billing.policy, hourly::LIMITS);
        let billing = Billing::new(context.clone(), stripe.clone(), settings.billing);
        check_account(&billing).await?;
        check_payers(&billing).await;
        billing.begin().await.map_err(StartError::Begin)?;
        let hashing = PasswordHashing::new(settings.hashing);
        let identity = identity(&context, hashing, settings.identity)?;
        let platform = settings.conversions.map(Meta::new).transpose()?;
        let events_per_address = settings.limits.events_per_address;
        let tracking = TrackingApi::new(store.clone(), clock.clone(), &public_url, events_per_address);
        let recipients = Recipients::new(store.clone(), clock.clone(), settings.mail_limits);
        let writer = MailWriter { mailer, public_url, recipients };
        let mut handlers = handlers(&context, &billing, identity.clone(), writer);
        let doctor = doctor.with_provider(&billing);
        handlers.on(JobKind::Doctor, move |_| hourly::run(doctor.clone()));
        let delivery = Delivery::new(store.clone(), clock.clone(), platform);
        handlers.on(JobKind::Conversion, move |job| delivery.clone().run(job));
        let queue = Queue::new(store.clone(), clock.clone(), settings.ids.clone(), handlers);
        let (health, _) = tonic_health::server::health_reporter();
        set_health(&health, ServingStatus::NotServing).await;
        let (ready, leaving) = (Arc::new(AtomicBool::new(false)), CancellationToken::new());
        let feed = Feed::new(store.clone(), leaving.clone());
        let mut tasks = vec![
            tokio::spawn(feed.clone().run()),
            tokio::spawn(queue.clone().run()),
            tokio::spawn(connections::measure(store.clone())),
            tokio::spawn(beat(
                context.clone(),
                server_id.clone(),
                stripe,
                ready.clone(),
                leaving.clone(),
                health.clone(),
            )),
        ];
        tasks.push(tokio::spawn(tracking.steps().write_repeatedly(store.clone())));
        if let Some((clock, url, name)) = sandbox {
            let client = client_for(&url).no_proxy().build()?;
            tasks.push(tokio::spawn(Follower { url, name, clock, queue: queue.clone(), client }.run()));
        }
        let sessions = Sessions::new(context.clone(), identity.clone(), settings.limits);
        Ok(Self {
            sessions: Arc::new(sessions),
            identity,
            tracking,
            limits: Limits::new(store, clock, settings.limits),
            audit,
            password_policy: settings.password_policy,
            captcha: settings.captcha.map(Captcha::new).transpose()?,
            billing,
            feed,
            context,
            queue,
            server_id,
            ready,
            leaving,
            health,
            tasks,
        })
    }

    /// Whether the schema is current, the clock is known and a write was committed in the last
    /// seconds.
    pub fn ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    pub fn store(&self) -> &Store {
        &self.context.store
    }

    pub fn clock(&self) -> Arc<dyn Clock> {
        self.context.clock.clone()
    }

    #[cfg(test)]
    pub(crate) fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    #[cfg(test)]
    pub(crate) fn identity(&self) -> &dyn IdentityProvider {
        &*self.identity
    }

    pub fn billing(&self) -> &Billing {
        &self.billing
    }

    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Reports that it is no longer ready, so that the proxy uses other processes. Calls are
    /// still served.
    pub async fn leave(&self) {
        self.leaving.cancel();
        self.ready.store(false, Ordering::Release);
        set_health(&self.health, ServingStatus::NotServing).await;
    }

    /// Stops: not ready, no new jobs, running jobs ended, writes stored. Call it after the last
    /// request.
    pub async fn stop(&self) {
        self.leave().await;
        self.queue.stop().await;
        for task in &self.tasks {
            task.abort();
        }
        self.tracking.steps().write(&self.context.store).await;
        if let Err(error) = heartbeats::end(&self.context.store, &self.server_id).await {
            tracing::warn!(%error, "this server was not removed: the others count it for some seconds");
        }
        self.context.store.close().await;
    }
}

/// Refuses to start with the key of another account. A provider that does not reply in time does
/// not prevent the start: the check is repeated before the first call.
async fn check_account(billing: &Billing) -> Result<(), StartError> {
    const UNCHECKED: &str =
        "the payment provider's account was not checked; it is checked before the first call";
    match tokio::time::timeout(ACCOUNT_CHECK_TIMEOUT, billing.provider_account.check()).await {
        Ok(Err(error @ StripeError::OtherAccount { .. })) => return Err(StartError::OtherAccount(error)),
        Ok(Err(error)) => tracing::warn!(error = %Causes(&error), "{UNCHECKED}"),
        Ok(Ok(())) => {}
        Err(_) => tracing::warn!("{UNCHECKED}"),
    }
    Ok(())
}

/// Checks a database without accounts for payers of another one. A provider that does not reply in
/// time does not prevent the start: the first sweep and the first checkout repeat the check.
async fn check_payers(billing: &Billing) {
    const UNCHECKED: &str = "it was not checked whether the payment provider has payers of another database";
    match tokio::time::timeout(ACCOUNT_CHECK_TIMEOUT, billing.selling_stop.check_if_empty()).await {
        Ok(Err(error)) => tracing::warn!(error = %Causes(&error), "{UNCHECKED}"),
        Ok(Ok(())) => {}
        Err(_) => tracing::warn!("{UNCHECKED}"),
    }
}

fn identity(
    context: &AppContext,
    hashing: PasswordHashing,
    settings: IdentitySettings,
) -> Result<Arc<dyn IdentityProvider>, ToolkitError> {
    Ok(match settings {
        IdentitySettings::Local => Arc::new(LocalIdentity { context: context.clone(), hashing }),
        IdentitySettings::Toolkit(settings) => {
            Arc::new(ToolkitIdentity { context: context.clone(), toolkit: IdentityToolkit::new(settings)? })
        }
    })
}

/// The handler of each kind of job.
fn handlers(
    context: &AppContext,
    billing: &Billing,
    identity: Arc<dyn IdentityProvider>,
    writer: MailWriter,
) -> Handlers {
    let mut handlers = Handlers::default();
    let (store, clock) = (context.store.clone(), context.clock.clone());
    handlers.on(JobKind::Retention, move |_| retention::run(store.clone(), clock.clone()));
    let (store, mail_writer) = (context.store.clone(), writer.clone());
    handlers.on(JobKind::Mail, move |job| mail::send(store.clone(), mail_writer.clone(), job));
    for (kind, code_use) in [
        (JobKind::PasswordReset, CodeUse::PasswordReset),
        (JobKind::EmailConfirmation, CodeUse::EmailConfirmation),
    ] {
        let (context, identity, writer) = (context.clone(), identity.clone(), writer.clone());
        handlers.on(kind, move |job| {
            auth::code_mail::send(code_use, context.clone(), identity.clone(), writer.clone(), job)
        });
    }
    let (store, provider, corrected) =
        (context.store.clone(), identity.clone(), billing.of_class(CallClass::Renewal));
    handlers.on(JobKind::EmailCorrection, move |job| {
        users::email_correction::run(store.clone(), provider.clone(), corrected.clone(), job)
    });
    handlers.on(JobKind::IdentityDelete, move |job| users::deletion::delete_identity(identity.clone(), job));
    let adoption = PayerAdoption::new(context.clone(), billing.of_class(CallClass::Renewal));
    handlers.on(JobKind::PayerAdoption, move |job| adoption.clone().run(job));
    billing.register(&mut handlers);
    handlers
}

type Sandbox = (Arc<SandboxClock>, String, String);

fn clock_of(settings: &ClockSettings) -> (Arc<dyn Clock>, Option<Sandbox>) {
    match settings {
        ClockSettings::System => (Arc::new(SystemClock), None),
        ClockSettings::Given(clock) => (clock.clone(), None),
        ClockSettings::Sandbox { url, follower } => {
            let clock = Arc::new(SandboxClock::default());
            (clock.clone(), Some((clock, url.clone(), follower.clone())))
        }
    }
}
