//! GET /api/auth/check-cookie of a thousand signed-in visitors in turn, beside a bare axum handler that answers the
//! same bytes.

use anyhow::{Result, ensure};

use crate::figure::Figure;
use crate::filled::{self, ACTIVE, FEW, MANY};
use crate::load;
use crate::product::Product;
use crate::reference::Reference;

/// Path of the call.
pub const PATH: &str = "/api/auth/check-cookie";

/// Requests a second over 64 connections, with few accounts and with many.
///
/// # Errors
/// Something does not come up, or an answer was not the one expected.
pub async fn measure() -> Result<Vec<Figure>> {
    let (few, many) = (filled::data_dir(FEW).await?, filled::data_dir(MANY).await?);
    let (product, large) = (Product::start(few.path()).await?, Product::start(many.path()).await?);
    let [url, large_url] = [&product, &large].map(|product| format!("{}{PATH}", product.url()));
    let answer = signed_in(&url, few.token()).await?;
    signed_in(&large_url, many.token()).await?;
    let reference = Reference::start(&answer)?;
    let cookies = few.cookies()?;

    let [ours, bare, of_many] = load::in_turn([&url, &reference.http, &large_url], async |url| {
        load::gets_per_second(url, &[], Some(&cookies)).await
    })
    .await?;

    product.stop()?;
    large.stop()?;
    let what = format!("check-cookie of {ACTIVE} visitors, beside a bare axum handler");
    Ok(vec![
        Figure::rate(&what, "requests/s", ours, bare).at_least_percent(60.0),
        Figure::kept("check-cookie", "requests/s", of_many, ours),
    ])
}

/// What is answered to somebody who is signed in.
async fn signed_in(url: &str, token: &str) -> Result<String> {
    let asked = reqwest::Client::new().get(url).header("cookie", format!("garimpo_session={token}"));
    let answer = asked.send().await?.text().await?;
    ensure!(answer.contains("\"authenticated\":true"), "nobody is signed in: {answer}");
    Ok(answer)
}
