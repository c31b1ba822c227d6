//! Pebble, the ACME test server of Let's Encrypt, as Debian packages it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::certificates::Authority;
use crate::ports::free_address;

/// A running Pebble and its DNS server. Dropping the value ends them.
pub struct Pebble {
    processes: Vec<Child>,
    /// Signs the certificate of Pebble's own port. Certificates that Pebble issues have other
    /// roots.
    authority: Authority,
    directory: String,
    management: String,
    folder: TempDir,
}

impl Pebble {
    /// Starts Pebble. It validates every host at this port of this machine, and issues certificates
    /// that are valid for `valid_for` seconds.
    pub async fn starts(checked_port: &str, valid_for: u32) -> Self {
        let folder = TempDir::with_prefix("garimpo-pebble-").expect("a folder");
        let authority = Authority::new();
        let files = authority.signs(time::Duration::days(1)).write_to(folder.path());
        std::fs::write(folder.path().join("root.pem"), authority.root()).expect("it is written");
        let [listen, management, dns, dns_management] = [(); 4].map(|()| free_address());
        let config = json!({ "pebble": {
            "listenAddress": listen,
            "managementListenAddress": management,
            "certificate": files.chain,
            "privateKey": files.key,
            "httpPort": 9,
            "tlsPort": checked_port.parse::<u16>().expect("a port"),
            "ocspResponderURL": "",
            "externalAccountBindingRequired": false,
            "certificateValidityPeriod": valid_for,
        } });
        let file = folder.path().join("pebble.json");
        std::fs::write(&file, config.to_string()).expect("it is written");
        let mut processes = vec![spawn("pebble-challtestsrv", folder.path(), |command| {
            command.args(["-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dns01", &dns]);
            command.args(["-management", &dns_management]);
            command.args(["-http01", "", "-https01", "", "-tlsalpn01", ""])
        })];
        processes.push(spawn("pebble", folder.path(), |command| {
            command
                .arg("-config")
                .arg(&file)
                .args(["-dnsserver", &dns, "-strict"])
                .env("PEBBLE_VA_NOSLEEP", "1")
        }));
        let pebble = Self {
            processes,
            authority,
            directory: format!("https://{listen}/dir"),
            management: format!("https://{management}"),
            folder,
        };
        let client = pebble.authority.client();
        crate::eventually("Pebble", || async {
            client.get(&pebble.directory).send().await.ok().filter(|answer| answer.status() == 200)
        })
        .await;
        pebble
    }

    /// The product's settings for Pebble.
    pub fn settings(&self) -> [(&'static str, String); 3] {
        let root = self.folder.path().join("root.pem").display().to_string();
        [
            ("GARIMPO_ACME", "ola@garimpo.example".to_owned()),
            ("GARIMPO_ACME_URL", self.directory.clone()),
            ("GARIMPO_ACME_CA", root),
        ]
    }

    /// The root of the certificates that Pebble issues, as PEM.
    pub async fn root(&self) -> String {
        let answer = self.authority.client().get(format!("{}/roots/0", self.management)).send().await;
        answer.expect("Pebble answers").text().await.expect("PEM")
    }

    /// Everything that Pebble logged.
    pub fn log_text(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("pebble.log")).unwrap_or_default()
    }

    /// Ends both processes, so that connections are refused.
    pub fn ends(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

impl Drop for Pebble {
    fn drop(&mut self) {
        self.ends();
        if std::thread::panicking() {
            eprintln!("the log of Pebble:\n{}", self.log_text());
        }
    }
}

fn spawn(program: &str, folder: &Path, with: impl FnOnce(&mut Command) -> &mut Command) -> Child {
    let log = std::fs::File::create(folder.join(format!("{program}.log"))).expect("a log");
    let mut command = Command::new(binary(program));
    with(&mut command).stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
    command.spawn().expect("Pebble starts: run tests/setup/pebble.sh")
}

/// The installed program, or the one that tests/setup/pebble.sh extracted from the package.
fn binary(program: &str) -> PathBuf {
    let installed = Path::new("/usr/bin").join(program);
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join(".cache/pebble/usr/bin").join(program);
    if installed.exists() { installed } else { unpacked }
}
