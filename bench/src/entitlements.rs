//! EntitlementService on the internal port.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
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

use crate::figure::Figure;
use crate::filled::{self, DataDir, FEW, MANY, uid};
use crate::load::{self, Calls, median};
use crate::product::{Product, service_token, sign_up_request};
use crate::reference::{Reference, SIZED_UNARY};

const PATH: &str = "/garimpo.billing.v1.EntitlementService/GetEntitlements";
const BATCH_PATH: &str = "/garimpo.billing.v1.EntitlementService/BatchGetEntitlements";
/// No limit of calls per token.
const NO_LIMIT: (&str, &str) = ("GARIMPO_LIMIT_CALLS_TOKEN", "1000000000");
/// Bytes of tag and length of the only field in the response of the reference.
const REFERENCE_OVERHEAD: usize = 3;
/// Accounts of one batch.
const BATCH: u32 = 1_000;
const WATCHERS: u16 = 1_000;
/// Streams per connection. A port allows 256.
const STREAMS: u16 = 100;
/// Measured changes.
const CHANGES: u32 = 5;
const RECEIVED_WITHIN: Duration = Duration::from_secs(20);

/// The running product with one of the databases.
struct Side {
    product: Product,
    accounts: u32,
    /// Added to the names of the figures.
    of: &'static str,
    authorization: String,
    /// Dropped after the product.
    _data: DataDir,
}

impl Side {
    async fn start(accounts: u32, of: &'static str) -> Result<Self> {
        let data = filled::data_dir(accounts).await?;
        let product = Product::start_with(data.path(), &[NO_LIMIT]).await?;
        let authorization = format!("Bearer {}", service_token(data.path(), &[], "billing.read")?);
        Ok(Self { product, accounts, of, authorization, _data: data })
    }

    async fn connect(&self) -> Result<Client> {
        let channel = Endpoint::new(self.product.internal_url().to_owned())?.connect().await?;
        Ok(Client { channel, authorization: self.authorization.parse()? })
    }

    /// A call by h2load.
    fn calls(&self, path: &str, request: &impl prost::Message, at_once: u32) -> Calls {
        Calls {
            url: format!("{}{path}", self.product.internal_url()),
            message: request.encode_to_vec(),
            authorization: self.authorization.clone(),
            at_once,
        }
    }
}

/// A connected client.
struct Client {
    channel: Channel,
    authorization: MetadataValue<Ascii>,
}

impl Client {
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        request
    }

    fn client(&self) -> EntitlementServiceClient<Channel> {
        EntitlementServiceClient::new(self.channel.clone())
    }

    async fn get(&self, uid: String) -> Result<GetEntitlementsResponse> {
        let request = self.request(GetEntitlementsRequest { uid });
        Ok(self.client().get_entitlements(request).await?.into_inner())
    }

    async fn batch(&self, request: BatchGetEntitlementsRequest) -> Result<()> {
        let reply = self.client().batch_get_entitlements(self.request(request)).await?.into_inner();
        ensure!(reply.not_found.is_empty(), "accounts are missing: {:?}", reply.not_found.first());
        Ok(())
    }

    async fn watch(
        &self,
        request: WatchEntitlementsRequest,
    ) -> Result<Streaming<garimpo_proto::billing::v1::WatchEntitlementsResponse>> {
        Ok(self.client().watch_entitlements(self.request(request)).await?.into_inner())
    }
}

/// Measures with few accounts and with many. Both products run all the time: an idle one costs
/// nothing.
pub async fn measure() -> Result<Vec<Figure>> {
    let (few, many) = (Side::start(FEW, "").await?, Side::start(MANY, " of a million").await?);
    let mut figures = get(&few, &many).await?;
    figures.push(batches(&few, &many).await?);
    for side in [few, many] {
        figures.push(watchers(&side).await?);
        side.product.stop()?;
    }
    Ok(figures)
}

