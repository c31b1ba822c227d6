//! Startup time, memory and size of the binary.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use crate::check_cookie::PATH;
use crate::figure::{Figure, count};
use crate::filled::{self, FEW};
use crate::load::{self, median};
use crate::product::{Product, binary, command};
use crate::reference::Reference;

const STARTS: usize = 9;
const DEADLINE: Duration = Duration::from_secs(10);
/// By then the work at startup (catalogue, reconciliation) is done.
const SETTLED: Duration = Duration::from_secs(5);

pub async fn measure() -> Result<Vec<Figure>> {
    let data = filled::data_dir(FEW).await?;
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        starts.push(start_ms(data.path())?);
    }
    let reference = Reference::start("{}")?;
    let product = Product::start(data.path()).await?;
    tokio::time::sleep(SETTLED).await;
    let (idle, bare_idle) = (product.resident_mb()?, reference.resident_mb()?);
    let (loaded, bare_loaded) = under_load(&product, &reference).await?;
    product.stop()?;
    let size = count(std::fs::metadata(binary()?)?.len()) / 1e6;
    Ok(vec![
        Figure::cost("second start to ready", "ms", median(starts), 15.0),
        Figure::cost("resident memory idle, compared with the bare handler's", "MB", idle, 22.0)
            .beside(bare_idle),
        Figure::cost(
            "resident memory under check-cookie, compared with the bare handler's",
            "MB",
            loaded,
            60.0,
        )
        .beside(bare_loaded),
        Figure::cost("release binary with the site inside", "MB", size, 25.0),
    ])
}

/// From the start of the process to the first 200 of /readyz, on existing data.
fn start_ms(data: &Path) -> Result<f64> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let address = format!("127.0.0.1:{port}");
    let mut command = command("serve", data)?;
    command.env("GARIMPO_METRICS_LISTEN", &address);
    let began = Instant::now();
    let mut child = command.spawn().context("the release binary starts")?;
    while !is_ready(&address) {
        ensure!(began.elapsed() < DEADLINE, "not ready after {DEADLINE:?}");
        std::thread::sleep(Duration::from_micros(200));
    }
    let taken = began.elapsed();
    std::process::Command::new("kill").arg(child.id().to_string()).status()?;
    child.wait()?;
    Ok(taken.as_secs_f64() * 1000.0)
}

fn is_ready(address: &str) -> bool {
    let asked = || {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok::<_, std::io::Error>(answer.starts_with("HTTP/1.1 200"))
    };
    asked().unwrap_or(false)
}

/// The highest resident memory of product and reference under load.
async fn under_load(product: &Product, reference: &Reference) -> Result<(f64, f64)> {
    let url = format!("{}{PATH}", product.url());
    let mut most = (0.0_f64, 0.0_f64);
    for (address, of_product) in [(url.as_str(), true), (reference.http.as_str(), false)] {
        let load = load::gets_per_second(address, &[], None);
        tokio::pin!(load);
        loop {
            tokio::select! {
                ended = &mut load => { ended?; break }
                () = tokio::time::sleep(Duration::from_millis(100)) => {}
            }
            if of_product {
                most.0 = most.0.max(product.resident_mb()?);
            } else {
                most.1 = most.1.max(reference.resident_mb()?);
            }
        }
    }
    Ok(most)
}
