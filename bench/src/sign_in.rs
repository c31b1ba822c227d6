//! Signing in: how close to bare Argon2id, what a flood of it does to others, and what its time tells of an account.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use argon2::{Algorithm, Argon2, Params, Version};
use futures::future::{join_all, try_join_all};
use garimpo_proto::auth::v1::SignInRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_server::auth::{HashSettings, PasswordHashing};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request};

use crate::figure::{Figure, count};
use crate::filled::{self, ACTIVE, FEW};
use crate::load::{self, ROUND};
use crate::product::Product;

const PASSWORD: &str = "segredo-de-todos";
/// Callers that sign in without a pause, for the rate.
const SIGNING_IN: u32 = 16;
/// Callers of the flood.
const FLOOD: u32 = 500;
/// One that was sent away comes back after this.
const COMES_BACK: Duration = Duration::from_secs(1);
/// Every so often somebody looks whether they are signed in.
const LOOKS_EVERY: Duration = Duration::from_millis(5);
const FLOOD_LASTS: Duration = Duration::from_secs(10);
const TRIES: u32 = 400;

/// The three figures.
///
/// # Errors
/// Something does not come up, or an answer was not the one expected.
pub async fn measure() -> Result<Vec<Figure>> {
    let data = filled::data_dir(FEW).await?;
    give_passwords(data.path()).await?;
    // Each caller has an address of its own, as visitors do.
    let product = Product::start_with(data.path(), &[("GARIMPO_TRUSTED_PROXIES", "127.0.0.1/32")]).await?;
    let door = Door::to(&product).await?;
    let figures = vec![
        difference_in_time(&door).await?,
        rate(&door).await?,
        under_flood(&door, &product, data.token()).await?,
    ];
    product.stop()?;
    Ok(figures)
}

/// The same password for the accounts that are in use.
async fn give_passwords(data: &Path) -> Result<()> {
    let hash = PasswordHashing::new(HashSettings::default()).hash(PASSWORD, "bench").await?;
    let options = SqliteConnectOptions::new().filename(data.join("garimpo.db"));
    let mut database = options.connect().await?;
    let update =
        "UPDATE accounts SET password_hash = $1 WHERE email LIKE 'pessoa___@%' OR email LIKE 'pessoa__@%'";
    sqlx::query(update).bind(hash).execute(&mut database).await?;
    Ok(database.close().await?)
}

/// A way in, with another address for every call.
#[derive(Clone)]
struct Door {
    channel: Channel,
    calls: Arc<AtomicU32>,
}

impl Door {
    async fn to(product: &Product) -> Result<Self> {
        let channel = Endpoint::new(product.url().to_owned())?.connect().await?;
        Ok(Self { channel, calls: Arc::default() })
    }

    /// Tries once; answers the code of a refusal.
    async fn try_as(&self, email: String, password: &str) -> Result<Option<Code>> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let [_, a, b, c] = call.to_be_bytes();
        let mut request = Request::new(SignInRequest { email, password: password.to_owned() });
        request.metadata_mut().insert("x-forwarded-for", format!("10.{a}.{b}.{c}").parse()?);
        let answer = AuthServiceClient::new(self.channel.clone()).sign_in(request).await;
        Ok(answer.err().map(|status| status.code()))
    }
}

/// The email of one of the accounts with a password.
fn somebody(nth: u32) -> String {
    format!("pessoa{}@exemplo.com.br", 10 + nth % (ACTIVE - 10))
}

/// Sign-ins a second beside hashes a second on as many threads as there are cores.
async fn rate(door: &Door) -> Result<Figure> {
    let [ours, bare] = load::in_turn([Some(door), None], async |door| match door {
        Some(door) => sign_ins_per_second(door).await,
        None => tokio::task::spawn_blocking(hashes_per_second).await?,
    })
    .await?;
    Ok(Figure::rate("sign-ins, beside bare Argon2id of the same parameters", "a second", ours, bare)
        .at_least_percent(95.0))
}

