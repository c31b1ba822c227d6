//! The fleet on PostgreSQL: several servers and gateways as one product. Skipped without
//! PostgreSQL.

mod clock_skew;
mod doctor_run;
mod entitlement_watch;
mod job_takeover;
mod load;
mod migrations;
mod nginx;
mod restart;
mod revocation;
mod secret;

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
