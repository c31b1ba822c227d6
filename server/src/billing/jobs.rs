//! Jobs that several areas enqueue.

pub(super) mod reconciliation;
pub(super) mod retirement;
