//! The database: SQLite embedded in the process or PostgreSQL for a fleet, one SQL text for both.
//!
//! All SQL of the product stands in the files of its tables, with `$N` placeholders. The module
//! names the table, so callers write `subscriptions::by_uid(…)` and `jobs::enqueue_if_absent(…)`.
//! They import tables and rows from here, whatever folder these stand in. A query takes `&Store`
//! outside of a transaction, `&mut Tx` inside of one, and `impl Read` where it is needed in both.
//! Nothing in [`engine`] knows a table, and no table imports this file.
//!
//! Rows are typed: states are enums, and a missing value is `None`. `row!` (`engine/row.rs`)
//! converts each column once and returns [`StoreError::Inconsistent`] for a value that it does not
//! know. Times are `i64` microseconds in columns ending `_at_us`, money is `i64` in columns ending
//! `_centavos`, booleans are INTEGER in SQLite and BOOLEAN in PostgreSQL.
//!
//! Every write goes through [`Store::write`]. `migrations/{sqlite,postgres}` have files of the same
//! names: `0100_schema.sql` describes every table, and later files only add. A PostgreSQL migration
//! that indexes an earlier migration's table begins with `-- no-transaction` and has one `CREATE
//! INDEX CONCURRENTLY IF NOT EXISTS`, so that writes continue.

pub mod billing;
pub mod engine;
pub mod identity;
pub mod jobs;
pub mod operator;
#[cfg(test)]
pub(crate) mod tests;
pub mod tracking;

pub use billing::*;
pub(crate) use engine::{Names, NonEmpty, OrEmpty, Text, text_or_empty, transaction};
pub use engine::{Result, Store, StoreError, StoreSettings, Tx, TxFuture, WriteError};
pub use identity::*;
pub use jobs::{AccountPayload, ClaimedJob, JobState, NewJob};
pub use operator::*;
pub use tracking::*;
