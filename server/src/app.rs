//! The composition root: what the server is made of, how it starts, serves and stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use garimpo_domain::person::PasswordPolicy;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::audit::Audit;
use crate::auth::{
    self, IdentityProvider, Limits, LocalIdentity, PasswordHashing, Sessions, ToolkitIdentity,
};
use crate::billing::{Billing, Feed};
use crate::caller::{Trust, meters};
use crate::clock::{Clock, FollowError, Follower, SandboxClock, SystemClock, system_now};
use crate::crash;
use crate::email_hash::EmailHash;
use crate::error::Error;
use crate::ids::Ids;
use crate::mail::{self, Post, Recipients};
use crate::measures;
use crate::pause;
use crate::providers::client_for;
use crate::providers::identity_toolkit::{IdentityToolkit, ToolkitError};
use crate::providers::mail::Mailer;
use crate::providers::meta::Meta;
use crate::providers::stripe::{Stripe, StripeError};
use crate::queue::{Handlers, JobKind, Queue};
use crate::retention;
use crate::store::identity::mailed_codes::CodeUse;
use crate::store::operator::heartbeats;
use crate::store::{Store, StoreError};
use crate::tracking::{Delivery, Steps, TrackingApi, WRITTEN_EVERY};
use crate::users;

/// How long a start waits for the payment provider.
const ACCOUNT_CHECK_WAITS: Duration = Duration::from_secs(3);

pub(crate) mod clock_skew;
mod connections;
mod readiness;
mod services;
mod settings;
#[cfg(test)]
mod tests;

use readiness::{beat, divide_budget, tell};
pub use services::Audience;
pub use settings::{ClockSettings, IdentitySettings, Settings};

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The HTTP client cannot be made.
    #[error("making the HTTP client")]
    Client(#[from] reqwest::Error),
    /// The payment provider's client cannot be made.
    #[error("making the payment provider's client")]
    Payments(#[from] StripeError),
    /// The identity provider's client cannot be made.
    #[error("making the identity provider's client")]
    Identity(#[from] ToolkitError),
    /// The sandbox, which keeps the time, does not tell it.
    #[error(transparent)]
    Clock(#[from] FollowError),
    /// The payment provider's key is of another account than the database.
    #[error("{0}; `garimpo admin provider adopt` changes the database's account")]
    OtherAccount(StripeError),
    /// The work that a start brings cannot be enqueued.
    #[error("enqueueing the first work")]
    Begin(#[source] Error),
}

/// The running server.
pub struct App {
    parts: Parts,
    trust: Trust,
    sessions: Arc<Sessions>,
    identity: Arc<dyn IdentityProvider>,
    limits: Limits,
    audit: Audit,
    tracking: TrackingApi,
    password_policy: PasswordPolicy,
    billing: Billing,
    feed: Arc<Feed>,
    queue: Arc<Queue>,
    /// Id of this process among the live servers.
    server_id: String,
    ready: Arc<AtomicBool>,
    leaving: CancellationToken,
    health: HealthReporter,
    tasks: Vec<JoinHandle<()>>,
}

/// What every service is built on.
#[derive(Clone)]
pub(crate) struct Parts {
    pub store: Store,
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
}

impl App {
    /// Opens the database, migrates it where the settings say so, follows the clock and starts the workers.
    ///
    /// It answers before the sandbox's clock is known; until then calls get UNAVAILABLE and
    /// [`App::ready`] is false.
    ///
    /// # Errors
    /// [`StartError`] says what cannot be used.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        if let Some(at) = settings.crash_at {
            crash::arm(at);
        }
        if let Some(at) = settings.pause_at {
            pause::arm(at);
        }
        measures::describe();
        meters::describe();
        // Every outbound client speaks TLS by ring; the first installer in the process wins.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let store = Store::open(&settings.database).await?;
        let database_id = store.database_id().await?.into();
        let (clock, sandbox) = clock_of(&settings.clock);
        let parts = Parts { store: store.clone(), clock: clock.clone(), ids: settings.ids.clone() };
        retention::schedule(&store).await?;
        let emails = EmailHash::open(&store, &settings.ids).await?;
        let audit = Audit { clock: clock.clone(), ids: settings.ids.clone(), emails };
        let stripe = Stripe::new(settings.payments)?;
        let server_id = settings.ids.id("srv_");
        heartbeats::end_all_embedded(&store).await?;
        divide_budget(&stripe, heartbeats::beat(&store, &server_id, system_now()).await?);
        let mailer = Mailer::new(settings.mail)?;
        let public_url = settings.billing.public_url.clone();
        let billing = Billing::new(
            store.clone(),
            clock.clone(),
            settings.ids.clone(),
            stripe.clone(),
            settings.billing,
        );
        account_check(&billing).await?;
        billing.begin().await.map_err(StartError::Begin)?;
        let hashing = PasswordHashing::new(settings.hashing);
        let identity = identity(&parts, hashing, settings.identity)?;
        let platform = settings.conversions.map(Meta::new).transpose()?;
        let events_per_address = settings.limits.events_per_address;
        let tracking = TrackingApi::new(store.clone(), clock.clone(), &public_url, events_per_address);
        let recipients = Recipients::new(store.clone(), clock.clone(), settings.mail_limits);
        let post = Post { mailer, public_url, recipients };
        let mut handlers = handlers(&parts, &billing, identity.clone(), post);
        let delivery = Delivery::new(store.clone(), clock.clone(), platform);
        handlers.on(JobKind::Conversion, move |job| delivery.clone().run(job));
        let queue = Queue::new(store.clone(), clock.clone(), settings.ids.clone(), handlers);
        let (health, _) = tonic_health::server::health_reporter();
        tell(&health, ServingStatus::NotServing).await;
        let (ready, leaving) = (Arc::new(AtomicBool::new(false)), CancellationToken::new());
        let feed = Feed::new(store.clone(), leaving.clone());
        let mut tasks = vec![
            tokio::spawn(feed.clone().run()),
            tokio::spawn(queue.clone().run()),
            tokio::spawn(connections::measure(store.clone())),
            tokio::spawn(beat(
                parts.clone(),
                server_id.clone(),
                stripe,
                ready.clone(),
                leaving.clone(),
                health.clone(),
            )),
        ];
        tasks.push(tokio::spawn(write_steps(tracking.steps(), store.clone())));
        if let Some((clock, url, name)) = sandbox {
            let client = client_for(&url).no_proxy().build()?;
            tasks.push(tokio::spawn(Follower { url, name, clock, queue: queue.clone(), client }.run()));
        }
        let sessions = Sessions::new(parts.clone(), identity.clone(), &settings.limits);
        Ok(Self {
            trust: Trust::Fleet { secret: settings.fleet_secret, database_id },
            sessions: Arc::new(sessions),
            identity,
            tracking,
            limits: Limits::new(store, clock, settings.limits),
            audit,
            password_policy: settings.password_policy,
            billing,
            feed,
            parts,
            queue,
            server_id,
            ready,
            leaving,
            health,
            tasks,
        })
    }

    /// Whether the schema is current, the clock known and a write was committed in the last seconds.
    pub fn ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// The database, for the operator's commands.
    pub fn store(&self) -> &Store {
        &self.parts.store
    }

    /// The product's clock.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.parts.clock.clone()
    }

    /// Sessions and tokens, for tests that look at their cache.
    #[cfg(test)]
    pub(crate) fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Who keeps the passwords, for the suite that each provider passes.
    #[cfg(test)]
    pub(crate) fn identity(&self) -> &dyn IdentityProvider {
        &*self.identity
    }

    /// Billing, for the operator's commands.
    pub fn billing(&self) -> &Billing {
        &self.billing
    }

    /// The durable queue, for tests that wait for it to come to rest.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Is not ready any more and says so, while calls are still answered: gateways go elsewhere from now on.
    pub async fn leave(&self) {
        self.leaving.cancel();
        self.ready.store(false, Ordering::Release);
        tell(&self.health, ServingStatus::NotServing).await;
    }

    /// Stops without losing anything: not ready, no new jobs, running ones ended, writes stored.
    ///
    /// Call it when no request is served any more.
    pub async fn stop(&self) {
        self.leave().await;
        self.queue.stop().await;
        for task in &self.tasks {
            task.abort();
        }
        self.tracking.steps().write(&self.parts.store).await;
        if let Err(error) = heartbeats::end(&self.parts.store, &self.server_id).await {
            tracing::warn!(%error, "the other servers count this one for some seconds still");
        }
        self.parts.store.close().await;
    }
}

/// Refuses to start with the key of another account. A provider that does not answer in time keeps no server from
/// starting: the check is repeated before the first call that is made.
async fn account_check(billing: &Billing) -> Result<(), StartError> {
    match tokio::time::timeout(ACCOUNT_CHECK_WAITS, billing.provider_account.account_check()).await {
        Ok(Err(error @ StripeError::OtherAccount { .. })) => Err(StartError::OtherAccount(error)),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the payment provider's account was not checked; it is checked before the first call");
            Ok(())
        }
        Ok(Ok(())) => Ok(()),
        Err(_) => {
            tracing::warn!(
                "the payment provider's account was not checked in time; it is checked before the first call"
            );
            Ok(())
        }
    }
}

