//! GET /api/auth/check-cookie of a thousand signed-in visitors in turn, beside a bare axum handler that answers the
//! same bytes.

use anyhow::{Result, ensure};

use crate::figure::Figure;
use crate::filled::{ACTIVE, DataDir};
use crate::load;
use crate::product::Product;
use crate::reference::Reference;

/// Path of the call.
pub const PATH: &str = "/api/auth/check-cookie";

/// Requests a second over 64 connections.
///
/// # Errors
/// Something does not come up, or an answer was not the one expected.
pub async fn measure(data: &DataDir) -> Result<Figure> {
    let product = Product::start(data.path()).await?;
    let url = format!("{}{PATH}", product.url());
    let cookie = format!("garimpo_session={}", data.token());
    let answer = reqwest::Client::new().get(&url).header("cookie", cookie).send().await?.text().await?;
    ensure!(answer.contains("\"authenticated\":true"), "nobody is signed in: {answer}");
    let reference = Reference::start(&answer)?;
    let cookies = data.cookies()?;

    let (ours, bare) = load::in_turn(
        async || load::gets_per_second(&url, &[], Some(&cookies)).await,
        async || load::gets_per_second(&reference.http, &[], Some(&cookies)).await,
    )
    .await?;

    product.stop()?;
    let what = format!("check-cookie of {ACTIVE} visitors, beside a bare axum handler");
    Ok(Figure::rate(&what, "requests/s", ours, bare).at_least_percent(60.0))
}
