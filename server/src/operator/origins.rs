//! Origins of visits, sign-ups and payments by month, and the steps to a purchase by day.

use std::collections::BTreeMap;

use garimpo_domain::proportion::{Rate, rate};
use garimpo_domain::revenue::Month;
use garimpo_domain::{Labels, Step};
use serde::Serialize;

use super::Operator;
use crate::store::tracking::funnel_counts::day_text;
use crate::store::{Result, TouchKind, attributions, funnel_counts};

/// One month of one origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OriginRow {
    /// `2026-11`.
    pub month: String,
    /// Empty if unknown.
    pub source: String,
    pub campaign: String,
    pub promo: String,
    /// Visits of the origin in the month.
    pub visits: i64,
    /// Sign-ups of the origin in the month, without deleted accounts.
    pub sign_ups: i64,
    /// Sign-ups of these that have paid by now.
    pub paid: i64,
    /// Subscriptions first paid in the month whose checkout has the origin; that of the account may
    /// differ.
    pub purchases: i64,
}

impl OriginRow {
    pub fn sign_up_rate(&self) -> Option<Rate> {
        rate(count(self.sign_ups), count(self.visits))
    }

    pub fn paid_rate(&self) -> Option<Rate> {
        rate(count(self.paid), count(self.sign_ups))
    }

    pub fn purchase_rate(&self) -> Option<Rate> {
        rate(count(self.purchases), count(self.visits))
    }
}

/// The rows of a month by origin.
struct Origins {
    month: Month,
    rows: BTreeMap<Labels, OriginRow>,
}

impl Origins {
    fn of(&mut self, source: String, campaign: String, promo: String) -> &mut OriginRow {
        let labels = Labels { source, campaign, promo };
        self.rows.entry(labels.clone()).or_insert_with(|| OriginRow {
            month: self.month.to_string(),
            source: labels.source,
            campaign: labels.campaign,
            promo: labels.promo,
            visits: 0,
            sign_ups: 0,
            paid: 0,
            purchases: 0,
        })
    }
}

fn count(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The steps to a purchase on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunnelRow {
    /// `2026-11-20`, in São Paulo.
    pub day: String,
    /// Counts by the step's name.
    #[serde(flatten)]
    pub steps: BTreeMap<&'static str, i64>,
}

impl Operator {
    /// Every month from `first` to `last` by origin: that of the first or the last visit before the
    /// sign-up.
    pub async fn origins(&self, first: Month, last: Month, kind: TouchKind) -> Result<Vec<OriginRow>> {
        let mut rows = Vec::new();
        let mut month = first;
        while month <= last {
            rows.extend(self.origins_of(month, kind).await?);
            month = month.plus(1);
        }
        Ok(rows)
    }

    async fn origins_of(&self, month: Month, kind: TouchKind) -> Result<Vec<OriginRow>> {
        let mut origins = Origins { month, rows: BTreeMap::new() };
        let (from, until) = (month.starts(), month.ends());
        for seen in
            funnel_counts::visits_between(&self.store, &day_text(from), &day_text(until.plus_micros(-1)))
                .await?
        {
            origins.of(seen.source, seen.campaign, seen.promo).visits += seen.count;
        }
        for seen in attributions::sign_ups_by_origin(&self.store, kind, from, until).await? {
            let row = origins.of(seen.source, seen.campaign, seen.promo);
            (row.sign_ups, row.paid) = (row.sign_ups + seen.sign_ups, row.paid + seen.paid);
        }
        for seen in attributions::purchases_by_origin(&self.store, kind, from, until).await? {
            origins.of(seen.source, seen.campaign, seen.promo).purchases += seen.purchases;
        }
        Ok(origins.rows.into_values().collect())
    }

    /// The last days, today included, oldest first; days without steps are included.
    pub async fn funnel(&self, days: u16) -> Result<Vec<FunnelRow>> {
        let day = |ago: u16| day_text(self.now().plus_days(-i64::from(ago)));
        let none: BTreeMap<_, _> = Step::ALL.into_iter().map(|step| (step.name(), 0)).collect();
        let mut rows: BTreeMap<_, _> = (0..days).map(|ago| (day(ago), none.clone())).collect();
        for seen in funnel_counts::steps_between(&self.store, &day(days.saturating_sub(1)), &day(0)).await? {
            let counts = rows.get_mut(&seen.day);
            if let Some(count) = counts.and_then(|steps| steps.get_mut(seen.step.as_str())) {
                *count = seen.count;
            }
        }
        Ok(rows.into_iter().map(|(day, steps)| FunnelRow { day, steps }).collect())
    }
}
