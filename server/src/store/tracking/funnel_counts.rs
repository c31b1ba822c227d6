//! Daily counts of the steps to a purchase and of the sources of visits. Counts contain no personal
//! data.

use std::collections::BTreeSet;

use garimpo_domain::{Labels, Step, Timestamp};

use crate::store::engine::{Result, Store, Tx, purge, ro, tx};

/// Most distinct sources counted per day, because anyone can invent more.
pub const PLACES_PER_DAY: usize = 500;

/// A day in São Paulo as stored: YYYY-MM-DD.
pub fn day_text(at: Timestamp) -> String {
    let day = at.day_in_sao_paulo();
    format!("{:04}-{:02}-{:02}", day.year, day.month, day.day)
}

/// Count of a step on a day.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StepCount {
    /// Day in São Paulo, YYYY-MM-DD.
    pub day: String,
    /// Name of the step, as stored.
    pub step: String,
    pub count: i64,
}

/// Number of visits in a span with the same source.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct VisitCount {
    /// Source, normalized for counting.
    pub source: String,
    pub campaign: String,
    pub promo: String,
    /// Visits.
    pub count: i64,
}

/// Counts a step. Call it last in a transaction, only before the feed of entitlements, because all
/// transactions update the same row.
pub async fn count_step(tx: &mut Tx, step: Step, now: Timestamp) -> Result<()> {
    add_steps(tx, &day_text(now), step, 1).await
}

/// Adds to the count of a step.
pub async fn add_steps(tx: &mut Tx, day: &str, step: Step, count: i64) -> Result<()> {
    tx!(tx, c => sqlx::query(
        "INSERT INTO funnel_counts (day, step, count) VALUES ($1, $2, $3)
         ON CONFLICT (day, step) DO UPDATE SET count = funnel_counts.count + excluded.count")
        .bind(day).bind(step.name()).bind(count).execute(c).await.map(drop))
}

/// Counts the visits of a day by source. Sources beyond the day's limit are counted together.
pub async fn add_visits(tx: &mut Tx, day: &str, visits: &[(Labels, i64)]) -> Result<()> {
    let known: Vec<(String, String, String)> = tx!(tx, c => sqlx::query_as(
        "SELECT source, campaign, promo FROM visit_counts WHERE day = $1").bind(day).fetch_all(c).await)?;
    let known = known.into_iter().map(|(source, campaign, promo)| Labels { source, campaign, promo });
    let mut places: BTreeSet<_> = known.collect();
    for (labels, count) in visits {
        let fits = places.len() < PLACES_PER_DAY || places.contains(labels);
        let place = if fits { labels.clone() } else { Labels::other() };
        tx!(tx, c => sqlx::query(
            "INSERT INTO visit_counts (day, source, campaign, promo, count) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (day, source, campaign, promo) DO UPDATE SET count = visit_counts.count + excluded.count")
            .bind(day).bind(&place.source).bind(&place.campaign).bind(&place.promo).bind(count).execute(c).await.map(drop))?;
        places.insert(place);
    }
    Ok(())
}

/// Removes counts of steps of days before `$1`; at most `$2`.
pub const PURGE_STEPS: &str = purge!("funnel_counts", "day, step", "day < $1");

/// Removes counts of visits of days before `$1`; at most `$2`.
pub const PURGE_VISITS: &str = purge!("visit_counts", "day, source, campaign, promo", "day < $1");

/// Counts of steps from the first day to the last, inclusive.
pub async fn steps_between(store: &Store, first: &str, last: &str) -> Result<Vec<StepCount>> {
    ro!(store, c => sqlx::query_as(
        "SELECT day, step, count FROM funnel_counts WHERE day >= $1 AND day <= $2 ORDER BY day, step")
        .bind(first).bind(last).fetch_all(c).await)
}

/// Counts of visits by source from the first day to the last, inclusive.
pub async fn visits_between(store: &Store, first: &str, last: &str) -> Result<Vec<VisitCount>> {
    ro!(store, c => sqlx::query_as(
        "SELECT source, campaign, promo, CAST(SUM(count) AS BIGINT) AS count FROM visit_counts
         WHERE day >= $1 AND day <= $2 GROUP BY source, campaign, promo")
        .bind(first).bind(last).fetch_all(c).await)
}
