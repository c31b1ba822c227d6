//! Measurements over the release binary, each figure beside its reference in the same run: `make bench`.
//!
//! Prints a table and JSON, and keeps both: the JSON in `bench/last.json`, the table in README. What is measured runs
//! as a process of its own, as does each reference; the load comes from `wrk` and `h2load` on the same machine, so
//! figures are to be read beside their reference only.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

mod check_cookie;
mod commits;
mod entitlements;
mod figure;
mod filled;
mod footprint;
mod load;
mod product;
mod reconciliation;
mod reference;
mod report;
mod rpc;
mod sign_in;
mod site;
mod webhooks;

use anyhow::Result;
use figure::Figure;

/// What is measured, in the order of the table. Each group has data of its own: what one leaves behind is no other's.
const GROUPS: [&str; 9] = [
    "check-cookie",
    "webhooks",
    "rpc",
    "site",
    "sign-in",
    "footprint",
    "commits",
    "entitlements",
    "reconciliation",
];

#[tokio::main]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(reference::COMMAND) => return reference::serve(arguments.next().unwrap_or_default()).await,
        Some(name) => {
            let figures = measure(name).await?;
            if is_measured() { report::renew(&figures) } else { Ok(()) }
        }
        None => {
            let mut figures = Vec::new();
            for name in GROUPS {
                figures.extend(measure(name).await?);
            }
            println!("\n{}", report::table(&figures));
            println!("{}", report::json(&figures));
            if is_measured() { report::keep(&figures) } else { Ok(()) }
        }
    }
}

/// A development build's figures are for whoever works on them, and are not kept.
const fn is_measured() -> bool {
    !cfg!(debug_assertions)
}

/// Measures a group and says its figures as soon as they are known: a whole run takes minutes.
async fn measure(name: &str) -> Result<Vec<Figure>> {
    let figures = match name {
        "check-cookie" => check_cookie::measure().await?,
        "webhooks" => webhooks::measure().await?,
        "rpc" => rpc::measure().await?,
        "site" => site::measure().await?,
        "sign-in" => sign_in::measure().await?,
        "footprint" => footprint::measure().await?,
        "commits" => commits::measure().await?,
        "entitlements" => entitlements::measure().await?,
        "reconciliation" => reconciliation::measure().await?,
        _ => anyhow::bail!("no figures are called {name}"),
    };
    for figure in &figures {
        println!("{}", report::line(figure));
    }
    Ok(figures)
}
