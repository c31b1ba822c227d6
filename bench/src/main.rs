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
mod reference;
mod report;
mod rpc;
mod sign_in;
mod site;
mod webhooks;

use anyhow::Result;
use figure::Figure;

/// Accounts in the small and in the large database.
const FEW: u32 = 1_000;
const MANY: u32 = 1_000_000;
/// What figures call them, where both are measured.
const OF_FEW: &str = "";
const OF_MANY: &str = " of a million";

#[tokio::main]
async fn main() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some(reference::COMMAND) => return reference::serve(arguments.next().unwrap_or_default()).await,
        Some(name) => return measure_one(name).await,
        None => {}
    }
    let figures = measure().await?;
    println!("\n{}", report::table(&figures));
    println!("{}", report::json(&figures));
    report::keep(&figures)
}

/// One group of figures alone, said and not kept: for whoever works on it.
async fn measure_one(name: &str) -> Result<()> {
    let few = filled::data_dir(FEW).await?;
    let figures = match name {
        "check-cookie" => vec![check_cookie::measure(&few).await?],
        "rpc" => vec![rpc::measure(&few).await?],
        "entitlements" => {
            let small = entitlements::measure(&few, FEW, OF_FEW).await?;
            drop(few);
            let large = entitlements::measure(&filled::data_dir(MANY).await?, MANY, OF_MANY).await?;
            entitlements_of(small, large)
        }
        "sign-in" => sign_in::measure(&few).await?,
        "site" => site::measure(few.path()).await?,
        "footprint" => footprint::measure(few.path()).await?,
        "webhooks" => vec![webhooks::measure(few.path()).await?],
        "commits" => commits::measure().await?,
        _ => anyhow::bail!("no figures are called {name}"),
    };
    figures.into_iter().map(said).for_each(drop);
    Ok(())
}

async fn measure() -> Result<Vec<Figure>> {
    let few = filled::data_dir(FEW).await?;
    let small = said(check_cookie::measure(&few).await?);
    let mut figures = vec![said(rpc::measure(&few).await?)];
    let small_entitlements = entitlements::measure(&few, FEW, OF_FEW).await?;
    figures.extend(site::measure(few.path()).await?.into_iter().map(said));
    figures.extend(sign_in::measure(&few).await?.into_iter().map(said));
    figures.extend(footprint::measure(few.path()).await?.into_iter().map(said));
    // Last on its folder: the events leave work behind that the other figures would share the machine with.
    let small_webhooks = said(webhooks::measure(few.path()).await?);
    drop(few);

    let many = filled::data_dir(MANY).await?;
    let large = check_cookie::measure(&many).await?;
    let what = "check-cookie with 1,000,000 accounts, beside 1,000";
    figures.push(said(Figure::kept(what, &large, &small)));
    let large_entitlements = entitlements::measure(&many, MANY, OF_MANY).await?;
    figures.extend(entitlements_of(small_entitlements, large_entitlements).into_iter().map(said));
    let large = webhooks::measure(many.path()).await?;
    let what = "webhooks with 1,000,000 accounts, beside 1,000";
    figures.push(said(Figure::kept(what, &large, &small_webhooks)));
    drop(many);
    figures.extend(commits::measure().await?.into_iter().map(said));
    figures.splice(0..0, [small, small_webhooks]);
    Ok(figures)
}

/// All figures of entitlements, the two databases beside each other where a rate is to be kept.
fn entitlements_of(small: entitlements::Measured, large: entitlements::Measured) -> Vec<Figure> {
    let kept = [
        Figure::kept("GetEntitlements with 1,000,000 accounts, beside 1,000", &large.get, &small.get),
        Figure::kept(
            "BatchGetEntitlements with 1,000,000 accounts, beside 1,000",
            &large.batch,
            &small.batch,
        ),
    ];
    small.into_figures().chain(large.into_figures()).chain(kept).collect()
}

/// Says a figure as soon as it is known: a whole run takes minutes.
fn said(figure: Figure) -> Figure {
    println!("{}", report::line(&figure));
    figure
}
