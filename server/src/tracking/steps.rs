//! Steps of visits, counted in memory and stored every few seconds: one statement for many visits,
//! and no data about a single one. A process that dies loses the counts of the last seconds.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use garimpo_domain::{Day, Labels, Step, Timestamp};
use garimpo_proto::tracking::v1 as pb;
use parking_lot::Mutex;

use crate::address_rate_limiter::AddressRateLimiter;
use crate::caller::Caller;
use crate::causes::Causes;
use crate::client_network::network_of;
use crate::error::{Error, ErrorReason};
use crate::store::tracking::funnel_counts::{PLACES_PER_DAY, Visits};
use crate::store::{Result, Store, funnel_counts, transaction};
use crate::tracking::event_limiter::EventLimiter;

/// Labels that count a client, per client and day. Without a limit a few clients could take all
/// places of the day with labels that they invent.
const LABELS_PER_CLIENT: u32 = 20;
/// Labels, and clients that were counted for them, in the memory of a process. Beyond it new labels
/// are counted together, and no further client is.
const MAX_KNOWN: usize = 20_000;
/// How long a count stays in memory only.
const WRITE_INTERVAL: Duration = Duration::from_secs(2);

pub(crate) struct Steps {
    limiter: EventLimiter,
    counted_labels: AddressRateLimiter,
    known: Mutex<Known>,
    waiting: Mutex<Waiting>,
}

/// Labels of the day's visits to this process.
#[derive(Debug, Default)]
struct Known {
    day: Option<Day>,
    /// Number of clients that were counted for the labels.
    clients: BTreeMap<Labels, i64>,
    /// Which clients these are: hashes of labels and client. A /48 is one client.
    counted: HashSet<u64>,
}

