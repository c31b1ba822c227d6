//! The composition root: what the server is made of, how it starts, serves and stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use garimpo_domain::person::PasswordPolicy;
use garimpo_proto::auth::v1::auth_service_server::{self, AuthServiceServer};
use garimpo_proto::billing::v1::billing_service_server::{self, BillingServiceServer};
use garimpo_proto::billing::v1::webhook_service_server::{self, WebhookServiceServer};
use garimpo_proto::tracking::v1::tracking_service_server::{self, TrackingServiceServer};
use garimpo_proto::users::v1::user_service_server::{self, UserServiceServer};
use garimpo_proto::written::entitlement_service_server::{self, EntitlementServiceServer};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::audit::Audit;
use crate::auth::{
    self, AuthService, IdentityProvider, Limits, LocalIdentity, PasswordHashing, Sessions, ToolkitIdentity,
};
use crate::billing::{Billing, BillingApi, EntitlementApi, Feed, WebhookApi};
use crate::caller::{CallerLayer, Meters, Trust};
use crate::clock::{Clock, FollowError, Follower, SandboxClock, SystemClock};
use crate::crash;
use crate::email_hash::EmailHash;
use crate::error::Error;
use crate::ids::Ids;
use crate::mail::{self, Post};
use crate::measures;
use crate::providers::client_for;
use crate::providers::identity_toolkit::{IdentityToolkit, ToolkitError};
use crate::providers::mail::Mailer;
use crate::providers::meta::Meta;
use crate::providers::stripe::{Stripe, StripeError};
use crate::queue::{Handlers, JobKind, Queue};
use crate::retention;
use crate::store::{CodeUse, Store, StoreError};
use crate::tracking::{Delivery, Steps, TrackingApi, WRITTEN_EVERY};
use crate::users::{self, UserService};

mod settings;
#[cfg(test)]
mod tests;

pub use settings::{ClockSettings, IdentitySettings, Settings};

/// Readiness is proven this often, by a committed write.
const BEAT_EVERY: Duration = Duration::from_secs(5);
/// And looked at this often while it is not reached.
const BEAT_FIRST: Duration = Duration::from_millis(50);
/// How often a start looks whether the sandbox has told the time.
const LOOK_AT_CLOCK: Duration = Duration::from_millis(2);

/// Largest request message, in bytes: the public port's own bound, also for who calls the internal one.
const MAX_MESSAGE: usize = 64 * 1024;
/// Largest request that names accounts, in bytes: 1,000 uids of 128 bytes each.
const MAX_UIDS: usize = 144 * 1024;
/// Largest event of the payment provider with its headers, in bytes: the gateway takes a body of 1 MiB.
const MAX_EVENT: usize = (1024 + 64) * 1024;
/// What health tells of: the server as a whole, and each service by its name.
const TOLD: [&str; 7] = [
    "",
    auth_service_server::SERVICE_NAME,
    user_service_server::SERVICE_NAME,
    billing_service_server::SERVICE_NAME,
    webhook_service_server::SERVICE_NAME,
    entitlement_service_server::SERVICE_NAME,
    tracking_service_server::SERVICE_NAME,
];

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
    /// The work that a start brings cannot be enqueued.
    #[error("enqueueing the first work")]
    Begin(#[source] Error),
}

