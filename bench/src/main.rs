//! Benchmarks of the release binary, each with a reference from the same run: `make bench`.
//!
//! Prints a table and JSON and stores both: the JSON in `bench/last.json`, the table in README.
//! Product, references and load generators (`wrk`, `h2load`) are processes on the same machine, so
//! compare a figure only with its reference.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

mod access;
mod check_cookie;
mod entitlements;
mod figure;
mod filled;
mod fleet;
mod load;
mod product;
mod purchases;
mod reconciliation;
mod reference;
mod report;
mod sign_in;
mod webhooks;
mod world;

use anyhow::{Context as _, Result};
use figure::Figure;
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;

/// Measures a group.
type Measure = fn() -> LocalBoxFuture<'static, Result<Vec<Figure>>>;

/// The groups in the order of the table. Each has its own data.
const GROUPS: [(&str, Measure); 7] = [
    ("check-cookie", || check_cookie::measure().boxed_local()),
    ("webhooks", || webhooks::measure().boxed_local()),
    ("sign-in", || sign_in::measure().boxed_local()),
    ("entitlements", || entitlements::measure().boxed_local()),
    ("purchases", || purchases::measure().boxed_local()),
    ("access", || access::measure().boxed_local()),
    ("reconciliation", || reconciliation::measure().boxed_local()),
];

#[tokio::main]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(reference::COMMAND) => return reference::serve(arguments.next().unwrap_or_default()).await,
        Some(name) => {
            let figures = measure(name).await?;
            if is_stored() { report::update(name, &figures) } else { Ok(()) }
        }
        None => {
            let mut figures = Vec::new();
            for (name, _) in GROUPS {
                figures.extend(measure(name).await?);
            }
            println!("\n{}", report::table(&figures));
            println!("{}", report::json(&figures));
            if is_stored() { report::store(&figures) } else { Ok(()) }
        }
    }
}

/// The figures of a development build are only printed.
const fn is_stored() -> bool {
    !cfg!(debug_assertions)
}

/// Measures a group and prints its figures at once, because a whole run takes minutes.
async fn measure(name: &str) -> Result<Vec<Figure>> {
    let group = GROUPS.iter().find(|(known, _)| *known == name);
    let (_, measure) = group.with_context(|| format!("no figures are called {name}"))?;
    let mut figures = measure().await?;
    for figure in &mut figures {
        name.clone_into(&mut figure.group);
        println!("{}", report::line(figure));
    }
    Ok(figures)
}
