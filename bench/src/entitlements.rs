//! EntitlementService on the internal port, as our own services use it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::future::try_join_all;
use garimpo_proto::auth::v1::SignUpRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use garimpo_proto::billing::v1::{
    BatchGetEntitlementsRequest, GetEntitlementsRequest, GetEntitlementsResponse, WatchEntitlementsRequest,
};
use tokio::sync::mpsc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Streaming};

use crate::figure::{Figure, count};
use crate::filled::{DataDir, uid};
use crate::load::{self, ROUND, ROUNDS, median};
use crate::product::{Product, service_token};
use crate::reference::{Reference, SIZED_UNARY};

const PATH: &str = "/garimpo.billing.v1.EntitlementService/GetEntitlements";
const BATCH_PATH: &str = "/garimpo.billing.v1.EntitlementService/BatchGetEntitlements";
/// The pace of a token is a setting; here the product's own is measured.
const UNPACED: (&str, &str) = ("GARIMPO_LIMIT_CALLS_TOKEN", "1000000000");
/// Tag and length of the one field that the reference answers.
const REFERENCE_OVERHEAD: usize = 3;
/// Accounts of one batch, and batches under way at once.
const BATCH: u32 = 1_000;
const BATCHES_AT_ONCE: u32 = 4;
/// First questions under way at once.
const FIRST_AT_ONCE: u32 = 64;
const WATCHERS: u16 = 1_000;
/// Streams of one connection; a port allows 256.
const STREAMS: u16 = 100;
/// Changes whose news are timed.
const CHANGES: u32 = 5;
const HEARD_WITHIN: Duration = Duration::from_secs(20);

/// A service of ours, connected.
#[derive(Clone)]
struct Service {
    channel: Channel,
    authorization: MetadataValue<Ascii>,
}

impl Service {
    async fn of(product: &Product, token: &str) -> Result<Self> {
        let channel = Endpoint::new(product.internal_url().to_owned())?.connect().await?;
        Ok(Self { channel, authorization: format!("Bearer {token}").parse()? })
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        request
    }

    fn client(&self) -> EntitlementServiceClient<Channel> {
        EntitlementServiceClient::new(self.channel.clone())
    }

    async fn get(&self, uid: String) -> Result<GetEntitlementsResponse> {
        let asked = self.request(GetEntitlementsRequest { uid });
        Ok(self.client().get_entitlements(asked).await?.into_inner())
    }

    /// Asks for a batch's accounts, the first of them and then each at this distance.
    async fn batch(&self, first: u32, distance: u32) -> Result<()> {
        let asked = self.request(BatchGetEntitlementsRequest { uids: uids(first, distance) });
        let told = self.client().batch_get_entitlements(asked).await?.into_inner();
        ensure!(told.not_found.is_empty(), "accounts are missing: {:?}", told.not_found.first());
        Ok(())
    }

    async fn watch(
        &self,
        asked: WatchEntitlementsRequest,
    ) -> Result<Streaming<garimpo_proto::billing::v1::WatchEntitlementsResponse>> {
        Ok(self.client().watch_entitlements(self.request(asked)).await?.into_inner())
    }
}

/// What was measured over one database.
pub struct Measured {
    /// GetEntitlements a second beside the reference.
    pub get: Figure,
    /// Batches a second.
    pub batch: Figure,
    /// What is not compared between databases.
    pub rest: Vec<Figure>,
}

impl Measured {
    /// All of it.
    pub fn into_figures(self) -> impl Iterator<Item = Figure> {
        [self.get, self.batch].into_iter().chain(self.rest)
    }
}

/// Measures over a database with so many accounts, which the figures name as `of`.
///
/// # Errors
/// Something does not come up, or an answer was not the one expected.
pub async fn measure(data: &DataDir, accounts: u32, of: &str) -> Result<Measured> {
    let product = Product::start_with(data.path(), &[UNPACED]).await?;
    let token = service_token(data.path(), "billing.read")?;
    let service = Service::of(&product, &token).await?;
    let (get, p99) = get(&product, &service, &token, of).await?;
    let first = first_questions(&service, accounts, of).await?;
    let (batch, batch_p99) = same_batches(&product, &service, &token, accounts / BATCH, of).await?;
    let mut rest = vec![p99, first, batch_p99];
    if accounts > BATCH {
        let others = format!("BatchGetEntitlements of 1,000 others each time{of}, 4 at once");
        let (cold, cold_p99) = batches(&service, &others, |n| n * BATCH % accounts).await?;
        rest.extend([cold, cold_p99]);
    }
    rest.extend(watchers(&product, &token, of).await?);
    product.stop()?;
    Ok(Measured { get, batch, rest })
}

