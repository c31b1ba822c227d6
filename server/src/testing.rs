//! What the tests of this crate stand on: fresh databases and a clock that the test sets.
//!
//! SQLite is always there; PostgreSQL where GARIMPO_TEST_POSTGRES_URL names a server in which
//! databases may be created (`make test` starts one).

pub mod clock;
pub mod database;
