//! The two databases of the store: opening, migrations, transactions, and SQLite's single writer.
//!
//! No file here names a table of the product.

pub mod backup;
pub(crate) mod commit_hooks;
pub mod copies;
pub(crate) mod database;
pub(crate) mod error;
pub(crate) mod many;
pub(crate) mod migration;
mod opening;
pub(crate) mod postgres;
pub(crate) mod purge;
pub(crate) mod query;
pub(crate) mod read;
pub mod restore;
pub(crate) mod row;
mod settings;
pub(crate) mod statements;
mod store;
pub(crate) mod tx;
pub(crate) mod writer;

pub(crate) use database::Db;
pub use error::{Result, StoreError, WriteError};
pub use migration::newest_migration;
pub use opening::is_plain_postgres;
pub(crate) use purge::purge;
pub use read::{Read, Reader};
pub(crate) use read::{ro, snapshot};
pub(crate) use row::{Cells, Column, Names, NonEmpty, OrEmpty, Printed, Text, row, text, text_or_empty};
pub use settings::{CONNECTIONS, LOCK_TIMEOUT, Pooler, STATEMENT_TIMEOUT, StoreSettings, sqlite_file};
pub use statements::Statement;
pub(crate) use statements::{only, statement};
pub use store::Store;
pub(crate) use tx::{Connection, transaction, tx};
pub use tx::{Tx, TxFuture};
