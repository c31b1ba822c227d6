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
use prost::Message as _;
use tokio::sync::mpsc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Streaming};

use crate::figure::{Figure, count};
use crate::filled::{self, DataDir, FEW, MANY, uid};
use crate::load::{self, Calls, ROUND, median};
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

/// The product over one of the databases, as a service of ours asks it.
struct Side {
    product: Product,
    accounts: u32,
    /// What figures say of the database.
    of: &'static str,
    authorization: String,
    /// Goes after the product.
    _data: DataDir,
}

impl Side {
    async fn start(accounts: u32, of: &'static str) -> Result<Self> {
        let data = filled::data_dir(accounts).await?;
        let product = Product::start_with(data.path(), &[UNPACED]).await?;
        let authorization = format!("Bearer {}", service_token(data.path(), "billing.read")?);
        Ok(Self { product, accounts, of, authorization, _data: data })
    }

    async fn connect(&self) -> Result<Service> {
        let channel = Endpoint::new(self.product.internal_url().to_owned())?.connect().await?;
        Ok(Service { channel, authorization: self.authorization.parse()? })
    }

    /// The same call by a client that is a process of its own.
    fn calls(&self, path: &str, asked: &impl prost::Message, at_once: u32) -> Calls {
        Calls {
            url: format!("{}{path}", self.product.internal_url()),
            message: asked.encode_to_vec(),
            authorization: self.authorization.clone(),
            at_once,
        }
    }
}

/// A service of ours, connected.
struct Service {
    channel: Channel,
    authorization: MetadataValue<Ascii>,
}

impl Service {
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

    async fn batch(&self, asked: BatchGetEntitlementsRequest) -> Result<()> {
        let told = self.client().batch_get_entitlements(self.request(asked)).await?.into_inner();
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

/// Measures with few accounts and with many, both products running: an idle one costs nothing.
///
/// # Errors
/// Something does not come up, or an answer was not the one expected.
pub async fn measure() -> Result<Vec<Figure>> {
    let (few, many) = (Side::start(FEW, "").await?, Side::start(MANY, " of a million").await?);
    let mut figures = get(&few, &many).await?;
    figures.extend([first_questions(&few).await?, first_questions(&many).await?]);
    figures.extend(same_batches(&few, &many).await?);
    figures.extend(other_batches(&many).await?);
    for side in [few, many] {
        figures.extend(watchers(&side).await?);
        side.product.stop()?;
    }
    Ok(figures)
}

/// Calls a second and their p99, 64 at once over 4 connections, beside a unary call of the same sizes.
async fn get(few: &Side, many: &Side) -> Result<Vec<Figure>> {
    let asked = GetEntitlementsRequest { uid: uid(0) };
    let size = few.connect().await?.get(uid(0)).await?.encoded_len();
    let reference = Reference::start(&"x".repeat(size - REFERENCE_OVERHEAD))?;
    let [small, large] = [few, many].map(|side| side.calls(PATH, &asked, load::SMALL_CALLS));
    let sized = Calls { url: format!("{}{SIZED_UNARY}", reference.grpc), ..small.clone() };

    let [ours, bare, of_many] = load::in_turn([&small, &sized, &large], Calls::per_second).await?;
    let bare_p99 = sized.p99_ms().await?;
    let mut figures = Vec::new();
    for (side, calls, rate) in [(few, &small, ours), (many, &large, of_many)] {
        let what =
            format!("GetEntitlements{}, beside an empty tonic unary of the same {size} bytes", side.of);
        figures.push(Figure::rate(&what, "calls/s", rate, bare).at_least_percent(70.0));
        figures.push(Figure::rate(&format!("{what}: p99"), "ms", calls.p99_ms().await?, bare_p99));
    }
    figures.push(Figure::kept("GetEntitlements", "calls/s", of_many, ours));
    Ok(figures)
}

/// Calls a second about accounts of whom nobody asked lately, so that each is read from the database.
async fn first_questions(side: &Side) -> Result<Figure> {
    let service = side.connect().await?;
    let (next, until) = (AtomicU32::new(0), Instant::now() + ROUND);
    let asking = || async {
        while Instant::now() < until {
            // Of a thousand accounts each comes back sooner than it is forgotten: there it is told from memory.
            service.get(uid(next.fetch_add(1, Ordering::Relaxed) % side.accounts)).await?;
        }
        anyhow::Ok(())
    };
    try_join_all((0..FIRST_AT_ONCE).map(|_| asking())).await?;
    let rate = count(next.load(Ordering::Relaxed)) / ROUND.as_secs_f64();
    let what = format!("GetEntitlements{}, one account after the other, by one tonic client", side.of);
    Ok(Figure::alone(&what, "calls/s", rate))
}

/// Batches of the same thousand accounts a second and their p99, 4 at once. The client that reads them is a process of
/// its own: to read a thousand answers takes longer than to give them.
async fn same_batches(few: &Side, many: &Side) -> Result<Vec<Figure>> {
    let spread = |side: &Side| batch(0, side.accounts / BATCH);
    for side in [few, many] {
        side.connect().await?.batch(spread(side)).await?;
    }
    let [small, large] = [few, many].map(|side| side.calls(BATCH_PATH, &spread(side), 1));

    let [ours, of_many] = load::in_turn([&small, &large], Calls::per_second).await?;
    let mut figures = Vec::new();
    for (side, calls, rate) in [(few, &small, ours), (many, &large, of_many)] {
        let what = format!("BatchGetEntitlements of the same 1,000{}, 4 at once", side.of);
        figures.push(Figure::alone(&what, "batches/s", rate));
        figures.push(Figure::alone(&format!("{what}: p99"), "ms", calls.p99_ms().await?));
    }
    figures.push(Figure::kept("BatchGetEntitlements", "batches/s", of_many, ours));
    Ok(figures)
}

/// Batches of accounts that were not asked for lately a second and their p99, read by tonic clients of ours.
async fn other_batches(side: &Side) -> Result<[Figure; 2]> {
    let service = side.connect().await?;
    let (next, until) = (AtomicU32::new(0), Instant::now() + ROUND);
    let asking = || async {
        let mut took = Vec::new();
        while Instant::now() < until {
            let first = next.fetch_add(1, Ordering::Relaxed) * BATCH % side.accounts;
            let began = Instant::now();
            service.batch(batch(first, 1)).await?;
            took.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
        anyhow::Ok(took)
    };
    let took = try_join_all((0..BATCHES_AT_ONCE).map(|_| asking())).await?.concat();
    let rate = count(took.len()) / ROUND.as_secs_f64();
    let p99 = load::percentile(took, 99).context("batches")?;
    let what = format!("BatchGetEntitlements of 1,000 others each time{}, 4 at once", side.of);
    Ok([Figure::alone(&what, "batches/s", rate), Figure::alone(&format!("{what}: p99"), "ms", p99)])
}

/// A batch: this account, and then each at this distance.
fn batch(first: u32, distance: u32) -> BatchGetEntitlementsRequest {
    BatchGetEntitlementsRequest { uids: (0..BATCH).map(|n| uid(first + n * distance)).collect() }
}

/// How long a change takes to the last of a thousand watchers of all accounts, and what each of them weighs.
async fn watchers(side: &Side) -> Result<[Figure; 2]> {
    let Side { product, of, .. } = side;
    let mut connections = Vec::new();
    for _ in 0..WATCHERS.div_ceil(STREAMS) {
        connections.push(side.connect().await?);
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
        Figure::alone(&format!("resident memory of a watcher{of}"), "KB", each_kb),
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