/// Who calls the services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A gateway in this process: its `x-garimpo-*` metadata is believed.
    Gateway,
    /// Whoever reaches the internal port: believed only with the fleet's secret. Adds health,
    /// reflection and the internal services.
    Internal,
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
    /// Opens and migrates the database, follows the clock and starts the workers.
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
        measures::describe();
        // Every outbound client speaks TLS by ring; the first installer in the process wins.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let store = Store::open(&settings.database).await?;
        let (clock, sandbox) = clock_of(&settings.clock);
        let parts = Parts { store: store.clone(), clock: clock.clone(), ids: settings.ids.clone() };
        retention::schedule(&store).await?;
        let emails = EmailHash::open(&store, &settings.ids).await?;
        let audit = Audit { clock: clock.clone(), ids: settings.ids.clone(), emails };
        let stripe = Stripe::new(settings.payments)?;
        let mailer = Mailer::new(settings.mail)?;
        let public_url = settings.billing.public_url.clone();
        let billing =
            Billing::new(store.clone(), clock.clone(), settings.ids.clone(), stripe, settings.billing);
        billing.begin().await.map_err(StartError::Begin)?;
        let hashing = PasswordHashing::new(settings.hashing);
        let identity = identity(&parts, hashing, settings.identity)?;
        let platform = settings.conversions.map(Meta::new).transpose()?;
        let events_per_address = settings.limits.events_per_address;
        let tracking = TrackingApi::new(store.clone(), clock.clone(), &public_url, events_per_address);
        let mut handlers = handlers(&parts, &billing, identity.clone(), Post { mailer, public_url });
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
            tokio::spawn(beat(parts.clone(), ready.clone(), leaving.clone(), health.clone())),
        ];
        tasks.push(tokio::spawn(write_steps(tracking.steps(), store.clone())));
        if let Some((clock, url, name)) = sandbox {
            let client = client_for(&url).no_proxy().build()?;
            tasks.push(tokio::spawn(Follower { url, name, clock, queue: queue.clone(), client }.run()));
        }
        let sessions = Sessions::new(
            store.clone(),
            clock.clone(),
            settings.ids.clone(),
            identity.clone(),
            (settings.limits.calls_per_token, settings.limits.watches_per_token),
        );
        Ok(Self {
            trust: Trust::FleetSecret(settings.fleet_secret),
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
            ready,
            leaving,
            health,
            tasks,
        })
    }

    /// The services for an audience.
    pub fn routes(&self, audience: Audience) -> Routes {
        let auth = AuthService {
            store: self.parts.store.clone(),
            clock: self.parts.clock.clone(),
            ids: self.parts.ids.clone(),
            identity: self.identity.clone(),
            sessions: self.sessions.clone(),
            limits: self.limits.clone(),
            audit: self.audit.clone(),
            password_policy: self.password_policy.clone(),
        };
        let users = UserService {
            store: self.parts.store.clone(),
            billing: self.billing.clone(),
            sessions: self.sessions.clone(),
            identity: self.identity.clone(),
            limits: self.limits.clone(),
            audit: self.audit.clone(),
        };
        let billing = BillingServiceServer::new(BillingApi::new(self.billing.clone(), self.limits.clone()));
        let webhook = WebhookServiceServer::new(WebhookApi::new(self.billing.clone()));
        let mut routes = Routes::new(AuthServiceServer::new(auth).max_decoding_message_size(MAX_MESSAGE))
            .add_service(UserServiceServer::new(users).max_decoding_message_size(MAX_MESSAGE))
            .add_service(billing.max_decoding_message_size(MAX_MESSAGE))
            .add_service(webhook.max_decoding_message_size(MAX_EVENT))
            .add_service(
                TrackingServiceServer::new(self.tracking.clone()).max_decoding_message_size(MAX_MESSAGE),
            );
        if audience == Audience::Internal {
            let entitlement = EntitlementServiceServer::new(EntitlementApi::new(
                self.billing.clone(),
                self.feed.clone(),
                self.sessions.clone(),
            ));
            routes = self.add_internal(routes).add_service(entitlement.max_decoding_message_size(MAX_UIDS));
        }
        let trust = match audience {
            Audience::Gateway => Trust::InProcess,
            Audience::Internal => self.trust.clone(),
        };
        let layer = CallerLayer {
            sessions: self.sessions.clone(),
            clock: self.parts.clock.clone(),
            ids: self.parts.ids.clone(),
            trust,
            meters: Arc::new(Meters::new()),
        };
        Routes::from(routes.into_axum_router().layer(layer))
    }

    /// Adds what only the internal port has: health and reflection.
    fn add_internal(&self, routes: Routes) -> Routes {
        const OURS: &str = "the descriptors that this program was built with are readable";
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(garimpo_proto::ALL_DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let health = tonic_health::server::HealthService::from_health_reporter(self.health.clone());
        routes
            .add_service(tonic_health::pb::health_server::HealthServer::new(health))
            .add_service(reflection().build_v1().expect(OURS))
            .add_service(reflection().build_v1alpha().expect(OURS))
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
        self.parts.store.close().await;
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

/// Tells who asks for health, by whatever name.
async fn tell(health: &HealthReporter, status: ServingStatus) {
    for service in TOLD {
        health.set_service_status(service, status).await;
    }
}

/// Keeps readiness true: a clock that is known and a write that commits, until the server leaves.
async fn beat(parts: Parts, ready: Arc<AtomicBool>, leaving: CancellationToken, health: HealthReporter) {
    while !parts.clock.is_known() && !leaving.is_cancelled() {
        tokio::time::sleep(LOOK_AT_CLOCK).await;
    }
    loop {
        let alive = parts.store.heartbeat_write().await.is_ok() && !leaving.is_cancelled();
        if ready.swap(alive, Ordering::AcqRel) != alive {
            let status = if alive { ServingStatus::Serving } else { ServingStatus::NotServing };
            tell(&health, status).await;
        }
        // Asked again, since the word may have come between.
        if leaving.is_cancelled() {
            ready.store(false, Ordering::Release);
            return tell(&health, ServingStatus::NotServing).await;
        }
        tokio::time::sleep(if alive { BEAT_EVERY } else { BEAT_FIRST }).await;
    }
}
