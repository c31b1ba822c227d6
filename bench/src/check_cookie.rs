//! GET /api/auth/check-cookie by 1,000 signed-in visitors in turn, compared with a bare axum
//! handler that returns the same bytes.

use anyhow::{Result, ensure};

use crate::figure::Figure;
use crate::filled::{self, ACTIVE, FEW, MANY};
use crate::load;
use crate::product::Product;
use crate::reference::Reference;

pub const PATH: &str = "/api/auth/check-cookie";

/// Requests per second over 64 connections, with few accounts and with many.
pub async fn measure() -> Result<Vec<Figure>> {
    let (few, many) = (filled::data_dir(FEW).await?, filled::data_dir(MANY).await?);
    let (product, large) = (Product::start(few.path()).await?, Product::start(many.path()).await?);
    let [url, large_url] = [&product, &large].map(|product| format!("{}{PATH}", product.url()));
    let answer = signed_in(&url, few.token()).await?;
    signed_in(&large_url, many.token()).await?;
    let reference = Reference::start(&answer)?;
    let cookies = few.cookies()?;

    let [ours, bare, of_many] = load::in_turn([&url, &reference.http, &large_url], async |url| {
        load::gets_per_second(url, &cookies).await
    })
    .await?;

    product.stop()?;
    large.stop()?;
    let what = format!("check-cookie of {ACTIVE} visitors, compared with a bare axum handler");
    Ok(vec![
        Figure::rate(&what, "requests/s", ours, bare),
        Figure::kept("check-cookie", "requests/s", of_many, ours),
    ])
}

/// The response to a signed-in visitor.
async fn signed_in(url: &str, token: &str) -> Result<String> {
    let request = reqwest::Client::new().get(url).header("cookie", format!("garimpo_session={token}"));
    let answer = request.send().await?.text().await?;
    ensure!(answer.contains("\"authenticated\":true"), "nobody is signed in: {answer}");
    Ok(answer)
}
