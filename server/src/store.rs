//! The database: SQLite embedded in the process or PostgreSQL for a fleet, one SQL text for both.
//!
//! All SQL of the product lives in `store/<table>.rs`, with `$N` placeholders. Names put the resource
//! first, then the verb: `account_by_email`, `job_claim`. A read is a method of [`Store`]; a query
//! inside a transaction is a function with the suffix `_in_tx` that takes `&mut Tx`. What is absent is
//! an `Option`, not an error. Times are `i64` microseconds in columns ending `_at_us`, money `i64` in
//! columns ending `_centavos`, booleans INTEGER in SQLite and BOOLEAN in PostgreSQL.
//!
//! Every write goes through [`Store::write`]. Migrations stand in `migrations/{sqlite,postgres}` under
//! the same names; they only add. One of PostgreSQL that indexes a table of an earlier one begins with
//! `-- no-transaction` and has a single `CREATE INDEX CONCURRENTLY IF NOT EXISTS`, so that writes go on.

pub mod billing;
pub mod engine;
pub mod identity;
pub mod jobs;
pub mod operator;
#[cfg(test)]
pub mod test_support;
#[cfg(test)]
mod tests;
pub mod tracking;

pub use engine::{Store, StoreError, StoreSettings, Tx};
