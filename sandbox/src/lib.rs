//! Simulates the external services: payments, mailbox, conversions, challenges and the clock, over
//! HTTP and durable in `sandbox.db`. It uses no crate of the product, and no production code uses
//! it.
//!
//! Start reading at [`Sandbox::router`]. Imports run one way: `pages` and `control` use `provider`,
//! which uses `objects`, which use `state`.

// The provider's objects have more fields than `json!` nests by default.
#![recursion_limit = "512"]

#[macro_use]
mod ensure;

mod control;
mod objects;
mod pages;
mod provider;
mod state;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use time::OffsetDateTime;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use crate::state::behavior::Behavior;
use crate::state::calls::MAX_CALLS;
use crate::state::recent::Recent;
use crate::state::setting::Setting;
use crate::state::{Moment, World};

/// Number of events from pages that are kept.
const MAX_PIXEL_EVENTS: usize = 1000;

#[derive(Clone, Debug)]
pub struct Settings {
    /// Folder of `sandbox.db`, created if absent.
    pub data_dir: PathBuf,
    /// The sandbox's public origin, such as `http://127.0.0.1:12111`.
    pub url: String,
    /// The product's endpoint for webhooks.
    pub webhook_url: String,
    /// Start of the clock in a fresh world. Default: the machine's now.
    pub clock_start: Option<OffsetDateTime>,
}

pub struct Sandbox {
    world: Arc<World>,
    tasks: Vec<JoinHandle<()>>,
}

impl Sandbox {
    /// Opens the stored world and starts its clock: timers that fell due are fired, and undelivered
    /// events are sent again.
    pub async fn start(settings: Settings) -> anyhow::Result<Self> {
        // Fails if the process has chosen a crypto provider already, which then stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let store = state::store::Store::open(&settings.data_dir).await?;
        let clock = state::clock::Clock::open(&store, settings.clock_start.map(Moment::from)).await?;
        let faults = state::faults::Faults::open(&store).await?;
        let behavior = Setting::open(&store, "behavior", Behavior::default).await?;
        // Reading the system's root certificates takes longer than the rest of the start.
        let builder = reqwest::Client::builder();
        let is_https = settings.webhook_url.starts_with("https://");
        let builder = if is_https { builder } else { builder.tls_certs_only([]) };
        let http = builder
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .user_agent("Stripe/1.0 (+garimpo sandbox)")
            .build()?;
        let world = Arc::new(World {
            store,
            clock,
            faults,
            behavior,
            http,
            calls: Recent::new(MAX_CALLS),
            pixel_events: Recent::new(MAX_PIXEL_EVENTS),
            url: settings.url.trim_end_matches('/').into(),
            keys_in_use: parking_lot::Mutex::default(),
            verified_challenges: parking_lot::Mutex::default(),
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

    /// Every route.
    pub fn router(&self) -> Router {
        Router::new()
            .merge(control::clock::routes())
            .merge(control::mail::routes())
            .merge(control::graph::routes())
            .merge(control::pixel::routes())
            .merge(control::captcha::routes())
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

    /// Answers waiting followers, stops the clock and the deliveries, and closes the database.
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