/// Writes the steps that pages told, as long as the process runs.
async fn write_steps(steps: Arc<Steps>, store: Store) {
    loop {
        tokio::time::sleep(WRITTEN_EVERY).await;
        steps.write(&store).await;
    }
}

fn identity(
    parts: &Parts,
    hashing: PasswordHashing,
    settings: IdentitySettings,
) -> Result<Arc<dyn IdentityProvider>, ToolkitError> {
    Ok(match settings {
        IdentitySettings::Local => Arc::new(LocalIdentity::new(parts.clone(), hashing)),
        IdentitySettings::Toolkit(settings) => {
            Arc::new(ToolkitIdentity::new(parts.clone(), IdentityToolkit::new(settings)?))
        }
    })
}

/// What runs each kind of job.
fn handlers(parts: &Parts, billing: &Billing, identity: Arc<dyn IdentityProvider>, post: Post) -> Handlers {
    let mut handlers = Handlers::default();
    let (store, clock) = (parts.store.clone(), parts.clock.clone());
    handlers.on(JobKind::Retention, move |_| retention::run(store.clone(), clock.clone()));
    let (store, office) = (parts.store.clone(), post.clone());
    handlers.on(JobKind::Mail, move |job| mail::send(store.clone(), office.clone(), job));
    for (kind, code_use) in [
        (JobKind::PasswordReset, CodeUse::PasswordReset),
        (JobKind::EmailConfirmation, CodeUse::EmailConfirmation),
    ] {
        let (parts, identity, post) = (parts.clone(), identity.clone(), post.clone());
        handlers.on(kind, move |job| {
            auth::code_mail::send(code_use, parts.clone(), identity.clone(), post.clone(), job)
        });
    }
    handlers.on(JobKind::IdentityDelete, move |job| users::deletion::identity_delete(identity.clone(), job));
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
