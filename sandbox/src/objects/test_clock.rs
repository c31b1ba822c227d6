//! Test clocks: the time of the customers that were created under them.

use serde::{Deserialize, Serialize};

use super::object;

/// A test clock.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TestClock {
    /// `clock_…`.
    pub id: String,
    /// Unix seconds, by the sandbox's clock.
    pub created: i64,
    /// When the clock and its customers are deleted. Unix seconds, by the sandbox's clock.
    pub deletes_after: i64,
    /// Time of its customers, in Unix seconds.
    pub frozen_time: i64,
    /// Name by its creator.
    pub name: Option<String>,
    /// Whether it advances now.
    pub status: Status,
    /// Where it advances to.
    pub status_details: StatusDetails,
}

/// Status of a test clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It can be advanced.
    Ready,
    /// It fires what is due until its target.
    Advancing,
}

/// Details of the status.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StatusDetails {
    /// Present while the clock advances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advancing: Option<Advancing>,
}

/// Target of an advance.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Advancing {
    /// Unix seconds.
    pub target_frozen_time: i64,
}

object!(TestClock, "test_helpers.test_clock", {"livemode": false});
