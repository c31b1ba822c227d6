//! Binds the ports, starts the components of the role and stops them in order.

mod banner;
mod manager;
pub mod parts;
mod traces;

use crate::activation::Sockets;
use crate::config::{Config, Role};
use crate::data_dir::{AddressNote, Addresses, Lock};
use crate::operate;
use anyhow::{Context, Result};
use axum::Router;
use garimpo_gateway::Ready;
use garimpo_listener::accept::{self, Connections, Port, ShutdownTokens};
use garimpo_listener::tls::{self, Handshakes, TlsSettings};
use garimpo_sandbox::Sandbox;
use garimpo_server::App;
use metrics_exporter_prometheus::PrometheusHandle;
use parts::Endpoints;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;

/// After so long the public port opens although nothing is ready, and replies UNAVAILABLE.
const FIRST_ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// Runs one process of the product until a signal stops it.
pub async fn run(config: Config, sockets: Sockets, metrics: PrometheusHandle) -> Result<()> {
    let traces = traces::start(&config)?;
    let mut process = Process::open(config, sockets).await?;
    let started = process.start(metrics).await;
    if let Ok(ready) = &started {
        tokio::select! {
            () = stop_asked() => {}
            () = manager::report_ready(ready.clone()) => {}
        }
        manager::report_stopping();
        tracing::info!("stopping");
        process.leave().await;
    }
    process.close().await;
    if let Some(traces) = traces {
        traces.stop().await;
    }
    started.map(drop)
}

/// A running process and its resources.
struct Process {
    config: Config,
    ports: Ports,
    stopping: Arc<AtomicBool>,
    /// Ports for calls from outside, and ports that our own running calls still need.
    outer: Serving,
    inner: Serving,
    server: Option<Arc<App>>,
    sandbox: Option<Sandbox>,
    note: Option<AddressNote>,
    _locks: Vec<Lock>,
}

/// The bound listeners; each is taken when it is served.
#[derive(Default)]
struct Ports {
    public: Option<Port>,
    grpc: Option<Port>,
    sandbox: Option<Port>,
    metrics: Option<Port>,
    redirect: Option<Port>,
    addresses: Addresses,
}

/// Ports that stop together.
#[derive(Default)]
struct Serving {
    shutdown: ShutdownTokens,
    loops: JoinSet<()>,
}

impl Serving {
    fn add(&mut self, port: Option<Port>, router: Router, connections: Connections) {
        self.add_after(std::future::ready(()), port, router, connections);
    }

    /// Accepts the first connection after a moment; until then connections wait in the port's
    /// queue.
    fn add_after(
        &mut self,
        moment: impl Future<Output = ()> + Send + 'static,
        port: Option<Port>,
        router: Router,
        connections: Connections,
    ) {
        if let Some(port) = port {
            let shutdown = self.shutdown.clone();
            self.loops.spawn(async move {
                tokio::select! {
                    () = moment => {}
                    () = shutdown.stop.cancelled() => {}
                }
                accept::serve(port, router, shutdown, connections).await;
            });
        }
    }

    async fn end(&mut self) {
        self.shutdown.stop.cancel();
        while self.loops.join_next().await.is_some() {}
    }
}

impl Process {
    async fn open(config: Config, sockets: Sockets) -> Result<Self> {
        let locks = parts::locks(&config)?;
        let ports = Ports::open(&config, sockets).await?;
        Ok(Self {
            config,
            ports,
            stopping: Arc::default(),
            outer: Serving::default(),
            inner: Serving::default(),
            server: None,
            sandbox: None,
            note: None,
            _locks: locks,
        })
    }

    async fn start(&mut self, metrics: PrometheusHandle) -> Result<Ready> {
        let endpoints = Endpoints::of(&self.config, &self.ports.addresses);
        let sandbox = start_sandbox(&self.config, self.ports.sandbox.take(), &endpoints, &mut self.inner);
        // Together, because both wait for the disk. A call of the server waits in the sandbox's
        // port until it is served.
        (self.sandbox, self.server) = tokio::try_join!(sandbox, start_server(&self.config, &endpoints))?;
        let ready = match self.server.clone() {
            Some(server) => self.serve_product(&server, &endpoints)?,
            None => self.unless_stopping(|| true),
        };
        self.inner.add(
            self.ports.metrics.take(),
            operate::router(metrics, ready.clone()),
            Connections::internal("metrics_connections"),
        );
        self.serve_redirect(&endpoints);
        let addresses = &self.ports.addresses;
        self.note = Some(AddressNote::write(&self.config.data_dir, addresses)?);
        tracing::info!(
            site = addresses.public.as_deref(),
            grpc = addresses.grpc.as_deref(),
            sandbox = addresses.sandbox.as_deref(),
            metrics = addresses.metrics.as_deref(),
            redirect = addresses.redirect.as_deref(),
            "garimpo listens"
        );
        banner::show(addresses)?;
        Ok(ready)
    }

    /// Serves the internal port and the public one.
    fn serve_product(&mut self, server: &Arc<App>, endpoints: &Endpoints) -> Result<Ready> {
        let watched = server.clone();
        let ready = self.unless_stopping(move || watched.ready());
        let internal = server.internal_routes().into_axum_router();
        self.outer.add(self.ports.grpc.take(), internal, Connections::internal("grpc_connections"));
        let settings = parts::gateway_settings(&self.config, endpoints);
        let public =
            garimpo_gateway::router(settings, server.services(), server.public_routes(), ready.clone());
        self.serve_public(public, ready.clone())?;
        Ok(ready)
    }

