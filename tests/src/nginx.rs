//! nginx with the documented configuration, on ports and with a certificate of the scenario.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::certificates::site_certificate;
use crate::ports::free_address;
use crate::process::children_of;

/// Longer than worker_shutdown_timeout.
const SHUTDOWN: Duration = Duration::from_secs(70);

/// A running nginx. Dropping the value ends it.
pub struct Nginx {
    child: Child,
    /// `http://host:port`.
    pub plain: String,
    folder: TempDir,
}

impl Nginx {
    /// Starts nginx at the addresses `https` and `plain`, in front of two nodes (`host:port`).
    pub async fn start(nodes: &[String; 2], https: &str, plain: &str) -> Self {
        let folder = TempDir::with_prefix("garimpo-nginx-").expect("a folder");
        // If root starts nginx, its workers run as another user.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, configuration(folder.path(), nodes, https, plain)).expect("it is written");
        site_certificate(folder.path());
        let child = Command::new(binary())
            .args(["-p", &folder.path().display().to_string(), "-c", &file.display().to_string()])
            .args(["-e", "stderr", "-g", "daemon off;"])
            .stdin(Stdio::null())
            .spawn()
            .expect("nginx starts: run tests/setup/nginx.sh");
        let nginx = Self { child, plain: format!("http://{plain}"), folder };
        crate::eventually("nginx", || async { std::net::TcpStream::connect(https).ok() }).await;
        nginx
    }

    /// The certificate of the site.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("site.pem")
    }

    /// Adds or removes the mark `down` of a node, reloads, and waits until the old workers have
    /// ended.
    pub async fn reloads_with(&self, node: &str, is_down: bool) {
        let file = self.folder.path().join("nginx.conf");
        let (up, down) = (format!("server {node} max_fails"), format!("server {node} down max_fails"));
        let (from, to) = if is_down { (up, down) } else { (down, up) };
        let text = std::fs::read_to_string(&file).expect("its file");
        assert_eq!(text.matches(&from).count(), 2, "{from}");
        std::fs::write(&file, text.replace(&from, &to)).expect("it is written");
        let before = children_of(self.child.id());
        let sent = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "SIGHUP was not sent");
        crate::eventually_within(SHUTDOWN, "no old worker of nginx", || async {
            children_of(self.child.id()).iter().all(|worker| !before.contains(worker)).then_some(())
        })
        .await;
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM, because SIGKILL would leave its workers running.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

/// Two free addresses for nginx.
pub fn addresses() -> (String, String) {
    (free_address(), free_address())
}

/// The documented file. Only addresses and paths of this machine are replaced, each exactly as
/// often as expected.
fn configuration(folder: &Path, nodes: &[String; 2], https: &str, plain: &str) -> String {
    let mut text = include_str!("../../docs/nginx.conf").to_string();
    let here = |name: &str| folder.join(name).display().to_string();
    let places = [
        ("server 10.0.0.11:8080", format!("server {}", nodes[0]), 2),
        ("server 10.0.0.12:8080", format!("server {}", nodes[1]), 2),
        ("listen 443 ssl", format!("listen {https} ssl"), 1),
        ("listen 80;", format!("listen {plain};"), 1),
        ("/etc/ssl/garimpo/site.pem", here("site.pem"), 1),
        ("/etc/ssl/garimpo/site.key", here("site.key"), 1),
        ("/run/nginx.pid", here("nginx.pid"), 1),
        ("/var/log/nginx/access.log", here("access.log"), 1),
        ("/var/log/nginx/error.log", here("error.log"), 1),
    ];
    for (documented, ours, times) in places {
        assert_eq!(text.matches(documented).count(), times, "docs/nginx.conf: {documented}");
        text = text.replace(documented, &ours);
    }
    // The package creates these folders for nginx, and only its own user may write to them.
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {};", here(name)))
        .join(" ");
    text.replacen("http {", &format!("http {{ {folders}"), 1)
}

/// Debian installs nginx outside of the PATH of users other than root.
fn binary() -> &'static str {
    if Path::new("/usr/sbin/nginx").exists() { "/usr/sbin/nginx" } else { "nginx" }
}