async fn sign_ins_per_second(door: &Door) -> Result<f64> {
    let began = Instant::now();
    let caller = async |nth: u32| {
        let mut done = 0_u32;
        while began.elapsed() < ROUND {
            let code = door.try_as(somebody(nth + done * SIGNING_IN), PASSWORD).await?;
            ensure!(code.is_none(), "a sign-in was refused: {code:?}");
            done += 1;
        }
        Ok(done)
    };
    let done: u32 = try_join_all((0..SIGNING_IN).map(caller)).await?.into_iter().sum();
    Ok(count(done) / began.elapsed().as_secs_f64())
}

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

/// The 99th percentile of check-cookie while hundreds sign in, beside the same while nobody does.
async fn under_flood(door: &Door, product: &Product, token: &str) -> Result<Figure> {
    let url = format!("{}/api/auth/check-cookie", product.url());
    let quiet = look(&url, token).await?;
    let until = Instant::now() + FLOOD_LASTS + Duration::from_secs(1);
    let flood = tokio::spawn({
        let door = door.clone();
        async move { join_all((0..FLOOD).map(|nth| tries_again_and_again(door.clone(), nth, until))).await }
    });
    let flooded = look(&url, token).await?;
    let (let_in, sent_away) = flood.await?.into_iter().try_fold((0, 0), |sum, tries| {
        tries.map(|(let_in, sent_away)| (sum.0 + let_in, sum.1 + sent_away))
    })?;
    ensure!(let_in > 0, "nobody was let in");
    let what = format!(
        "check-cookie, 99th percentile while {FLOOD} sign in ({let_in} let in, {sent_away} asked to come back), \
         beside nobody"
    );
    Ok(Figure::cost(&what, "ms", flooded, 50.0).beside(quiet))
}

async fn tries_again_and_again(door: Door, nth: u32, until: Instant) -> Result<(u32, u32)> {
    let (mut let_in, mut sent_away) = (0, 0);
    while Instant::now() < until {
        match door.try_as(somebody(nth), PASSWORD).await? {
            None => let_in += 1,
            Some(Code::ResourceExhausted) => {
                sent_away += 1;
                tokio::time::sleep(COMES_BACK).await;
            }
            Some(code) => anyhow::bail!("a sign-in ended with {code:?}"),
        }
    }
    Ok((let_in, sent_away))
}

/// The 99th percentile of one visitor's looks, in milliseconds.
async fn look(url: &str, token: &str) -> Result<f64> {
    let client = reqwest::Client::new();
    let mut took = Vec::new();
    let mut turn = tokio::time::interval(LOOKS_EVERY);
    let began = Instant::now();
    while began.elapsed() < FLOOD_LASTS {
        turn.tick().await;
        let asked = Instant::now();
        let answer = client.get(url).header("cookie", format!("garimpo_session={token}")).send().await?;
        let text = answer.text().await?;
        took.push(asked.elapsed().as_secs_f64() * 1000.0);
        ensure!(text.contains("\"authenticated\":true"), "{text}");
    }
    took.sort_by(f64::total_cmp);
    took.get(took.len() * 99 / 100).copied().context("somebody looked")
}

/// How far the medians of a wrong password and of an unknown account lie apart, one after the other.
async fn difference_in_time(door: &Door) -> Result<Figure> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for nth in 0..TRIES {
        let mut pair = [(somebody(nth), &mut known), (format!("ninguem{nth}@exemplo.com.br"), &mut unknown)];
        // Taking turns each kind would have a thread of its own, with its own memory still warm or given back.
        if rand::random() {
            pair.reverse();
        }
        for (email, times) in pair {
            let began = Instant::now();
            let code = door.try_as(email, "senha-errada").await?;
            times.push(began.elapsed().as_secs_f64() * 1000.0);
            ensure!(code == Some(Code::Unauthenticated), "a wrong password ended with {code:?}");
        }
    }
    let (known, unknown) = (load::median(known), load::median(unknown));
    let what = format!(
        "time of a refused sign-in: unknown account ({unknown:.1} ms) against known one ({known:.1} ms), {TRIES} tries"
    );
    Ok(Figure::cost(&what, "% apart", (unknown / known - 1.0).abs() * 100.0, 5.0))
}
