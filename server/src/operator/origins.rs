//! Origins of visits, sign-ups and payments by month, and the steps to a purchase by day.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use garimpo_domain::proportion::{Rate, rate};
use garimpo_domain::revenue::Month;
use garimpo_domain::{Labels, Step};
use serde::Serialize;

use super::Operator;
use crate::store::{Result, TouchKind, attributions, funnel_counts};

/// Counts of an origin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct OriginCounts {
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

impl OriginCounts {
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

impl AddAssign for OriginCounts {
    fn add_assign(&mut self, other: Self) {
        self.visits += other.visits;
        self.sign_ups += other.sign_ups;
        self.paid += other.paid;
        self.purchases += other.purchases;
    }
}

/// One month of one origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OriginRow {
    /// `2026-11`.
    pub month: String,
    /// Empty if unknown.
    #[serde(flatten)]
    pub labels: Labels,
    #[serde(flatten)]
    pub counts: OriginCounts,
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
        let mut origins: BTreeMap<Labels, OriginCounts> = BTreeMap::new();
        let (from, until) = (month.starts(), month.ends());
        let (first, last) = (from.day_in_sao_paulo(), until.plus_micros(-1).day_in_sao_paulo());
        for seen in funnel_counts::visits_between(&self.context.store, first, last).await? {
            origins.entry(seen.labels).or_default().visits += seen.count;
        }
        for seen in attributions::sign_ups_by_origin(&self.context.store, kind, from, until).await? {
            let counts = OriginCounts { sign_ups: seen.sign_ups, paid: seen.paid, ..Default::default() };
            *origins.entry(seen.labels).or_default() += counts;
        }
        for seen in attributions::purchases_by_origin(&self.context.store, kind, from, until).await? {
            origins.entry(seen.labels).or_default().purchases += seen.purchases;
        }
        let row = |(labels, counts)| OriginRow { month: month.to_string(), labels, counts };
        Ok(origins.into_iter().map(row).collect())
    }

    /// The last days, today included, oldest first; days without steps are included.
    pub async fn funnel(&self, days: u16) -> Result<Vec<FunnelRow>> {
        let day = |ago: u16| self.now().plus_days(-i64::from(ago)).day_in_sao_paulo();
        let none: BTreeMap<_, _> = Step::ALL.into_iter().map(|step| (step.name(), 0)).collect();
        let mut rows: BTreeMap<_, _> = (0..days).map(|ago| (day(ago), none.clone())).collect();
        for seen in
            funnel_counts::steps_between(&self.context.store, day(days.saturating_sub(1)), day(0)).await?
        {
            rows.entry(seen.day).or_default().insert(seen.step.name(), seen.count);
        }
        Ok(rows.into_iter().map(|(day, steps)| FunnelRow { day: day.iso(), steps }).collect())
    }
}
