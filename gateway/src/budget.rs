//! How much one client may hold at once of what a process has only so much of: connections,
//! requests, bytes of bodies, streams.

mod client;
mod limits;
mod refused_events;
mod share;
#[cfg(test)]
mod tests;

pub(crate) use limits::Budgets;
pub use limits::{GatewayLimits, MIB};
pub use share::{AnswerEviction, Budget, BudgetLimits, Exceeded, RETRY_AFTER, Share, count_limited};
