//! What the tests of this crate stand on: a fresh database of each kind.
//!
//! SQLite is always there; PostgreSQL where GARIMPO_TEST_POSTGRES_URL names a server in which
//! databases may be created (`make test` starts one).

pub mod database;
