//! Reconciliation with the payment provider: how long visitors wait meanwhile, and its calls per
//! day.

mod copies;

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::json;
use tempfile::TempDir;

use crate::figure::{Figure, count};
use crate::load::p99;
use crate::world::{Boleto, World};
use copies::{CUSTOMERS, multiply, run_sql, sweep_state};

/// Recovery mails, and paid boletos, of each measurement.
const TRIES: usize = 200;
/// Delay of each call to the provider.
const PROVIDER_MS: u32 = 250;
const GOAL_MAIL_MS: f64 = 1_000.0;
const GOAL_ACCESS_MS: f64 = 2_000.0;

/// The calls of a day are extrapolated to so many subscribers.
const SUBSCRIBERS: f64 = 1_000_000.0;
const GOAL_CALLS: f64 = 60_000.0;
/// Limits of the product per day (docs/operation.md): polls of events, accounts with open payments
/// and pages of the sweep.
const EVENT_POLLS: f64 = 288.0;
const OPEN_ACCOUNTS: f64 = 25.0 * 144.0;
const SWEEP_PAGES: f64 = 20.0 * 1_440.0;
const EVENTS_PER_PAGE: f64 = 100.0;
const DAYS_OF_MONTH: f64 = 30.0;

pub async fn measure() -> Result<Vec<Figure>> {
    let mut figures = waits().await?;
    figures.push(calls_of_a_day().await?);
    Ok(figures)
}

/// p99 of both waits during reconciliation, compared with none.
async fn waits() -> Result<Vec<Figure>> {
    let folder = TempDir::with_prefix("garimpo-bench-")?;
    let world = World::start(folder.path()).await?;
    let ana = world.subscriber("ana@exemplo.com.br").await?;
    let mut boletos = Vec::new();
    for nth in 0..2 * TRIES {
        boletos.push(world.boleto(&format!("bia{nth}@exemplo.com.br")).await?);
    }
    world.product.stop()?;
    multiply(folder.path(), &ana).await?;
    let (during, before) = boletos.split_at(TRIES);
    // Postpones the sweep by a day.
    run_sql(folder.path(), "UPDATE jobs SET due_at_us = due_at_us + 86400000000 WHERE kind = 'reconcile'")
        .await?;
    let (mails, payments) = tries(folder.path(), 0, before).await?;
    // Every account differs from the provider, so that each is also read by itself.
    run_sql(
        folder.path(),
        "UPDATE jobs SET due_at_us = 0, state = 'waiting' WHERE kind = 'reconcile' AND key = 'all';
         UPDATE reconciliation SET sweep_phase = '';
         UPDATE subscriptions SET provider_status = 'incomplete' WHERE id LIKE '%\\_%\\_%' ESCAPE '\\'",
    )
    .await?;
    let (mails_during, payments_during) = tries(folder.path(), TRIES, during).await?;
    let figure = |what: &str, during: f64, before: f64, goal: f64| {
        let what = format!(
            "{what}, p99 of {TRIES} while 20,000 customers are synced, compared with no reconciliation"
        );
        Figure::cost(&what, "ms", during, goal).beside(before)
    };
    Ok(vec![
        figure("recovery mail sent", mails_during, mails, GOAL_MAIL_MS),
        figure("access after a paid boleto", payments_during, payments, GOAL_ACCESS_MS),
    ])
}

/// p99 in milliseconds until a recovery mail is sent, and until a paid boleto gives access.
async fn tries(data: &Path, first: usize, boletos: &[Boleto]) -> Result<(f64, f64)> {
    let world = World::start(data).await?;
    world.post("/_test/faults", json!({ "path": "/v1", "delay_ms": PROVIDER_MS })).await?;
    let is_reconciling = first > 0;
    if is_reconciling {
        world.eventually("reconciliation", async || Ok(world.jobs_waiting().await? > 0.0)).await?;
    }
    let (mut mails, mut payments) = (Vec::new(), Vec::new());
    for (nth, boleto) in boletos.iter().enumerate() {
        mails.push(world.recovers(&format!("{}ana@exemplo.com.br", first + nth + 1)).await?);
        payments.push(world.pays(boleto).await?);
    }
    if is_reconciling {
        ensure!(world.jobs_waiting().await? > 0.0, "reconciliation ended before the tries");
    }
    world.delete("/_test/faults").await?;
    world.product.stop()?;
    Ok((p99(mails)?, p99(payments)?))
}

/// Calls of one day, extrapolated from a sample.
async fn calls_of_a_day() -> Result<Figure> {
    let folder = TempDir::with_prefix("garimpo-bench-")?;
    let world = World::start(folder.path()).await?;
    let ana = world.subscriber("ana@exemplo.com.br").await?;
    let of_purchase = world.events_created().await?.into_iter().max().unwrap_or_default();
    world.post("/clock", json!({ "advance_seconds": 31 * 86_400, "keep_sessions": true })).await?;
    // Counted by time: the provider deletes the events of the purchase after 30 days.
    let of_renewal = world.events_created().await?.into_iter().filter(|created| *created > of_purchase);
    let events_of_renewal = count(of_renewal.count());
    ensure!(events_of_renewal > 0.0, "the renewal has no event");
    world.product.stop()?;
    multiply(folder.path(), &ana).await?;
    let (pages, _) = sweep(folder.path()).await?;
    run_sql(
        folder.path(),
        "UPDATE subscriptions SET provider_status = 'incomplete' WHERE id LIKE '%\\_1' ESCAPE '\\'",
    )
    .await?;
    let (more_pages, calls) = sweep(folder.path()).await?;
    let calls_of_account = (calls - more_pages).max(0.0);

    let times = SUBSCRIBERS / f64::from(CUSTOMERS);
    let renewals = SUBSCRIBERS / DAYS_OF_MONTH;
    let events = EVENT_POLLS + renewals * events_of_renewal / EVENTS_PER_PAGE;
    let sweep_pages = (pages * times).min(SWEEP_PAGES);
    let calls = events + sweep_pages + OPEN_ACCOUNTS * calls_of_account;
    let today = 3.0 * SUBSCRIBERS;
    let what = "provider calls of a day of reconciliation at 1,000,000 subscribers, compared with three lists of each";
    Ok(Figure::cost(what, "calls", calls, GOAL_CALLS).beside(today))
}

/// Runs a sweep. Returns its pages and all housekeeping calls meanwhile.
async fn sweep(data: &Path) -> Result<(f64, f64)> {
    run_sql(
        data,
        "UPDATE jobs SET due_at_us = CASE key WHEN 'all' THEN 0 ELSE due_at_us + 86400000000 END, state = 'waiting'
         WHERE kind = 'reconcile' AND key IN ('all', 'open', 'events');
         UPDATE reconciliation SET sweep_phase = '', sweep_after = ''",
    )
    .await?;
    let world = World::start_with(data, &[("GARIMPO_PROVIDER_CALLS_PER_SECOND", "10000")]).await?;
    loop {
        world.post("/clock", json!({ "advance_seconds": 60, "keep_sessions": true })).await?;
        world.eventually("no job", async || Ok(world.jobs_waiting().await? <= 3.0)).await?;
        let (phase, pages) = sweep_state(data).await?;
        if phase.is_empty() && pages > 0 {
            let calls = world
                .metric("garimpo_provider_budget_wait_duration_seconds_count{class=\"housekeeping\"}")
                .await?;
            world.product.stop()?;
            // The last step of a sweep reads only our rows.
            return Ok((count(pages - 1), calls));
        }
    }
}
