//! What the tests of this crate stand on: fresh databases, a clock that the test sets, the whole
//! server.
//!
//! SQLite is always there; PostgreSQL where GARIMPO_TEST_POSTGRES_URL names a server in which
//! databases may be created (`make test` starts one).

pub mod clock;
pub mod database;
pub mod port;
pub mod server;
pub mod world;
