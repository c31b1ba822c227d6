//! Replies that were read lately, because services ask often and rights seldom change.
//!
//! A reply is kept for seconds, and only while this process follows the feed: it is dropped at once
//! for a commit of this process, and at the next look for one of another process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use garimpo_domain::Timestamp;
use quick_cache::sync::Cache;

use crate::billing::entitlements::fast_path::encoded_reply::Answer;
use crate::recent::Recent;

/// An answer is kept so long: half as long as a change counts as news (`store.rs`), so that none outlives it.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// Accounts that are kept at once, about 300 bytes each.
const ACCOUNTS: usize = 50_000;
/// The feed is followed for so long after the last question.
const ASKED_LATELY: Duration = Duration::from_secs(10);
/// No following.
const NONE: u64 = 0;

/// The answers that are kept.
pub(crate) struct Answers {
    /// A batch looks for a thousand at once: reading is a look into a table, and what is over stays until another takes
    /// its place or nobody asks any more.
    kept: Cache<String, Kept>,
    /// Number of this following of the feed: what an earlier one kept may have missed a change since.
    following: AtomicU64,
    followings: AtomicU64,
    began: Instant,
    /// The last question, in milliseconds since `began`, and one more.
    asked_ms: AtomicU64,
}

#[derive(Clone)]
struct Kept {
    following: u64,
    since: Instant,
    answer: Answer,
}

/// A look at what is kept, at an instant.
pub(crate) struct Look<'a> {
    kept: &'a Cache<String, Kept>,
    /// Who is news, if anybody is.
    news: Option<&'a Recent>,
    following: u64,
    at: Instant,
    now: Timestamp,
}

impl Look<'_> {
    /// What an account may use, if that was read lately and nothing is known to have changed since.
    pub fn get(&self, uid: &str) -> Option<Answer> {
        let holds = |kept: &Kept| kept.following == self.following && self.at < kept.since + KEPT_FOR;
        let Kept { answer, .. } = self.kept.get(uid).filter(holds)?;
        let is_over = answer.next_change_at.is_some_and(|at| at <= self.now);
        let is_news = self.news.is_some_and(|news| news.contains(uid));
        (!is_over && !is_news).then_some(answer)
    }
}

/// A reading that began while the feed was followed, or was not.
#[derive(Clone, Copy)]
pub(crate) struct Reading(u64);

impl Answers {
    pub fn new() -> Self {
        Self {
            kept: Cache::new(ACCOUNTS),
            following: AtomicU64::new(NONE),
            followings: AtomicU64::new(NONE),
            began: Instant::now(),
            asked_ms: AtomicU64::new(0),
        }
    }

    /// Whether somebody asked lately, so that following the feed is worth it.
    pub fn are_asked(&self) -> bool {
        let asked_ms = self.asked_ms.load(Ordering::Relaxed);
        asked_ms > 0 && self.now_ms() < asked_ms + ASKED_LATELY.as_millis() as u64
    }

    /// From here on every change is heard of.
    pub fn follow(&self) {
        let following = self.followings.fetch_add(1, Ordering::AcqRel) + 1;
        self.following.store(following, Ordering::Release);
    }

    /// Changes may be missed from here on.
    pub fn leave(&self) {
        if self.following.swap(NONE, Ordering::AcqRel) != NONE {
            self.kept.clear();
        }
    }

    /// What holds at an instant of what is kept.
    pub fn look<'a>(&'a self, news: &'a Recent, now: Timestamp) -> Look<'a> {
        self.note_asked();
        let following = self.following.load(Ordering::Acquire);
        Look { kept: &self.kept, news: news.any().then_some(news), following, at: Instant::now(), now }
    }

    /// Begins a reading of the database.
    pub fn reading(&self) -> Reading {
        Reading(self.following.load(Ordering::Acquire))
    }

    /// Keeps what a reading found, unless it may have missed a change.
    pub fn keep(&self, reading: Reading, uid: &str, answer: Answer, news: &Recent) {
        let is_followed = reading.0 != NONE && self.following.load(Ordering::Acquire) == reading.0;
        if is_followed && !news.contains(uid) {
            self.kept.insert(uid.to_owned(), Kept { following: reading.0, since: Instant::now(), answer });
        }
    }

    /// Written once a second at most: every call comes by here.
    fn note_asked(&self) {
        let (now_ms, asked_ms) = (self.now_ms(), self.asked_ms.load(Ordering::Relaxed));
        if asked_ms == 0 || now_ms > asked_ms + 1_000 {
            self.asked_ms.store(now_ms, Ordering::Relaxed);
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::billing::entitlement_changes::EntitlementChange;

    const NOW: Timestamp = Timestamp::from_unix_seconds(1_800_000_000);

    fn free(next_change_at: Option<Timestamp>) -> Answer {
        let state = EntitlementChange {
            seq: 0,
            uid: "ana".to_owned(),
            plan_id: Some("free".to_owned()),
            status: "free".to_owned(),
            suspended_reason: None,
            valid_until_us: None,
            next_change_at_us: next_change_at.map(Timestamp::as_micros),
            revision: 1,
            at_us: NOW.as_micros(),
        };
        Answer::of(&state).expect("there is an account")
    }

    fn news() -> Recent {
        Recent::new(10, Duration::from_mins(1))
    }

    #[test]
    fn resposta_so_e_guardada_enquanto_o_feed_e_seguido_e_some_quando_ele_e_largado() {
        let (answers, news) = (Answers::new(), news());
        assert!(!answers.are_asked());
        answers.keep(answers.reading(), "ana", free(None), &news);
        assert!(answers.look(&news, NOW).get("ana").is_none(), "nobody follows");
        assert!(answers.are_asked());

        let before = answers.reading();
        answers.follow();
        answers.keep(before, "ana", free(None), &news);
        assert!(answers.look(&news, NOW).get("ana").is_none(), "read before the feed was followed");
        answers.keep(answers.reading(), "ana", free(None), &news);
        assert!(answers.look(&news, NOW).get("ana").is_some());

        answers.leave();
        assert!(answers.look(&news, NOW).get("ana").is_none());
        answers.follow();
        assert!(answers.look(&news, NOW).get("ana").is_none(), "a change may have been missed in between");
    }

    #[test]
    fn quem_mudou_ha_pouco_ou_muda_agora_pelo_tempo_e_lido_de_novo() {
        let (answers, news) = (Answers::new(), news());
        answers.follow();
        answers.keep(answers.reading(), "ana", free(None), &news);
        answers.keep(answers.reading(), "bia", free(Some(NOW.plus_seconds(1))), &news);
        assert!(answers.look(&news, NOW).get("bia").is_some());
        assert!(answers.look(&news, NOW.plus_seconds(1)).get("bia").is_none());

        news.add("ana");
        assert!(answers.look(&news, NOW).get("ana").is_none());
        answers.keep(answers.reading(), "ana", free(None), &news);
        assert!(answers.look(&news, NOW).get("ana").is_none(), "the reading may be older than the news");
    }
}
