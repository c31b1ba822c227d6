//! Purchases by card: their calls to the payment provider, and how many a second its limit of calls
//! permits.

use std::time::Instant;

use anyhow::Result;
use futures::{StreamExt as _, TryStreamExt as _};
use tempfile::TempDir;

use crate::figure::{Figure, count};
use crate::world::{Buyer, World};

const PURCHASES: usize = 120;
const AT_ONCE: usize = 16;
const GOAL_CALLS: f64 = 4.0;
/// Calls per second that the provider permits, and so the product by default.
const PERMITTED: f64 = 25.0;

pub async fn measure() -> Result<Vec<Figure>> {
    let folder = TempDir::with_prefix("garimpo-bench-")?;
    let world = World::start(folder.path()).await?;
    // The catalogue is pushed with the first purchase.
    world.subscriber("primeira@exemplo.com.br").await?;
    // Signing up is measured elsewhere.
    let mut buyers = Vec::new();
    for nth in 0..PURCHASES {
        buyers.push(world.buyer(&format!("ana{nth}@exemplo.com.br")).await?);
    }
    let before = world.provider_calls().await?;
    let began = Instant::now();
    let buy = async |buyer: Buyer| {
        let session = world.checkout(&buyer).await?;
        world.pays_by_card(&session).await?;
        world.eventually("access", async || world.is_active(&buyer).await).await
    };
    futures::stream::iter(buyers).map(buy).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    let rate = count(PURCHASES) / began.elapsed().as_secs_f64();
    // The last events are handled.
    world.post("/clock", serde_json::json!({ "advance_seconds": 0 })).await?;
    let calls = (world.provider_calls().await? - before) / count(PURCHASES);
    world.product.stop()?;
    let what = "purchases by card with 25 calls/s, compared with 4 calls each";
    Ok(vec![
        Figure::cost("provider calls of a purchase by card", "calls", calls, GOAL_CALLS),
        Figure::rate(what, "purchases/s", rate, PERMITTED / GOAL_CALLS),
    ])
}
