//! Steps of visits, counted in memory and stored every few seconds: one statement for many visits,
//! and no data about a single one. A process that dies loses the counts of the last seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::{Day, Labels, Step, Timestamp};
use garimpo_proto::tracking::v1 as pb;
use parking_lot::Mutex;

use crate::address_rate_limiter::AddressRateLimiter;
use crate::caller::Caller;
use crate::causes::Causes;
use crate::error::{Error, ErrorReason};
use crate::store::tracking::funnel_counts::PLACES_PER_DAY;
use crate::store::{Result, Store, funnel_counts, transaction};
use crate::tracking::event_limiter::EventLimiter;

/// Labels that no other visit of the day had, per client and day. Without a limit one client could
/// take all places of the day with labels that it invents.
const NEW_LABELS_PER_CLIENT: u32 = 20;
/// How long a count stays in memory only.
const WRITE_INTERVAL: Duration = Duration::from_secs(2);

pub(crate) struct Steps {
    limiter: EventLimiter,
    new_labels: AddressRateLimiter,
    known: Mutex<Known>,
    waiting: Mutex<Waiting>,
}

/// Labels of the day's visits to this process.
#[derive(Debug, Default)]
struct Known {
    day: Option<Day>,
    labels: BTreeSet<Labels>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Waiting {
    steps: BTreeMap<(Day, Step), i64>,
    visits: BTreeMap<Day, BTreeMap<Labels, i64>>,
}

impl Waiting {
    fn count(&mut self, day: Day, step: Step, times: i64) {
        *self.steps.entry((day, step)).or_default() += times;
    }

    /// Counts a visit. Anybody can invent labels, so their number is limited here as in the table.
    fn add_visit(&mut self, day: Day, labels: Labels, times: i64) {
        let visits = self.visits.entry(day).or_default();
        let fits = visits.len() < PLACES_PER_DAY || visits.contains_key(&labels);
        *visits.entry(if fits { labels } else { Labels::other() }).or_default() += times;
    }

    fn add(&mut self, other: Self) {
        for ((day, step), times) in other.steps {
            self.count(day, step, times);
        }
        for (day, visits) in other.visits {
            for (labels, times) in visits {
                self.add_visit(day, labels, times);
            }
        }
    }
}

impl Steps {
    /// Counts at most this many steps per minute and address.
    pub(super) fn new(steps_per_address: u32) -> Self {
        Self {
            limiter: EventLimiter::per_minute(steps_per_address),
            new_labels: AddressRateLimiter::per_day(NEW_LABELS_PER_CLIENT),
            known: Mutex::default(),
            waiting: Mutex::default(),
        }
    }

    /// The labels under which a client's visit is counted.
    fn labels(&self, day: Day, labels: Labels, client: &String) -> Labels {
        let mut known = self.known.lock();
        if known.day != Some(day) {
            *known = Known { day: Some(day), ..Known::default() };
        }
        if known.labels.contains(&labels) {
            return labels;
        }
        if known.labels.len() >= PLACES_PER_DAY || self.new_labels.check(client).is_err() {
            return Labels::other();
        }
        known.labels.insert(labels.clone());
        labels
    }

    /// Counts a step of a page of ours. INVALID_ARGUMENT if pages do not report the step,
    /// PERMISSION_DENIED if another program calls.
    pub(super) fn count(
        &self,
        caller: &Caller,
        request: &pb::CountStepRequest,
        now: Timestamp,
    ) -> Result<(), Error> {
        if !caller.own_origin {
            return Err(caller.not_our_page("steps come from our pages"));
        }
        let step = Step::of_page(&request.step).ok_or_else(|| {
            Error::refused(ErrorReason::InvalidArgument, "no page sees this step")
                .with_field("step", "landing, plans, signup or upsell")
        })?;
        // Ignored, because an error would only appear in the visitor's console.
        if self.limiter.check(&caller.limit_address()).is_err() {
            return Ok(());
        }
        let today = now.day_in_sao_paulo();
        let visit = (step == Step::Landing).then(|| {
            let labels = Labels::read(&request.source, &request.campaign, &request.promo);
            self.labels(today, labels, &caller.limit_address())
        });
        let mut waiting = self.waiting.lock();
        waiting.count(today, step, 1);
        if let Some(labels) = visit {
            waiting.add_visit(today, labels, 1);
        }
        Ok(())
    }

    /// Stores the counts every few seconds, until the task is aborted.
    pub(crate) async fn write_repeatedly(self: Arc<Self>, store: Store) {
        loop {
            tokio::time::sleep(WRITE_INTERVAL).await;
            self.write(&store).await;
        }
    }

    /// Stores the counts; after a failure they are kept for the next call.
    pub(crate) async fn write(&self, store: &Store) {
        let counted = std::mem::take(&mut *self.waiting.lock());
        if counted == Waiting::default() {
            return;
        }
        let written: Result<()> = transaction!(store, (counted = counted.clone()), |tx| {
            for ((day, step), times) in &counted.steps {
                funnel_counts::add_steps(tx, *day, *step, *times).await?;
            }
            for (day, visits) in &counted.visits {
                funnel_counts::add_visits(tx, *day, visits).await?;
            }
            Ok(())
        });
        if let Err(error) = written {
            tracing::warn!(error = %Causes(&error), "the counts of steps were not stored and are kept");
            self.waiting.lock().add(counted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Day = Day { year: 2026, month: 11, day: 1 };

    #[test]
    fn invented_labels_are_counted_as_one_other() {
        let mut waiting = Waiting::default();
        for n in 0..PLACES_PER_DAY + 3 {
            waiting.add_visit(DAY, Labels::read(&format!("s{n}"), "", ""), 1);
        }
        waiting.add_visit(DAY, Labels::read("s0", "", ""), 1);

        let visits = &waiting.visits[&DAY];
        assert_eq!(visits.len(), PLACES_PER_DAY + 1);
        assert_eq!(visits[&Labels::other()], 3);
        assert_eq!(visits[&Labels::read("s0", "", "")], 2);
    }

    #[test]
    fn a_campaign_keeps_its_name_beside_labels_that_one_client_invents() {
        let steps = Steps::new(1_000);
        let label = |name: &str, client: &str| {
            let labels = Labels::read("instagram", name, "");
            steps.labels(DAY, labels.clone(), &client.to_owned()) == labels
        };

        let named = (0..700).filter(|n| label(&format!("invented-{n}"), "203.0.113.9")).count();

        assert_eq!(named, 20);
        assert!(label("lançamento-de-inverno", "198.51.100.4"), "another client's campaign");
        assert!(label("lançamento-de-inverno", "203.0.113.9"), "a known one counts for everybody");
    }

    #[test]
    fn counts_that_could_not_be_stored_are_added_to_the_later_ones() {
        let mut waiting = Waiting::default();
        waiting.count(DAY, Step::Plans, 2);
        let mut lost = Waiting::default();
        lost.count(DAY, Step::Plans, 3);
        lost.add_visit(DAY, Labels::default(), 1);

        waiting.add(lost);

        assert_eq!(waiting.steps[&(DAY, Step::Plans)], 5);
        assert_eq!(waiting.visits[&DAY][&Labels::default()], 1);
    }
}