/// Calls per second, 64 concurrent over 4 connections, compared with a unary call of equal
/// size.
async fn get(few: &Side, many: &Side) -> Result<Vec<Figure>> {
    let request = GetEntitlementsRequest { uid: uid(0) };
    let size = few.connect().await?.get(uid(0)).await?.encoded_len();
    let reference = Reference::start(&"x".repeat(size - REFERENCE_OVERHEAD))?;
    let [small, large] = [few, many].map(|side| side.calls(PATH, &request, load::SMALL_CALLS));
    let sized = Calls { url: format!("{}{SIZED_UNARY}", reference.grpc), ..small.clone() };

    let [ours, bare, of_many] = load::in_turn([&small, &sized, &large], Calls::per_second).await?;
    let mut figures = Vec::new();
    for (side, rate) in [(few, ours), (many, of_many)] {
        let what = format!(
            "GetEntitlements{}, compared with an empty tonic unary of the same {size} bytes",
            side.of
        );
        figures.push(Figure::rate(&what, "calls/s", rate, bare));
    }
    figures.push(Figure::kept("GetEntitlements", "calls/s", of_many, ours));
    Ok(figures)
}

/// Batches of the same 1,000 accounts per second, 4 concurrent. h2load does not decode the replies,
/// which takes longer than to send them.
async fn batches(few: &Side, many: &Side) -> Result<Figure> {
    let spread = |side: &Side| batch(side.accounts / BATCH);
    for side in [few, many] {
        side.connect().await?.batch(spread(side)).await?;
    }
    let [small, large] = [few, many].map(|side| side.calls(BATCH_PATH, &spread(side), 1));

    let [ours, of_many] = load::in_turn([&small, &large], Calls::per_second).await?;
    Ok(Figure::kept("BatchGetEntitlements", "batches/s", of_many, ours))
}

/// 1,000 accounts, `distance` apart.
fn batch(distance: u32) -> BatchGetEntitlementsRequest {
    BatchGetEntitlementsRequest { uids: (0..BATCH).map(|n| uid(n * distance)).collect() }
}

/// Time until the last of 1,000 watchers receives a change.
async fn watchers(side: &Side) -> Result<Figure> {
    let Side { product, of, .. } = side;
    let mut connections = Vec::new();
    for _ in 0..WATCHERS.div_ceil(STREAMS) {
        connections.push(side.connect().await?);
    }
    let cursor = present_cursor(&connections[0]).await?;
    let (received, mut receiver) = mpsc::unbounded_channel();
    let mut open = Vec::new();
    for n in 0..WATCHERS {
        let request = WatchEntitlementsRequest { uids: Vec::new(), cursor: Some(cursor.clone()) };
        let mut stream = connections[usize::from(n / STREAMS)].watch(request).await?;
        // After the first message, a heartbeat, only changes come.
        stream.message().await?.context("a first message")?;
        open.push(tokio::spawn(listen(stream, received.clone())));
    }

    let mut took = Vec::new();
    let mut auth = AuthServiceClient::new(Endpoint::new(product.url().to_owned())?.connect().await?);
    for change in 0..CHANGES {
        let began = Instant::now();
        auth.sign_up(sign_up_request(&format!("nova{change}@exemplo.com.br"))).await?;
        for _ in 0..WATCHERS {
            tokio::time::timeout(RECEIVED_WITHIN, receiver.recv()).await?.context("a watcher has ended")?;
        }
        took.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    open.iter().for_each(tokio::task::JoinHandle::abort);
    let what = format!("sign-up{of} until the last of 1,000 watchers has received it");
    Ok(Figure::alone(&what, "ms", median(took)))
}

/// Reports each received change.
async fn listen(
    mut stream: Streaming<garimpo_proto::billing::v1::WatchEntitlementsResponse>,
    received: mpsc::UnboundedSender<()>,
) {
    while let Ok(Some(message)) = stream.message().await {
        if !message.uid.is_empty() && received.send(()).is_err() {
            return;
        }
    }
}

async fn present_cursor(client: &Client) -> Result<String> {
    let mut stream = client.watch(WatchEntitlementsRequest { uids: vec![uid(0)], cursor: None }).await?;
    loop {
        let message = stream.message().await?.context("a cursor")?;
        if !message.cursor.is_empty() {
            return Ok(message.cursor);
        }
    }
}
