//! Sign-in and sign-up: their rates compared with bare Argon2id, their effect on other calls, and
//! the difference in time between a known and an unknown account.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use argon2::{Algorithm, Argon2, Params, Version};
use futures::future::{join_all, try_join_all};
use garimpo_proto::auth::v1::SignInRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_server::auth::{HashSettings, PasswordHashing};
use sqlx::Connection as _;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request};

use crate::figure::{Figure, count};
use crate::filled::{self, ACTIVE, FEW};
use crate::load::{self, ROUND};
use crate::product::{Product, sign_up_request};

const PASSWORD: &str = "segredo-de-todos";
/// Callers that sign in without a pause.
const SIGNING_IN: u32 = 16;
const FLOOD: u32 = 500;
/// A rejected caller tries again after this.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Interval of the check-cookie requests during the flood.
const CHECK_EVERY: Duration = Duration::from_millis(5);
const FLOOD_FOR: Duration = Duration::from_secs(10);
const TRIES: u32 = 400;
/// docs/threat-model.md: the time must not tell whether an account exists.
const GOAL_PERCENT_APART: f64 = 5.0;

pub async fn measure() -> Result<Vec<Figure>> {
    let data = filled::data_dir(FEW).await?;
    give_passwords(data.path()).await?;
    // Each call has its own address, like those of visitors.
    let product = Product::start_with(data.path(), &[("GARIMPO_TRUSTED_PROXIES", "127.0.0.1/32")]).await?;
    let client = SignInClient::to(&product).await?;
    let figures = vec![
        difference_in_time(&client).await?,
        rate("sign-ins", async |nth| client.sign_in(email(nth), PASSWORD).await)
            .await?
            .at_least_percent(90.0),
        // Each is stored when it is answered.
        rate("sign-ups", async |_| client.sign_up().await).await?,
        under_flood(&client, &product, data.token()).await?,
    ];
    product.stop()?;
    Ok(figures)
}

/// Sets the same password for the active accounts.
async fn give_passwords(data: &Path) -> Result<()> {
    let hash = PasswordHashing::new(HashSettings::default()).hash(PASSWORD, "bench").await?;
    let mut database = filled::open(&data.join("garimpo.db")).await?;
    let update =
        "UPDATE accounts SET password_hash = $1 WHERE email LIKE 'pessoa___@%' OR email LIKE 'pessoa__@%'";
    sqlx::query(update).bind(hash).execute(&mut database).await?;
    Ok(database.close().await?)
}

/// Signs in and up, with another address for every call.
#[derive(Clone)]
struct SignInClient {
    channel: Channel,
    calls: Arc<AtomicU32>,
}

impl SignInClient {
    async fn to(product: &Product) -> Result<Self> {
        let channel = Endpoint::new(product.url().to_owned())?.connect().await?;
        Ok(Self { channel, calls: Arc::default() })
    }

    /// Returns the code of an error.
    async fn sign_in(&self, email: String, password: &str) -> Result<Option<Code>> {
        let request = SignInRequest { email, password: password.to_owned() };
        let (request, _) = self.with_next_address(request)?;
        let answer = AuthServiceClient::new(self.channel.clone()).sign_in(request).await;
        Ok(answer.err().map(|status| status.code()))
    }

    /// Signs up a new person. Returns the code of an error.
    async fn sign_up(&self) -> Result<Option<Code>> {
        let (mut request, call) = self.with_next_address(sign_up_request(""))?;
        request.get_mut().email = format!("nova{call}@exemplo.com.br");
        let answer = AuthServiceClient::new(self.channel.clone()).sign_up(request).await;
        Ok(answer.err().map(|status| status.code()))
    }

    fn with_next_address<T>(&self, message: T) -> Result<(Request<T>, u32)> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let [_, a, b, c] = call.to_be_bytes();
        let mut request = Request::new(message);
        request.metadata_mut().insert("x-forwarded-for", format!("10.{a}.{b}.{c}").parse()?);
        Ok((request, call))
    }
}

/// Email of an account with a password.
fn email(nth: u32) -> String {
    format!("pessoa{}@exemplo.com.br", 10 + nth % (ACTIVE - 10))
}

/// Calls per second, compared with hashes per second on one thread per core.
async fn rate(what: &str, call: impl AsyncFn(u32) -> Result<Option<Code>>) -> Result<Figure> {
    let [ours, bare] = load::in_turn([true, false], async |is_ours| {
        if is_ours { per_second(&call).await } else { tokio::task::spawn_blocking(hashes_per_second).await? }
    })
    .await?;
    let what = format!("{what}, compared with bare Argon2id of the same parameters");
    Ok(Figure::rate(&what, "a second", ours, bare))
}

