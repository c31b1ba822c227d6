//! Queries and corrections that only the operator runs.

pub mod backup_contents;
pub mod doctor_findings;
pub mod event_queries;
pub mod heartbeats;
pub mod invariants;
pub mod job_queries;
pub mod lookups;
pub mod refund_marks;
pub mod repeated_deletions;
pub mod taken_over;

pub use event_queries::EventSeen;
pub use job_queries::JobRow;
pub use lookups::{CheckoutSeen, JobSeenBy, SignUps};
