//! PgBouncer in front of the run's PostgreSQL.

use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::ports::free_address;

/// A running PgBouncer in transaction mode. Dropping the value ends it.
pub struct PgBouncer {
    child: Child,
    address: String,
    _folder: TempDir,
}

impl PgBouncer {
    /// Starts PgBouncer in front of this database's server, and installs the distribution's package
    /// if PgBouncer is missing.
    pub async fn start(database_url: &str) -> Self {
        let folder = TempDir::with_prefix("garimpo-pgbouncer-").expect("a folder");
        let address = free_address();
        let (_, port) = address.rsplit_once(':').expect("a port");
        let child = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/setup/pgbouncer.sh"))
            .arg(folder.path())
            .args([port, database_url])
            .stdin(Stdio::null())
            .spawn()
            .expect("tests/setup/pgbouncer.sh runs");
        let mut bouncer = Self { child, address, _folder: folder };
        bouncer.wait_until_listening().await;
        bouncer
    }

    /// The address of a database through this PgBouncer.
    pub fn url_of(&self, database_url: &str) -> String {
        through(&self.address, database_url)
    }

    async fn wait_until_listening(&mut self) {
        // PgBouncer may be installed first.
        let within = std::time::Duration::from_mins(2);
        let (address, child) = (self.address.clone(), std::cell::RefCell::new(&mut self.child));
        crate::eventually_within(within, "PgBouncer", || async {
            let ended = child.borrow_mut().try_wait().expect("it is ours");
            assert!(ended.is_none(), "PgBouncer does not run: see tests/setup/pgbouncer.sh");
            std::net::TcpStream::connect(&address).ok()
        })
        .await;
    }
}

/// The address of a database through a PgBouncer at this address.
pub(crate) fn through(bouncer: &str, database_url: &str) -> String {
    let (_, name) = database_url.rsplit_once('/').expect("an address ends with the database");
    format!("postgres://postgres@{bouncer}/{name}")
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
