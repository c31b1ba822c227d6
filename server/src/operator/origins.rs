//! Where visits, sign-ups and payments came from, month by month; and the steps of each day.

use std::collections::BTreeMap;

use garimpo_domain::attribution::Labels;
use garimpo_domain::funnel::Step;
use garimpo_domain::proportion::{Rate, rate};
use garimpo_domain::revenue::Month;
use serde::Serialize;

use super::Operator;
use crate::store::StoreError;
use crate::store::tracking::attributions::{self, TouchKind};
use crate::store::tracking::funnel_counts::{self, day_text};

/// One month of one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OriginRow {
    /// `2026-11`.
    pub month: String,
    /// Source; empty where nothing said it.
    pub source: String,
    /// Campaign.
    pub campaign: String,
    /// Promotion code.
    pub promo: String,
    /// Visits that came from there in the month.
    pub visits: i64,
    /// Who signed up in the month and had come from there; deleted accounts are forgotten.
    pub sign_ups: i64,
    /// Of them, who has paid by now.
    pub paid: i64,
    /// Subscriptions first paid in the month whose own checkout came from there, whatever the account had come by.
    pub purchases: i64,
}

impl OriginRow {
    /// Sign-ups of visits.
    pub fn sign_up_rate(&self) -> Option<Rate> {
        rate(count(self.sign_ups), count(self.visits))
    }

    /// Who paid of who signed up.
    pub fn paid_rate(&self) -> Option<Rate> {
        rate(count(self.paid), count(self.sign_ups))
    }

    /// Purchases of visits.
    pub fn purchase_rate(&self) -> Option<Rate> {
        rate(count(self.purchases), count(self.visits))
    }
}

/// The rows of a month by their place.
struct Places {
    month: Month,
    rows: BTreeMap<Labels, OriginRow>,
}

impl Places {
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

/// One day of the way to a purchase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunnelRow {
    /// `2026-11-20`, in São Paulo.
    pub day: String,
    /// How often each step was reached, by its name.
    #[serde(flatten)]
    pub steps: BTreeMap<&'static str, i64>,
}

impl Operator {
    /// Every month from `first` to `last`, place by place: by the first or the last arrival before the sign-up.
    ///
    /// # Errors
    /// The store's own.
    pub async fn origins(
        &self,
        first: Month,
        last: Month,
        kind: TouchKind,
    ) -> Result<Vec<OriginRow>, StoreError> {
        let mut rows = Vec::new();
        let mut month = first;
        while month <= last {
            rows.extend(self.origins_of(month, kind).await?);
            month = month.plus(1);
        }
        Ok(rows)
    }

    async fn origins_of(&self, month: Month, kind: TouchKind) -> Result<Vec<OriginRow>, StoreError> {
        let mut places = Places { month, rows: BTreeMap::new() };
        let (from, until) = (month.starts(), month.ends());
        for seen in
            funnel_counts::visits_between(&self.store, &day_text(from), &day_text(until.plus_micros(-1)))
                .await?
        {
            places.of(seen.source, seen.campaign, seen.promo).visits += seen.count;
        }
        for seen in attributions::sign_ups_by_origin(&self.store, kind, from, until).await? {
            let row = places.of(seen.source, seen.campaign, seen.promo);
            (row.sign_ups, row.paid) = (row.sign_ups + seen.sign_ups, row.paid + seen.paid);
        }
        for seen in attributions::purchases_by_origin(&self.store, kind, from, until).await? {
            places.of(seen.source, seen.campaign, seen.promo).purchases += seen.purchases;
        }
        Ok(places.rows.into_values().collect())
    }

    /// The last days, today included, oldest first; one without any step stands too.
    ///
    /// # Errors
    /// The store's own.
    pub async fn funnel(&self, days: u16) -> Result<Vec<FunnelRow>, StoreError> {
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