impl Known {
    /// Whether a client is not counted for the labels yet, and can be.
    fn can_count(&self, pair: u64, labels: &Labels) -> bool {
        let has_room = self.counted.len() < MAX_KNOWN * LABELS_PER_CLIENT as usize
            && (self.clients.len() < MAX_KNOWN || self.clients.contains_key(labels));
        has_room && !self.counted.contains(&pair)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Waiting {
    steps: BTreeMap<(Day, Step), i64>,
    visits: BTreeMap<Day, BTreeMap<Labels, Visits>>,
}

impl Waiting {
    fn count(&mut self, day: Day, step: Step, times: i64) {
        *self.steps.entry((day, step)).or_default() += times;
    }

    /// Counts visits. Anybody can invent labels, so their number is limited here as in the table.
    fn add_visits(&mut self, day: Day, labels: Labels, seen: Visits) {
        let visits = self.visits.entry(day).or_default();
        let fits = visits.len() < PLACES_PER_DAY || visits.contains_key(&labels);
        let place = visits.entry(if fits { labels } else { Labels::other() }).or_default();
        place.count += seen.count;
        place.clients = place.clients.max(seen.clients);
    }

    fn add(&mut self, other: Self) {
        for ((day, step), times) in other.steps {
            self.count(day, step, times);
        }
        for (day, visits) in other.visits {
            for (labels, seen) in visits {
                self.add_visits(day, labels, seen);
            }
        }
    }
}

impl Steps {
    /// Counts at most this many steps per minute and address.
    pub(super) fn new(steps_per_address: u32) -> Self {
        Self {
            limiter: EventLimiter::per_minute(steps_per_address),
            counted_labels: AddressRateLimiter::per_day(LABELS_PER_CLIENT),
            known: Mutex::default(),
            waiting: Mutex::default(),
        }
    }

    /// The labels under which a client's visit is counted, with the clients seen with them.
    fn labels(&self, day: Day, labels: Labels, client: &String) -> (Labels, i64) {
        let mut known = self.known.lock();
        if known.day != Some(day) {
            *known = Known { day: Some(day), ..Known::default() };
        }
        let mut pair = DefaultHasher::new();
        (network_of(client), &labels).hash(&mut pair);
        let pair = pair.finish();
        if known.can_count(pair, &labels) && self.counted_labels.check(client).is_ok() {
            known.counted.insert(pair);
            *known.clients.entry(labels.clone()).or_default() += 1;
        }
        match known.clients.get(&labels).copied() {
            Some(clients) => (labels, clients),
            None => (Labels::other(), 0),
        }
    }

    /// Counts a step of a page of ours. INVALID_ARGUMENT if pages do not report the step,
    /// PERMISSION_DENIED if another program calls.
    pub(super) fn count(
        &self,
        caller: &Caller,
        request: &pb::CountStepRequest,
        now: Timestamp,
    ) -> Result<(), Error> {
        if !caller.is_own_page() {
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
        if let Some((labels, clients)) = visit {
            waiting.add_visits(today, labels, Visits { count: 1, clients });
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
    use crate::tests::server::TestServer;

    const DAY: Day = Day { year: 2026, month: 11, day: 1 };

    #[test]
    fn invented_labels_are_counted_as_one_other() {
        let mut waiting = Waiting::default();
        let once = Visits { count: 1, clients: 1 };
        for n in 0..PLACES_PER_DAY + 3 {
            waiting.add_visits(DAY, Labels::read(&format!("s{n}"), "", ""), once);
        }
        waiting.add_visits(DAY, Labels::read("s0", "", ""), once);

        let visits = &waiting.visits[&DAY];
        assert_eq!(visits.len(), PLACES_PER_DAY + 1);
        assert_eq!(visits[&Labels::other()].count, 3);
        assert_eq!(visits[&Labels::read("s0", "", "")].count, 2);
    }

    #[test]
    fn a_campaign_keeps_its_name_beside_labels_that_one_client_invents() {
        let steps = Steps::new(1_000);
        let label = |name: &str, client: &str| {
            let labels = Labels::read("instagram", name, "");
            steps.labels(DAY, labels.clone(), &client.to_owned()).0 == labels
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
        lost.add_visits(DAY, Labels::default(), Visits { count: 1, clients: 1 });

        waiting.add(lost);

        assert_eq!(waiting.steps[&(DAY, Step::Plans)], 5);
        assert_eq!(waiting.visits[&DAY][&Labels::default()].count, 1);
    }

    #[test]
    fn a_client_counts_once_for_its_labels_and_a_48_bit_network_is_one_client() {
        let steps = Steps::new(1_000);
        let seen =
            |client: &str| steps.labels(DAY, Labels::read("instagram", "inverno", ""), &client.to_owned()).1;

        assert_eq!((seen("203.0.113.9"), seen("203.0.113.9")), (1, 1));
        assert_eq!((seen("2001:db8:7:1::/64"), seen("2001:db8:7:2::/64")), (2, 2));
        assert_eq!(seen("198.51.100.4"), 3);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_campaign_of_many_clients_keeps_its_name_beside_the_labels_of_forty_addresses() {
        let server = TestServer::new().await;
        let store = server.app.store();
        let steps = Steps::new(1_000);
        let visits = |name: String, client: String| {
            let (labels, clients) = steps.labels(DAY, Labels::read("instagram", &name, ""), &client);
            steps.waiting.lock().add_visits(DAY, labels, Visits { count: 1, clients });
        };
        for address in 0..40 {
            for n in 0..20 {
                visits(format!("invented-{address}-{n}"), format!("203.0.113.{address}"));
            }
            steps.write(store).await;
        }
        for network in 0..30 {
            visits("lancamento".to_owned(), format!("198.51.100.{network}"));
            steps.write(store).await;
        }

        let counted = funnel_counts::visits_between(store, DAY, DAY).await.expect("read");

        let count =
            |labels: Labels| counted.iter().find(|place| place.labels == labels).map(|place| place.count);
        // The first visit was of one client, as each invented one.
        assert_eq!(count(Labels::read("instagram", "lancamento", "")), Some(29));
        assert_eq!(counted.len(), PLACES_PER_DAY + 1);
        assert_eq!(counted.iter().map(|place| place.count).sum::<i64>(), 830, "no visit is lost");
    }
}
