//! POST /webhooks/stripe with new signed events from 32 callers, compared with raw durable commits.

use std::cell::Cell;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use garimpo_server::clock::{Clock as _, SystemClock};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use sha2::Sha256;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::net::TcpStream;

use crate::figure::{Figure, count};
use crate::filled::{self, FEW, MANY};
use crate::load;
use crate::product::Product;

const CALLERS: usize = 32;
const EVENTS: usize = 16_000;
const RAW_COMMITS: usize = 4_000;
/// About the size of an invoice event of Stripe, in bytes.
const FILLER: usize = 2_500;
/// The fixed secret of the sandbox.
const SECRET: &[u8] = b"whsec_garimpo";

/// Events per second, each stored before its response, with few accounts and with many.
pub async fn measure() -> Result<Vec<Figure>> {
    let (few, many) = (filled::data_dir(FEW).await?, filled::data_dir(MANY).await?);
    let cost = Cell::new(0.0);
    let [ours, raw, of_many] = load::in_turn([Some(&few), None, Some(&many)], async |data| match data {
        Some(data) => {
            let delivered = delivered_per_second(data.path()).await?;
            forget_events(data.path()).await?;
            cost.set(if data.path() == few.path() { delivered.cpu_us } else { cost.get() });
            Ok(delivered.rate)
        }
        None => raw_commits_per_second(few.path()).await,
    })
    .await?;
    let what = "webhooks stored, 32 callers, compared with raw durable commits one by one";
    Ok(vec![
        Figure::rate(what, "events/s", ours, raw),
        Figure::alone("processor time of a stored webhook", "µs", cost.get()),
        Figure::kept("webhooks", "events/s", of_many, ours),
    ])
}

/// A round of deliveries.
struct Delivered {
    /// Events per second.
    rate: f64,
    /// Processor time of the product for one event, in microseconds.
    cpu_us: f64,
}

/// Each round starts a new product without the events of the one before, because their jobs run for
/// half a minute and would slow the next one.
async fn delivered_per_second(data: &Path) -> Result<Delivered> {
    let product = Product::start(data).await?;
    let authority = product.url().trim_start_matches("http://");
    let round = rand::random::<u64>();
    let now = SystemClock.now().as_unix_seconds();
    let mut callers = Vec::new();
    for caller in 0..CALLERS {
        // Created before the measurement starts, because that is work of the provider.
        let deliveries: Vec<_> = (0..EVENTS / CALLERS)
            .map(|number| delivery(authority, now, &format!("evt_{round}_{caller}_{number}")))
            .collect::<Result<_>>()?;
        callers.push((connected(authority).await?, deliveries));
    }
    let (began, cpu_before) = (Instant::now(), product.cpu_seconds()?);
    let tasks = callers.into_iter().map(|(connection, all)| tokio::spawn(deliver(connection, all)));
    for ended in futures::future::join_all(tasks).await {
        ended??;
    }
    let rate = count(EVENTS) / began.elapsed().as_secs_f64();
    let cpu_us = (product.cpu_seconds()? - cpu_before) * 1e6 / count(EVENTS);
    product.stop()?;
    Ok(Delivered { rate, cpu_us })
}

/// Deletes the events of a round, and their jobs.
const FORGET: &str = "DELETE FROM events; DELETE FROM jobs WHERE kind = 'payment_event'";

async fn forget_events(data: &Path) -> Result<()> {
    let mut database = filled::open(&data.join("garimpo.db")).await?;
    sqlx::raw_sql(FORGET).execute(&mut database).await?;
    Ok(database.close().await?)
}

async fn connected(authority: &str) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(authority).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

fn delivery(authority: &str, at: i64, id: &str) -> Result<http::Request<Full<Bytes>>> {
    let body = serde_json::json!({
        "id": id, "object": "event", "type": "invoice.paid", "created": at, "livemode": false,
        "data": { "object": { "id": "in_1", "object": "invoice", "customer": "cus_de_outro", "filler": "x".repeat(FILLER) } },
    })
    .to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET)?;
    mac.update(format!("{at}.{body}").as_bytes());
    let signature = format!("t={at},v1={}", hex::encode(mac.finalize().into_bytes()));
    http::Request::post("/webhooks/stripe")
        .header("host", authority)
        .header("stripe-signature", signature)
        .header("content-type", "application/json; charset=utf-8")
        .body(Full::new(Bytes::from(body)))
        .context("a request")
}

async fn deliver(
    mut connection: SendRequest<Full<Bytes>>,
    deliveries: Vec<http::Request<Full<Bytes>>>,
) -> Result<()> {
    for delivery in deliveries {
        connection.ready().await?;
        let answer = connection.send_request(delivery).await?;
        ensure!(answer.status().is_success(), "an event was answered {}", answer.status());
        answer.into_body().collect().await?;
    }
    Ok(())
}

/// Rows of the same size, each in its own COMMIT, on the same disk with the same durability.
async fn raw_commits_per_second(folder: &Path) -> Result<f64> {
    let file = tempfile::Builder::new().prefix("raw-").suffix(".db").tempfile_in(folder)?;
    let mut database = SqliteConnectOptions::new()
        .filename(file.path())
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .connect()
        .await?;
    sqlx::query("CREATE TABLE events (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
        .execute(&mut database)
        .await?;
    let body = vec![b'x'; FILLER];
    let began = Instant::now();
    for _ in 0..RAW_COMMITS {
        sqlx::query("INSERT INTO events (body) VALUES ($1)").bind(&body).execute(&mut database).await?;
    }
    Ok(count(RAW_COMMITS) / began.elapsed().as_secs_f64())
}
