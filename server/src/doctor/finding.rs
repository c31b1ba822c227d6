//! Findings of the doctor.

use std::fmt::Display;
use std::time::{Duration, Instant};

use garimpo_domain::Timestamp;
use serde::Serialize;

use crate::causes::Causes;
use crate::store::Result;

/// Most findings of one invariant.
pub(super) const MAX_FINDINGS: i64 = 100;

/// A violation of an invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Id that commands accept.
    pub subject: String,
    pub what: String,
    /// The command that repairs or explains it.
    #[serde(rename = "mend")]
    pub repair: String,
}

impl Finding {
    pub fn new(subject: impl Display, what: impl Into<String>, repair: impl Into<String>) -> Self {
        Self { subject: subject.to_string(), what: what.into(), repair: repair.into() }
    }
}

/// An instant in São Paulo, to the second, as the other commands print it.
pub(super) fn instant(at: Timestamp) -> String {
    Timestamp::from_unix_seconds(at.as_unix_seconds()).to_rfc3339_in_sao_paulo()
}

/// A checked invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checked {
    pub invariant: &'static str,
    /// At most 100.
    pub findings: Vec<Finding>,
    /// Whether there may be more findings.
    pub more: bool,
    /// Why it could not be checked.
    #[serde(rename = "unasked")]
    pub error: Option<String>,
    pub milliseconds: u128,
}

impl Checked {
    /// An invariant that was checked elsewhere.
    pub fn of(invariant: &'static str, findings: Vec<Finding>) -> Self {
        Self { invariant, findings, more: false, error: None, milliseconds: 0 }
    }

    pub fn holds(&self) -> bool {
        self.findings.is_empty() && self.error.is_none()
    }
}

pub(super) type Findings = Result<Vec<Finding>>;

/// Time limits of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLimits {
    /// Of one invariant.
    pub(crate) each: Duration,
    /// Of all of them. Once it is used up, the others are not checked.
    pub(crate) all: Duration,
}

impl TimeLimits {
    pub(super) fn begin(self) -> RunTime {
        RunTime { each: self.each, ends: Instant::now() + self.all }
    }
}

/// The time of a run under way.
pub(super) struct RunTime {
    each: Duration,
    ends: Instant,
}

impl RunTime {
    /// How long the next invariant may take.
    fn of_next(&self) -> Duration {
        self.each.min(self.ends.saturating_duration_since(Instant::now()))
    }

    /// Checks one invariant within the time limits.
    pub(super) async fn check(
        &self,
        invariant: &'static str,
        query: impl Future<Output = Findings>,
    ) -> Checked {
        let (began, limit) = (Instant::now(), self.of_next());
        // A time-out of zero would still take an answer that is there at once.
        let answer = if limit.is_zero() { None } else { tokio::time::timeout(limit, query).await.ok() };
        let (findings, error) = match answer {
            Some(Ok(findings)) => (findings, None),
            Some(Err(error)) => (Vec::new(), Some(Causes(&error).to_string())),
            None => (Vec::new(), Some(format!("no answer in {} s", limit.as_secs()))),
        };
        Checked {
            invariant,
            more: findings.len() as i64 >= MAX_FINDINGS,
            findings,
            error,
            milliseconds: began.elapsed().as_millis(),
        }
    }
}
