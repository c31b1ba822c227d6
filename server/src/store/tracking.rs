//! Sources of visits, and counts of the steps of a purchase.

pub mod attributions;
pub mod funnel_counts;

pub use attributions::{ClickIdsRow, TouchKind};
