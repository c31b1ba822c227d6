//! Writes on PostgreSQL from 32 callers: events and sign-ups, compared with pgbench's commits of
//! one row each at the same concurrency. A sign-up also hashes a password, which limits it more
//! than its commit, so it is compared with hashes too.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use futures::future::try_join_all;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::process::Command;
use tonic::transport::Endpoint;

use crate::figure::{Figure, count};
use crate::fleet::Postgres;
use crate::load::{self, ROUND};
use crate::product::{Product, sign_up_request};
use crate::sign_in::hashes_per_second;
use crate::webhooks::{CALLERS, FILLER, FORGET, delivered_per_second};

#[derive(Clone, Copy)]
enum Writes {
    Events,
    SignUps,
    Commits,
    Hashes,
}

pub async fn measure() -> Result<Vec<Figure>> {
    let postgres = Postgres::start()?;
    let folder = TempDir::with_prefix("garimpo-bench-")?;
    let settings = [("GARIMPO_DATABASE_URL", postgres.url.as_str())];
    let script = folder.path().join("commit.sql");
    std::fs::write(&script, format!("INSERT INTO bench_rows (body) VALUES (repeat('x', {FILLER}));\n"))?;
    let mut database = PgConnection::connect(&postgres.url).await?;
    let table = "CREATE TABLE bench_rows (id BIGSERIAL PRIMARY KEY, body TEXT NOT NULL)";
    sqlx::query(table).execute(&mut database).await?;
    let kinds = [Writes::Events, Writes::SignUps, Writes::Commits, Writes::Hashes];
    let [events, sign_ups, commits, hashes] = load::in_turn(kinds, async |writes| match writes {
        Writes::Events => {
            let delivered = delivered_per_second(folder.path(), &settings).await?;
            sqlx::raw_sql(FORGET).execute(&mut PgConnection::connect(&postgres.url).await?).await?;
            Ok(delivered.rate)
        }
        Writes::SignUps => sign_ups_per_second(folder.path(), &settings).await,
        Writes::Commits => commits_per_second(&postgres.url, &script).await,
        Writes::Hashes => tokio::task::spawn_blocking(hashes_per_second).await?,
    })
    .await?;
    let figure = |what: &str, unit: &str, ours: f64| {
        let what = format!("{what} on PostgreSQL, 32 callers, compared with pgbench's commits of one row");
        Figure::rate(&what, unit, ours, commits)
    };
    let beside_hashes =
        "sign-ups on PostgreSQL, 32 callers, compared with bare Argon2id of the same parameters";
    Ok(vec![
        figure("webhooks stored", "events/s", events),
        figure("sign-ups", "sign-ups/s", sign_ups),
        Figure::rate(beside_hashes, "sign-ups/s", sign_ups, hashes),
    ])
}

async fn sign_ups_per_second(data: &Path, settings: &[(&str, &str)]) -> Result<f64> {
    let product = Product::start_with(data, settings).await?;
    let channel = Endpoint::new(product.url().to_owned())?.connect().await?;
    let (round, began) = (rand::random::<u64>(), Instant::now());
    let caller = async |caller: usize| {
        let mut done = 0_u32;
        while began.elapsed() < ROUND {
            let email = format!("r{round}c{caller}n{done}@exemplo.com.br");
            AuthServiceClient::new(channel.clone()).sign_up(sign_up_request(&email)).await?;
            done += 1;
        }
        Ok::<_, anyhow::Error>(done)
    };
    let done: u32 = try_join_all((0..CALLERS).map(caller)).await?.into_iter().sum();
    let rate = count(done) / began.elapsed().as_secs_f64();
    product.stop()?;
    Ok(rate)
}

async fn commits_per_second(url: &str, script: &Path) -> Result<f64> {
    let (clients, seconds) = (CALLERS.to_string(), ROUND.as_secs().to_string());
    let mut pgbench = Command::new(pgbench());
    pgbench.args(["-n", "-M", "prepared", "-j", "2", "-c", &clients, "-T", &seconds, "-f"]);
    let output = pgbench.arg(script).arg(url).output().await.context("pgbench runs (bench/setup.sh)")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "pgbench: {text}{}", String::from_utf8_lossy(&output.stderr));
    let rate = text.split_once("tps = ").and_then(|(_, rest)| rest.split_whitespace().next());
    rate.context("tps")?.parse().context("tps")
}

/// pgbench beside PostgreSQL's other programs, or on the path.
fn pgbench() -> PathBuf {
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found = installed.map(|version| version.path().join("bin/pgbench"));
    found.find(|path| path.exists()).unwrap_or_else(|| PathBuf::from("pgbench"))
}