    /// Serves the public port once the first call can be answered. Callers who waited for a restart
    /// would get 503 until the sandbox's clock is read.
    fn serve_public(&mut self, router: Router, ready: Ready) -> Result<()> {
        let connections = Connections::public(self.config.limits.connections, &self.config.trusted_proxies);
        let port = self.ports.public.take().map(|port| self.with_tls(port)).transpose()?;
        let answers = manager::wait_until_ready(FIRST_ANSWER_WITHIN, ready);
        self.outer.add_after(answers, port, router, connections);
        Ok(())
    }

    /// The public port over https, if the settings have a certificate for it.
    fn with_tls(&self, port: Port) -> Result<Port> {
        let certificate = match &self.config.tls {
            None => return Ok(port),
            Some(TlsSettings::Files(files)) => tls::files::start(files).context("GARIMPO_TLS_CERT")?,
            Some(TlsSettings::Acme(acme)) => {
                tls::acme::start(acme, &self.config.data_dir).context("GARIMPO_ACME")?
            }
        };
        Ok(port.with_tls(Handshakes::new(certificate, self.config.limits.handshakes)?))
    }

    fn serve_redirect(&mut self, endpoints: &Endpoints) {
        let router = garimpo_gateway::redirect(endpoints.public.clone());
        self.outer.add(self.ports.redirect.take(), router, Connections::redirect());
    }

    fn unless_stopping(&self, ready: impl Fn() -> bool + Send + Sync + 'static) -> Ready {
        let stopping = self.stopping.clone();
        Arc::new(move || !stopping.load(Ordering::Relaxed) && ready())
    }

    /// Reports not ready, and keeps serving until load balancers have noticed.
    async fn leave(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.outer.shutdown.drain.cancel();
        if let Some(server) = &self.server {
            server.leave().await;
        }
        tokio::time::sleep(self.config.drain).await;
    }

    /// Reports not ready, lets calls from outside finish, then stops what they needed.
    async fn close(mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.outer.end().await;
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
        if let Some(sandbox) = self.sandbox.take() {
            sandbox.stop().await;
        }
        self.inner.end().await;
        drop(self.note.take());
    }
}

/// Starts and serves the sandbox if it has a port.
async fn start_sandbox(
    config: &Config,
    port: Option<Port>,
    endpoints: &Endpoints,
    inner: &mut Serving,
) -> Result<Option<Sandbox>> {
    if port.is_none() {
        return Ok(None);
    }
    let settings = parts::sandbox_settings(config, endpoints);
    let sandbox = Sandbox::start(settings).await.context("starting the sandbox")?;
    inner.add(port, sandbox.router(), Connections::internal("sandbox_connections"));
    Ok(Some(sandbox))
}

/// Starts the server, unless this process is the sandbox alone.
async fn start_server(config: &Config, endpoints: &Endpoints) -> Result<Option<Arc<App>>> {
    if config.role != Role::Serve {
        return Ok(None);
    }
    let settings = parts::server_settings(config, endpoints);
    Ok(Some(Arc::new(App::start(settings).await.map_err(parts::start_error)?)))
}

impl Ports {
    async fn open(config: &Config, mut sockets: Sockets) -> Result<Self> {
        let listen = config.listen;
        let public_scheme = parts::public_scheme(config);
        let mut open = async |socket: &str, setting: &str, address: SocketAddr| {
            let port = match sockets.take(socket) {
                Some(inherited) => Port::inherited(inherited).with_context(|| format!("socket {socket}"))?,
                None => bind(setting, address).await?,
            };
            let scheme = if socket == "public" { public_scheme } else { "http" };
            let reachable = parts::reachable(scheme, port.address()?);
            anyhow::Ok((Some(port), Some(reachable)))
        };
        let mut ports = Self::default();
        let addresses = &mut ports.addresses;
        if config.role == Role::Serve {
            (ports.public, addresses.public) = open("public", "GARIMPO_LISTEN", listen.public).await?;
            if let Some(redirect) = listen.redirect {
                (ports.redirect, addresses.redirect) =
                    open("redirect", "GARIMPO_REDIRECT_LISTEN", redirect).await?;
            }
            (ports.grpc, addresses.grpc) = open("grpc", "GARIMPO_GRPC_LISTEN", listen.grpc).await?;
        }
        if let Some(sandbox) = listen.sandbox.filter(|_| config.runs_sandbox()) {
            (ports.sandbox, addresses.sandbox) = open("sandbox", "GARIMPO_SANDBOX_LISTEN", sandbox).await?;
        }
        (ports.metrics, addresses.metrics) =
            open("metrics", "GARIMPO_METRICS_LISTEN", listen.metrics).await?;
        Ok(ports)
    }
}

async fn bind(setting: &str, address: SocketAddr) -> Result<Port> {
    let bound = TcpListener::bind(address).await;
    Ok(bound.with_context(|| format!("{setting}: {address} cannot be bound"))?.into())
}

/// Waits for SIGINT or SIGTERM; a second one ends the process at once.
pub(crate) async fn stop_asked() {
    let mut signals = Signals::listen();
    signals.next().await;
    // The same listeners go on, because a signal that comes between two of them would be lost.
    tokio::spawn(async move {
        signals.next().await;
        std::process::exit(130);
    });
}

/// SIGINT and SIGTERM; `None` without handlers: the system's own apply, which end the process.
struct Signals(Option<[Signal; 2]>);

impl Signals {
    fn listen() -> Self {
        let both = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
        Self(if let (Ok(interrupt), Ok(terminate)) = both { Some([interrupt, terminate]) } else { None })
    }

    async fn next(&mut self) {
        let Some([interrupt, terminate]) = &mut self.0 else { return std::future::pending().await };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}