/// Calls per second of callers without a pause. A call returns the code of an error.
async fn per_second(call: impl AsyncFn(u32) -> Result<Option<Code>>) -> Result<f64> {
    let began = Instant::now();
    let caller = async |nth: u32| {
        let mut done = 0_u32;
        while began.elapsed() < ROUND {
            let code = call(nth + done * SIGNING_IN).await?;
            ensure!(code.is_none(), "a call was refused: {code:?}");
            done += 1;
        }
        Ok(done)
    };
    let done: u32 = try_join_all((0..SIGNING_IN).map(caller)).await?.into_iter().sum();
    Ok(count(done) / began.elapsed().as_secs_f64())
}

/// Bare hashes on one thread per core.
fn hashes_per_second() -> Result<f64> {
    let threads = std::thread::available_parallelism()?.get();
    let began = Instant::now();
    let hash = move || {
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(19 * 1024, 2, 1, None)?);
        let (mut done, mut out) = (0_u32, [0; 32]);
        while began.elapsed() < ROUND {
            argon2.hash_password_into(PASSWORD.as_bytes(), b"sal-de-todos-nos", &mut out)?;
            done += 1;
        }
        Ok::<_, argon2::Error>(done)
    };
    let running: Vec<_> = (0..threads).map(|_| std::thread::spawn(hash)).collect();
    let mut done = 0;
    for thread in running {
        done += thread.join().map_err(|_| anyhow::anyhow!("a thread died"))?.map_err(anyhow::Error::msg)?;
    }
    Ok(count(done) / began.elapsed().as_secs_f64())
}

/// p99 of check-cookie while hundreds sign in, compared with no sign-ins.
async fn under_flood(client: &SignInClient, product: &Product, token: &str) -> Result<Figure> {
    let url = format!("{}/api/auth/check-cookie", product.url());
    let quiet = check_cookie_p99(&url, token).await?;
    let until = Instant::now() + FLOOD_FOR + Duration::from_secs(1);
    let flood = tokio::spawn({
        let client = client.clone();
        async move { join_all((0..FLOOD).map(|nth| sign_in_repeatedly(client.clone(), nth, until))).await }
    });
    let flooded = check_cookie_p99(&url, token).await?;
    let (succeeded, rejected) = flood.await?.into_iter().try_fold((0, 0), |sum, tries| {
        tries.map(|(succeeded, rejected)| (sum.0 + succeeded, sum.1 + rejected))
    })?;
    ensure!(succeeded > 0, "no sign-in succeeded");
    let what = format!(
        "check-cookie, 99th percentile while {FLOOD} sign in ({succeeded} signed in, {rejected} told to retry), \
         compared with no load"
    );
    Ok(Figure::rate(&what, "ms", flooded, quiet))
}

async fn sign_in_repeatedly(client: SignInClient, nth: u32, until: Instant) -> Result<(u32, u32)> {
    let (mut succeeded, mut rejected) = (0, 0);
    while Instant::now() < until {
        match client.sign_in(email(nth), PASSWORD).await? {
            None => succeeded += 1,
            Some(Code::ResourceExhausted) => {
                rejected += 1;
                tokio::time::sleep(RETRY_AFTER).await;
            }
            Some(code) => anyhow::bail!("a sign-in ended with {code:?}"),
        }
    }
    Ok((succeeded, rejected))
}

/// In milliseconds, of one visitor.
async fn check_cookie_p99(url: &str, token: &str) -> Result<f64> {
    let client = reqwest::Client::new();
    let mut took = Vec::new();
    let mut turn = tokio::time::interval(CHECK_EVERY);
    let began = Instant::now();
    while began.elapsed() < FLOOD_FOR {
        turn.tick().await;
        let sent = Instant::now();
        let answer = client.get(url).header("cookie", format!("garimpo_session={token}")).send().await?;
        let text = answer.text().await?;
        took.push(sent.elapsed().as_secs_f64() * 1000.0);
        ensure!(text.contains("\"authenticated\":true"), "{text}");
    }
    load::p99(took)
}

/// Difference between the median times of a wrong password and of an unknown account.
async fn difference_in_time(client: &SignInClient) -> Result<Figure> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for nth in 0..TRIES {
        let mut pair = [(email(nth), &mut known), (format!("ninguem{nth}@exemplo.com.br"), &mut unknown)];
        // In a fixed order each kind would keep its own hashing thread with warm or cold memory.
        if rand::random() {
            pair.reverse();
        }
        for (email, times) in pair {
            let began = Instant::now();
            let code = client.sign_in(email, "senha-errada").await?;
            times.push(began.elapsed().as_secs_f64() * 1000.0);
            ensure!(code == Some(Code::Unauthenticated), "a wrong password ended with {code:?}");
        }
    }
    let (known, unknown) = (load::median(known), load::median(unknown));
    let what = format!(
        "time of a refused sign-in: unknown account ({unknown:.1} ms) against known one ({known:.1} ms), {TRIES} tries"
    );
    Ok(Figure::cost(&what, "% apart", (unknown / known - 1.0).abs() * 100.0, GOAL_PERCENT_APART))
}
