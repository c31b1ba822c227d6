//! Measurements, each figure beside its reference in the same run: `make bench`.
//!
//! Prints a table, and the same as JSON in the last line.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

mod commits;

use anyhow::Result;

/// A figure beside the reference that it is read against.
struct Figure {
    what: &'static str,
    unit: &'static str,
    ours: f64,
    reference: f64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let figures = commits::measure().await?;
    println!("{:<56} {:>12} {:>12} {:>7}", "figure", "ours", "reference", "ratio");
    for figure in &figures {
        let ratio = figure.ours / figure.reference * 100.0;
        let what = format!("{}, {}", figure.what, figure.unit);
        println!("{what:<56} {:>12.0} {:>12.0} {ratio:>6.0}%", figure.ours, figure.reference);
    }
    println!("{}", serde_json::to_string(&figures.iter().map(json).collect::<Vec<_>>())?);
    Ok(())
}

fn json(figure: &Figure) -> serde_json::Value {
    serde_json::json!({
        "what": figure.what,
        "unit": figure.unit,
        "ours": figure.ours.round(),
        "reference": figure.reference.round(),
    })
}
