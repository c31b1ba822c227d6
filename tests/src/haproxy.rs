//! HAProxy with the documented configuration, on ports and with a certificate of the scenario.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::certificates::site_certificate;

/// A running HAProxy. Dropping the value ends it.
pub struct Haproxy {
    child: Child,
    folder: TempDir,
}

impl Haproxy {
    /// Starts HAProxy at the addresses `https` and `plain`, in front of two nodes (`host:port`). It
    /// reads their readiness at `metrics`.
    pub async fn start(nodes: &[String; 2], metrics: &[String; 2], https: &str, plain: &str) -> Self {
        let folder = TempDir::with_prefix("garimpo-haproxy-").expect("a folder");
        site_certificate(folder.path());
        let both =
            ["site.pem", "site.key"].map(|name| std::fs::read(folder.path().join(name)).expect("made"));
        std::fs::write(folder.path().join("both.pem"), both.concat()).expect("it is written");
        let file = folder.path().join("haproxy.cfg");
        std::fs::write(&file, configuration(folder.path(), nodes, metrics, https, plain))
            .expect("it is written");
        let child = Command::new(binary())
            .args(["-db", "-f", &file.display().to_string()])
            .stdin(Stdio::null())
            .spawn()
            .expect("HAProxy starts: run tests/setup/haproxy.sh");
        let haproxy = Self { child, folder };
        crate::eventually("HAProxy", || async { std::net::TcpStream::connect(https).ok() }).await;
        haproxy.sees_both_nodes().await;
        haproxy
    }

    /// The certificate of the site.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("site.pem")
    }

    /// Waits until both nodes are ready in both pools.
    pub async fn sees_both_nodes(&self) {
        crate::eventually("both nodes in HAProxy", || async { (self.ready_servers() == 4).then_some(()) })
            .await;
    }

    /// Servers of all pools that get calls.
    fn ready_servers(&self) -> usize {
        let mut socket = UnixStream::connect(self.folder.path().join("admin.sock")).expect("its socket");
        socket.write_all(b"show servers state\n").expect("it takes commands");
        let mut text = String::new();
        socket.read_to_string(&mut text).expect("it answers");
        // The sixth column is srv_op_state, in which 2 means running.
        text.lines().filter(|line| line.contains(" processes") && line.split(' ').nth(5) == Some("2")).count()
    }
}

impl Drop for Haproxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The documented file. Only addresses and paths of this machine are replaced, each exactly as
/// often as expected.
fn configuration(
    folder: &Path,
    nodes: &[String; 2],
    metrics: &[String; 2],
    https: &str,
    plain: &str,
) -> String {
    let mut text = include_str!("../../docs/haproxy.cfg").to_string();
    let here = |name: &str| folder.join(name).display().to_string();
    let server = |n: usize| {
        let port = metrics[n].rsplit(':').next().expect("a port");
        format!("{} port {port}", nodes[n])
    };
    let places = [
        ("server one 10.0.0.11:8080", format!("server one {}", server(0)), 2),
        ("server two 10.0.0.12:8080", format!("server two {}", server(1)), 2),
        ("bind :443", format!("bind {https}"), 1),
        ("bind :80", format!("bind {plain}"), 1),
        ("/etc/ssl/garimpo/site.pem", here("both.pem"), 1),
        ("/run/haproxy/admin.sock", here("admin.sock"), 1),
        // Each connection needs two file descriptors.
        ("maxconn 32768", "maxconn 1000".to_string(), 1),
        ("    user haproxy\n    group haproxy\n", String::new(), 1),
        ("/dev/log local0 notice", "stderr format raw local0 notice".to_string(), 1),
    ];
    for (documented, ours, times) in places {
        assert_eq!(text.matches(documented).count(), times, "docs/haproxy.cfg: {documented}");
        text = text.replace(documented, &ours);
    }
    text
}

/// Debian installs HAProxy outside of the PATH of users other than root.
fn binary() -> &'static str {
    if Path::new("/usr/sbin/haproxy").exists() { "/usr/sbin/haproxy" } else { "haproxy" }
}
