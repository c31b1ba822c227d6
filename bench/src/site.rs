//! Static `/`, precompressed, compared with nginx and the same file; and the size of a first visit.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::figure::{Figure, count};
use crate::filled::{self, FEW};
use crate::load;
use crate::product::Product;

/// Budget of the first visit of `/`, brotli.
const FIRST_VISIT_KB: f64 = 120.0;
const BROTLI: &str = "accept-encoding: br";

pub async fn measure() -> Result<Vec<Figure>> {
    let data = filled::data_dir(FEW).await?;
    let product = Product::start(data.path()).await?;
    let home = format!("{}/", product.url());
    let ours = fetched(&home).await?;
    let nginx = Nginx::start(&data.path().join("nginx"), &ours).await?;
    let theirs = fetched(&nginx.url).await?;
    ensure!(ours == theirs, "{} bytes of ours beside {} of nginx", ours.len(), theirs.len());

    let [here, there] =
        load::in_turn([&home, &nginx.url], async |url| load::gets_per_second(url, &[BROTLI], None).await)
            .await?;
    let visit = first_visit_kb(product.url(), ours.len()).await?;

    product.stop()?;
    Ok(vec![
        Figure::rate("/ precompressed, compared with nginx serving the same file", "requests/s", here, there)
            .at_least_percent(70.0),
        Figure::cost("first visit of /, brotli", "KB", visit, FIRST_VISIT_KB),
    ])
}

/// The page and every file that a browser fetches for it, so no disabled link
/// (web/scripts/size.mjs).
async fn first_visit_kb(url: &str, page: usize) -> Result<f64> {
    let html = reqwest::get(format!("{url}/")).await?.text().await?;
    let tags = html.split('<').filter(|tag| !(tag.starts_with("link ") && tag.contains(" disabled>")));
    let mut named: Vec<&str> =
        tags.flat_map(|tag| tag.split(['"', ' '])).filter(|part| part.starts_with("/assets/")).collect();
    named.sort_unstable();
    named.dedup();
    let mut bytes = page;
    for file in named {
        bytes += fetched(&format!("{url}{file}")).await?.len();
    }
    Ok(count(bytes) / 1000.0)
}

/// The compressed bytes.
async fn fetched(url: &str) -> Result<bytes::Bytes> {
    let answer = reqwest::Client::new().get(url).header("accept-encoding", "br").send().await?;
    Ok(answer.error_for_status()?.bytes().await?)
}

/// nginx with the same compressed page and one worker per core.
struct Nginx {
    child: Child,
    url: String,
}

impl Nginx {
    async fn start(folder: &Path, page: &[u8]) -> Result<Self> {
        let root = folder.join("root");
        std::fs::create_dir_all(&root)?;
        std::fs::write(root.join("index.html"), "")?;
        std::fs::write(root.join("index.html.br"), page)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let configuration = folder.join("nginx.conf");
        std::fs::write(&configuration, nginx_conf(folder, &root, port))?;
        let child = Command::new("nginx")
            .args(["-p".as_ref(), folder, "-c".as_ref(), &configuration])
            .stdin(Stdio::null())
            .spawn()
            .context("nginx runs (bench/setup.sh installs it)")?;
        let nginx = Self { child, url: format!("http://127.0.0.1:{port}/") };
        for _ in 0..200 {
            if fetched(&nginx.url).await.is_ok() {
                return Ok(nginx);
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        anyhow::bail!("nginx does not answer at {}", nginx.url)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The master stops its workers on SIGTERM, not on SIGKILL.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

fn nginx_conf(folder: &Path, root: &Path, port: u16) -> String {
    format!(
        "load_module /usr/lib/nginx/modules/ngx_http_brotli_static_module.so;
         user root; worker_processes auto; daemon off; pid {pid}; error_log stderr warn;
         events {{ worker_connections 1024; }}
         http {{
           types {{ text/html html; }}
           access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=100;
           server {{ listen 127.0.0.1:{port}; root {root}; brotli_static on; }}
         }}",
        pid = folder.join("pid").display(),
        root = root.display(),
    )
}
