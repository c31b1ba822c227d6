//! The stand-in for the outside world: payments, mailbox, conversions and the clock,
//! over real HTTP and durable in `sandbox.db`. It uses nothing of the product, and no production code
//! uses it.
//!
//! Start reading at [`Sandbox::router`]; the payments API is under `provider`, what visitors see under
//! `pages`, what time does by itself in `state::timers`.

// The provider's objects have more fields than `json!` nests by default.
#![recursion_limit = "512"]

mod control;
mod objects;
mod pages;
mod provider;
mod state;

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

use crate::state::calls::MAX_CALLS;
use crate::state::recent::Recent;
use crate::state::{Moment, World};

/// Number of events from pages that are kept.
const MAX_PIXEL_EVENTS: usize = 1000;

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
        let store = state::store::Store::open(&settings.data_dir).await?;
        let clock = state::clock::Clock::open(&store, settings.clock_start.map(Moment::from)).await?;
        let faults = state::faults::Faults::open(&store).await?;
        let behaviors = state::behaviors::Behaviors::open(&store).await?;
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
            calls: Recent::new(MAX_CALLS),
            pixel_events: Recent::new(MAX_PIXEL_EVENTS),
            url: settings.url.trim_end_matches('/').into(),
            keys_in_use: Mutex::new(HashSet::new()),
            timers_changed: Notify::new(),
            deliveries_changed: Notify::new(),
            delivery_answered: Notify::new(),
            delivery_attempts: AtomicU64::new(0),
            stopping: watch::Sender::new(false),
        });
        provider::webhooks::register_own(&world, &settings.webhook_url).await?;
        let tasks = vec![
            tokio::spawn(control::clock::walk::tick_forever(world.clone())),
            tokio::spawn(provider::webhooks::deliver_forever(world.clone())),
        ];
        Ok(Self { world, tasks })
    }

    /// Everything it answers over HTTP.
    pub fn router(&self) -> Router {
        Router::new()
            .merge(control::clock::routes())
            .merge(control::mail::routes())
            .merge(control::graph::routes())
            .merge(control::pixel::routes())
            .merge(control::faults::routes())
            .merge(control::behavior::routes())
            .merge(control::test_api::routes())
            .merge(provider::api::routes())
            .merge(pages::routes())
            .layer(from_fn_with_state(self.world.clone(), control::faults::act))
            .layer(from_fn_with_state(self.world.clone(), control::guard::watch))
            .layer(from_fn_with_state(self.world.clone(), control::calls::watch))
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
