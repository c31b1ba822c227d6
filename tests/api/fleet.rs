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

use e2e::fleet::Fleet;
use e2e::haproxy::Haproxy;
use e2e::nginx::Nginx;

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

/// Where a documented proxy listens in front of a fleet.
struct Front {
    /// `host:port`.
    https: String,
    plain: String,
    site: String,
}

impl Front {
    fn new() -> Self {
        let (https, plain) = e2e::nginx::addresses();
        let site = format!("https://{https}");
        Self { https, plain, site }
    }

    /// Nodes that trust the proxy.
    async fn fleet(&self, nodes: usize) -> Option<Fleet> {
        let settings = [("GARIMPO_PUBLIC_URL", self.site.as_str()), ("GARIMPO_TRUSTED_PROXIES", "127.0.0.1")];
        Fleet::start_with(nodes, &settings).await
    }

    async fn nginx(&self, nodes: &[String; 2]) -> Nginx {
        Nginx::start(nodes, &self.https, &self.plain).await
    }

    async fn haproxy(&self, fleet: &Fleet) -> Haproxy {
        let metrics = [0, 1].map(|n| fleet.nodes[n].addresses["metrics"].replace("http://", ""));
        Haproxy::start(&fleet.public_addresses(), &metrics, &self.https, &self.plain).await
    }
}
