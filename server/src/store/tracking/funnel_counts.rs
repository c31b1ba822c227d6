//! Daily counts of the steps to a purchase and of the sources of visits. Counts contain no personal
//! data.

use std::collections::BTreeMap;

use garimpo_domain::{Day, Labels, Step, Timestamp};

use crate::store::engine::{Cells, Column, Result, Statement, Store, Tx, purge, ro, row, text, tx};

/// Most distinct sources counted per day, because anyone can invent more.
pub const PLACES_PER_DAY: usize = 500;

text!(Step);

/// Stored as `2026-11-20`.
impl Column for Day {
    fn read(row: &impl Cells, column: &str) -> Result<Option<Self>, sqlx::Error> {
        row.cell(column).map(|text: String| Self::parse_iso(&text))
    }
}

row! {
    "funnel_counts" by day, select;

    /// Count of a step on a day.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct StepCount {
        /// Day in São Paulo.
        pub day: Day,
        pub step: Step,
        pub count: i64,
    }
}

/// Number of visits in a span with the same source.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct VisitCount {
    #[sqlx(flatten)]
    pub labels: Labels,
    /// Visits.
    pub count: i64,
}

/// Visits to count under one source.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Visits {
    pub count: i64,
    /// Clients that this process saw with the source on that day.
    pub clients: i64,
}

/// Counts a step. Call it last in a transaction, only before the feed of entitlements, because all
/// transactions update the same row.
pub async fn count_step(tx: &mut Tx, step: Step, now: Timestamp) -> Result<()> {
    add_steps(tx, now.day_in_sao_paulo(), step, 1).await
}

/// Adds to the count of a step.
pub async fn add_steps(tx: &mut Tx, day: Day, step: Step, count: i64) -> Result<()> {
    tx!(tx, execute "INSERT INTO funnel_counts (day, step, count) VALUES ($1, $2, $3)
         ON CONFLICT (day, step) DO UPDATE SET count = funnel_counts.count + excluded.count",
        day.iso(), step.name(), count)
}

/// A source with the clients that were seen with it.
#[derive(Debug, sqlx::FromRow)]
struct Place {
    #[sqlx(flatten)]
    labels: Labels,
    clients: i64,
}

/// Counts the visits of a day by source. Sources beyond the day's limit are counted together. At
/// the limit a source of more clients takes the place of the one with the fewest, because a few
/// clients can invent as many sources as there are places.
pub async fn add_visits(tx: &mut Tx, day: Day, visits: &BTreeMap<Labels, Visits>) -> Result<()> {
    let known: Vec<Place> =
        tx!(tx, rows "SELECT source, campaign, promo, clients FROM visit_counts WHERE day = $1", day.iso())?;
    let known = known.into_iter().map(|place| (place.labels, place.clients));
    let mut places: BTreeMap<Labels, i64> = known.collect();
    for (labels, seen) in visits {
        let is_other = *labels == Labels::other();
        let mut fits = is_other || places.len() < PLACES_PER_DAY || places.contains_key(labels);
        let named = places.iter().filter(|(place, _)| **place != Labels::other());
        if !fits
            && let Some((weakest, clients)) = named.min_by_key(|(_, clients)| **clients)
            && *clients < seen.clients
        {
            let weakest = weakest.clone();
            count_as_other(tx, day, &weakest).await?;
            places.remove(&weakest);
            places.entry(Labels::other()).or_default();
            fits = true;
        }
        let place = if fits { labels.clone() } else { Labels::other() };
        add_visit(tx, day, &place, *seen).await?;
        let clients = places.entry(place).or_default();
        *clients = seen.clients.max(*clients);
    }
    Ok(())
}

async fn add_visit(tx: &mut Tx, day: Day, place: &Labels, seen: Visits) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO visit_counts (day, source, campaign, promo, count, clients) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (day, source, campaign, promo) DO UPDATE SET count = visit_counts.count + excluded.count,
           clients = CASE WHEN excluded.clients > visit_counts.clients THEN excluded.clients
             ELSE visit_counts.clients END",
        day.iso(), &place.source, &place.campaign, &place.promo, seen.count, seen.clients)
}

/// Moves the visits of a source to those that are counted together.
async fn count_as_other(tx: &mut Tx, day: Day, place: &Labels) -> Result<()> {
    let count: Option<i64> = tx!(tx, first_value
        "DELETE FROM visit_counts WHERE day = $1 AND source = $2 AND campaign = $3 AND promo = $4 RETURNING count",
        day.iso(), &place.source, &place.campaign, &place.promo)?;
    add_visit(tx, day, &Labels::other(), Visits { count: count.unwrap_or_default(), clients: 0 }).await
}

/// Removes counts of steps of days before `$1`; at most `$2`.
pub const PURGE_STEPS: Statement = purge!("funnel_counts", "day, step", "day < $1");

/// Removes counts of visits of days before `$1`; at most `$2`.
pub const PURGE_VISITS: Statement = purge!("visit_counts", "day, source, campaign, promo", "day < $1");

/// Counts of steps from the first day to the last, inclusive.
pub async fn steps_between(store: &Store, first: Day, last: Day) -> Result<Vec<StepCount>> {
    ro!(store, rows select!("WHERE day >= $1 AND day <= $2 ORDER BY day, step"), first.iso(), last.iso())
}

/// Counts of visits by source from the first day to the last, inclusive.
pub async fn visits_between(store: &Store, first: Day, last: Day) -> Result<Vec<VisitCount>> {
    ro!(store, rows "SELECT source, campaign, promo, CAST(SUM(count) AS BIGINT) AS count FROM visit_counts
         WHERE day >= $1 AND day <= $2 GROUP BY source, campaign, promo", first.iso(), last.iso())
}
