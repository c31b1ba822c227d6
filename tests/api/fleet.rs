//! The fleet: several equal processes on one PostgreSQL as one product. Skipped without
//! PostgreSQL.

mod clock_skew;
mod doctor_run;
mod entitlement_watch;
mod internal_port;
mod job_takeover;
mod load;
mod migrations;
mod nginx;
mod proxies;
mod restart;
mod revocation;

/// Starts a fleet, or skips the test if the run has no PostgreSQL.
macro_rules! fleet {
    ($start:expr) => {
        match $start.await {
            Some(fleet) => fleet,
            None => return e2e::skips("PostgreSQL"),
        }
    };
}
use fleet;
