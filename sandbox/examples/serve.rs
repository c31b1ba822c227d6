//! Runs the sandbox alone:
//! `cargo run -p garimpo-sandbox --example serve -- 127.0.0.1:21111 /tmp/sandbox`.

use anyhow::Context;
use garimpo_sandbox::{Sandbox, Settings};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let address = args.next().context("address to listen on")?;
    let data_dir = args.next().context("data folder")?.into();
    let webhook_url = args.next().unwrap_or_else(|| "http://127.0.0.1:9/webhooks/stripe".into());
    let listener = tokio::net::TcpListener::bind(&address).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let sandbox = Sandbox::start(Settings { data_dir, url, webhook_url, clock_start: None }).await?;
    axum::serve(listener, sandbox.router()).await?;
    Ok(())
}
