//! From an approved card to access, on two processes: with both, and with one killed in the middle.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use garimpo_proto::billing::v1::GetEntitlementsRequest;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use tokio::time::interval;
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

use crate::figure::Figure;
use crate::fleet::Fleet;
use crate::load::p99;
use crate::world::{Buyer, LIMITS, World};

const PURCHASES: u32 = 1_200;
/// 20 purchases a second.
const PAUSE: Duration = Duration::from_millis(50);
/// Reads of one buyer, from the processes in turn. Faster reads would be the larger part of the
/// load as soon as purchases wait.
const POLL_EVERY: Duration = Duration::from_millis(20);
const DEADLINE: Duration = Duration::from_secs(30);
const PLAN: &str = "top_afiliado";
const GOAL_P99_MS: f64 = 200.0;
const GOAL_P99_KILLED_MS: f64 = 2_000.0;

pub async fn measure() -> Result<Vec<Figure>> {
    let whole = purchases(false).await?;
    let killed = purchases(true).await?;
    let figure = |what: &str, ms: f64, goal: f64| {
        let what = format!("card approved until GetEntitlements shows the plan, 20 purchases/s, {what}");
        Figure::cost(&what, "ms", ms, goal)
    };
    Ok(vec![
        figure("p99", p99(whole)?, GOAL_P99_MS),
        figure("p99 with one of two processes killed in the middle", p99(killed)?, GOAL_P99_KILLED_MS),
    ])
}

/// Milliseconds of each purchase.
async fn purchases(kills: bool) -> Result<Vec<f64>> {
    let mut settings = LIMITS.to_vec();
    settings.retain(|(name, _)| *name != "GARIMPO_PROVIDER_CALLS_PER_SECOND");
    settings
        .extend([("GARIMPO_PROVIDER_CALLS_PER_SECOND", "200"), ("GARIMPO_LIMIT_CALLS_TOKEN", "1000000000")]);
    let fleet = Fleet::start(&settings).await?;
    let mut buyers = Vec::new();
    for nth in 0..=PURCHASES {
        buyers.push(fleet.world.buyer(&format!("ana{nth}@exemplo.com.br")).await?);
    }
    let processes = [&fleet.world.product, &fleet.beside];
    let channels = processes.into_iter().map(|process| Endpoint::new(process.internal_url().to_owned()));
    let channels = channels.map(|endpoint| Ok(endpoint?.connect_lazy())).collect::<Result<Vec<_>>>()?;
    let reader = Arc::new(Reader { channels, authorization: format!("Bearer {}", fleet.token) });
    // The catalogue is pushed with the first purchase.
    let (world, mut beside) = (Arc::new(fleet.world), Some(fleet.beside));
    buys(&world, &reader, buyers.pop().context("a buyer")?).await?;
    let mut pace = interval(PAUSE);
    let mut running = Vec::new();
    for (nth, buyer) in buyers.into_iter().enumerate() {
        pace.tick().await;
        if kills && nth == PURCHASES as usize / 2 {
            drop(beside.take());
        }
        let (world, reader) = (world.clone(), reader.clone());
        running.push(tokio::spawn(async move { buys(&world, &reader, buyer).await }));
    }
    let mut took = Vec::new();
    for purchase in running {
        took.push(purchase.await??);
    }
    Ok(took)
}

/// Milliseconds from the approval of the card until the plan is shown.
async fn buys(world: &World, reader: &Reader, buyer: Buyer) -> Result<f64> {
    let session = world.checkout(&buyer).await?;
    world.pays_by_card(&session).await?;
    let approved = Instant::now();
    for channel in reader.channels.iter().cycle() {
        if reader.has_plan(channel, &buyer.uid).await {
            break;
        }
        ensure!(approved.elapsed() < DEADLINE, "no access within {DEADLINE:?}");
        tokio::time::sleep(POLL_EVERY).await;
    }
    Ok(approved.elapsed().as_secs_f64() * 1_000.0)
}

/// Another service that reads entitlements, from any server that answers.
struct Reader {
    channels: Vec<Channel>,
    authorization: String,
}

impl Reader {
    /// A server that is gone shows nothing.
    async fn has_plan(&self, channel: &Channel, uid: &str) -> bool {
        let mut request = Request::new(GetEntitlementsRequest { uid: uid.to_owned() });
        let Ok(authorization) = self.authorization.parse() else { return false };
        request.metadata_mut().insert("authorization", authorization);
        let answer = EntitlementServiceClient::new(channel.clone()).get_entitlements(request).await;
        answer.is_ok_and(|answer| answer.into_inner().plan_id == PLAN)
    }
}