/// Calls a second and their p99, 64 at once over 4 connections, beside a unary call of the same sizes.
async fn get(product: &Product, service: &Service, token: &str, of: &str) -> Result<(Figure, Figure)> {
    let asked = GetEntitlementsRequest { uid: uid(0) };
    let told = service.get(asked.uid.clone()).await?;
    let (message, size) = (encoded(&asked), encoded(&told).len());
    let reference = Reference::start(&"x".repeat(size - REFERENCE_OVERHEAD))?;
    let url = format!("{}{PATH}", product.internal_url());
    let sized = format!("{}{SIZED_UNARY}", reference.grpc);
    let headers = [format!("authorization: Bearer {token}")];

    let (ours, bare) = load::in_turn(
        async || load::calls_per_second(&url, &message, &headers, load::SMALL_CALLS).await,
        async || load::calls_per_second(&sized, &message, &headers, load::SMALL_CALLS).await,
    )
    .await?;
    let (ours_p99, bare_p99) = (
        load::calls_p99_ms(&url, &message, &headers, load::SMALL_CALLS).await?,
        load::calls_p99_ms(&sized, &message, &headers, load::SMALL_CALLS).await?,
    );
    let what = format!("GetEntitlements{of}, beside an empty tonic unary of the same {size} bytes");
    let rate = Figure::rate(&what, "calls/s", ours, bare).at_least_percent(70.0);
    Ok((rate, Figure::rate(&format!("{what}: p99"), "ms", ours_p99, bare_p99)))
}

/// Calls a second about accounts of whom nobody asked lately, so that each is read from the database.
async fn first_questions(service: &Service, accounts: u32, of: &str) -> Result<Figure> {
    let (next, until) = (AtomicU32::new(0), Instant::now() + ROUND);
    let asking = || async {
        while Instant::now() < until {
            // Of a thousand accounts each comes back sooner than it is forgotten: there it is told from memory.
            service.get(uid(next.fetch_add(1, Ordering::Relaxed) % accounts)).await?;
        }
        anyhow::Ok(())
    };
    try_join_all((0..FIRST_AT_ONCE).map(|_| asking())).await?;
    let rate = count(next.load(Ordering::Relaxed)) / ROUND.as_secs_f64();
    let what = format!("GetEntitlements{of}, one account after the other, by one tonic client");
    Ok(Figure { what, unit: "calls/s", ours: rate, reference: None, goal: None })
}

/// Batches of the same thousand accounts a second and their p99, 4 at once. The client that reads them is a process of
/// its own: to read a thousand answers takes longer than to give them.
async fn same_batches(
    product: &Product,
    service: &Service,
    token: &str,
    distance: u32,
    of: &str,
) -> Result<(Figure, Figure)> {
    // Their pages come from the disk once; those that are new each time are the next figure's matter.
    service.batch(0, distance).await?;
    let asked = encoded(&BatchGetEntitlementsRequest { uids: uids(0, distance) });
    let url = format!("{}{BATCH_PATH}", product.internal_url());
    let headers = [format!("authorization: Bearer {token}")];
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(load::calls_per_second(&url, &asked, &headers, 1).await?);
    }
    let p99 = load::calls_p99_ms(&url, &asked, &headers, 1).await?;
    let what = format!("BatchGetEntitlements of the same 1,000{of}, 4 at once");
    Ok((plain(what.clone(), "batches/s", median(rounds)), plain(format!("{what}: p99"), "ms", p99)))
}

