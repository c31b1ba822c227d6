//! The stand-in for the outside world: payments, mailbox, conversions and the clock,
//! over real HTTP and durable in `sandbox.db`. It uses nothing of the product, and no production code
//! uses it.
//!
//! Start reading at [`Sandbox::router`]; the payments API is under `payments`, what visitors see under
//! `pages`, what time does by itself in `timers`.

// The provider's objects have more fields than `json!` nests by default.
#![recursion_limit = "512"]

mod behavior;
mod boleto;
mod calls;
mod cards;
mod clock;
mod faults;
mod graph;
mod guard;
mod ids;
mod mail;
mod moment;
mod objects;
mod pages;
mod params;
mod payments;
mod pixel;
mod store;
mod test_doors;
mod timers;
mod webhooks;
mod world;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use time::OffsetDateTime;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::moment::Moment;
use crate::world::World;

/// What the sandbox is told at its start.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Folder of `sandbox.db`; made when absent.
    pub data_dir: PathBuf,
    /// Its own public origin, after the listener is bound, such as `http://127.0.0.1:12111`.
    pub url: String,
    /// Where the product takes webhooks.
    pub webhook_url: String,
    /// The instant at which a fresh world's clock starts; the machine's now when absent.
    pub clock_start: Option<OffsetDateTime>,
}

/// The running world.
pub struct Sandbox {
    world: Arc<World>,
    tasks: Vec<JoinHandle<()>>,
}

impl Sandbox {
    /// Opens the world as it was left and lets its time run: what fell due meanwhile happens, what was
    /// not delivered goes again.
    ///
    /// # Errors
    /// When the database cannot be opened or written.
    pub async fn start(settings: Settings) -> anyhow::Result<Self> {
        // Whoever runs us may have chosen a provider already; then that one stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let store = store::Store::open(&settings.data_dir).await?;
        let clock = clock::Clock::open(&store, settings.clock_start.map(Moment::from)).await?;
        let faults = faults::Faults::open(&store).await?;
        let behaviors = behavior::Behaviors::open(&store).await?;
        // Webhooks go to a product in development, over http: no certificate is trusted, so none has to be read.
        let http = reqwest::Client::builder()
            .tls_certs_only([])
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .user_agent("Stripe/1.0 (+garimpo sandbox)")
            .build()?;
        let world = Arc::new(World {
            store,
            clock,
            faults,
            behaviors,
            http,
            calls: calls::CallLog::default(),
            told: pixel::Told::default(),
            url: settings.url.trim_end_matches('/').into(),
            keys_in_use: Mutex::new(HashSet::new()),
            timers_changed: Notify::new(),
            deliveries_changed: Notify::new(),
            delivery_answered: Notify::new(),
            delivery_attempts: AtomicU64::new(0),
            stopping: watch::Sender::new(false),
        });
        webhooks::register_own(&world, &settings.webhook_url, payments::API_VERSION).await?;
        let tasks = vec![
            tokio::spawn(clock::tick_forever(world.clone())),
            tokio::spawn(webhooks::deliver_forever(world.clone())),
        ];
        Ok(Self { world, tasks })
    }

    /// Everything it answers over HTTP.
    pub fn router(&self) -> Router {
        Router::new()
            .merge(clock::routes())
            .merge(mail::routes())
            .merge(graph::routes())
            .merge(pixel::routes())
            .merge(faults::routes())
            .merge(behavior::routes())
            .merge(test_doors::routes())
            .merge(payments::routes())
            .merge(pages::routes())
            .layer(from_fn_with_state(self.world.clone(), faults::act))
            .layer(from_fn_with_state(self.world.clone(), guard::watch))
            .layer(from_fn_with_state(self.world.clone(), calls::watch))
            .layer(DefaultBodyLimit::max(1024 * 1024))
            .with_state(self.world.clone())
    }

    /// Answers the followers that wait, stops its time and its deliveries and closes the database; what was
    /// acknowledged is on disk.
    pub async fn stop(mut self) {
        self.world.stopping.send_replace(true);
        for task in std::mem::take(&mut self.tasks) {
            task.abort();
            let _ = task.await;
        }
        self.world.store.close().await;
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}