/// Batches a second and their p99, read by tonic clients of ours; `whom` says with which account the `n`th begins.
async fn batches(service: &Service, what: &str, whom: impl Fn(u32) -> u32) -> Result<(Figure, Figure)> {
    let (next, until) = (AtomicU32::new(0), Instant::now() + ROUND);
    let asking = || async {
        let mut took = Vec::new();
        while Instant::now() < until {
            let began = Instant::now();
            service.batch(whom(next.fetch_add(1, Ordering::Relaxed)), 1).await?;
            took.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
        anyhow::Ok(took)
    };
    let took = try_join_all((0..BATCHES_AT_ONCE).map(|_| asking())).await?.concat();
    let rate = count(took.len()) / ROUND.as_secs_f64();
    let p99 = load::percentile(took, 99).context("batches")?;
    Ok((plain(what.to_owned(), "batches/s", rate), plain(format!("{what}: p99"), "ms", p99)))
}

/// A figure that stands alone.
fn plain(what: String, unit: &'static str, ours: f64) -> Figure {
    Figure { what, unit, ours, reference: None, goal: None }
}

/// A batch's accounts: this one, and then each at this distance.
fn uids(first: u32, distance: u32) -> Vec<String> {
    (0..BATCH).map(|n| uid(first + n * distance)).collect()
}

/// How long a change takes to the last of a thousand watchers of all accounts, and what each of them weighs.
async fn watchers(product: &Product, token: &str, of: &str) -> Result<[Figure; 2]> {
    let mut connections = Vec::new();
    for _ in 0..WATCHERS.div_ceil(STREAMS) {
        connections.push(Service::of(product, token).await?);
    }
    let cursor = present_cursor(&connections[0]).await?;
    let before_mb = product.resident_mb()?;
    let (heard, mut hearing) = mpsc::unbounded_channel();
    let mut open = Vec::new();
    for n in 0..WATCHERS {
        let asked = WatchEntitlementsRequest { uids: Vec::new(), cursor: Some(cursor.clone()) };
        let mut stream = connections[usize::from(n / STREAMS)].watch(asked).await?;
        // The first message says that it is level: from here on news alone come.
        stream.message().await?.context("a first message")?;
        open.push(tokio::spawn(listen(stream, heard.clone())));
    }
    let each_kb = (product.resident_mb()? - before_mb) * 1_000.0 / f64::from(WATCHERS);

    let mut took = Vec::new();
    let mut auth = AuthServiceClient::new(Endpoint::new(product.url().to_owned())?.connect().await?);
    for change in 0..CHANGES {
        let began = Instant::now();
        auth.sign_up(somebody(change)).await?;
        for _ in 0..WATCHERS {
            tokio::time::timeout(HEARD_WITHIN, hearing.recv()).await?.context("a watcher has ended")?;
        }
        took.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    open.iter().for_each(tokio::task::JoinHandle::abort);
    let what = format!("sign-up{of} until the last of 1,000 watchers has heard");
    Ok([
        Figure::cost(&what, "ms", median(took), 1_000.0),
        Figure {
            what: format!("resident memory of a watcher{of}"),
            unit: "KB",
            ours: each_kb,
            reference: None,
            goal: None,
        },
    ])
}

/// Says each change that comes.
async fn listen(
    mut stream: Streaming<garimpo_proto::billing::v1::WatchEntitlementsResponse>,
    heard: mpsc::UnboundedSender<()>,
) {
    while let Ok(Some(message)) = stream.message().await {
        if !message.uid.is_empty() && heard.send(()).is_err() {
            return;
        }
    }
}

async fn present_cursor(service: &Service) -> Result<String> {
    let mut stream = service.watch(WatchEntitlementsRequest { uids: vec![uid(0)], cursor: None }).await?;
    loop {
        let message = stream.message().await?.context("a cursor")?;
        if !message.cursor.is_empty() {
            return Ok(message.cursor);
        }
    }
}

fn somebody(n: u32) -> SignUpRequest {
    SignUpRequest {
        email: format!("nova{n}@exemplo.com.br"),
        password: "segredo1".to_owned(),
        display_name: "Ana Souza".to_owned(),
        phone_number: String::new(),
        ..Default::default()
    }
}

fn encoded(message: &impl prost::Message) -> Vec<u8> {
    message.encode_to_vec()
}
