//! `garimpo admin attribution`

use super::database::with_reader;
use super::output::{self, Output, named};
use super::span::{month, months};
use super::table::Table;
use crate::config::Config;
use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use garimpo_domain::Labels;
use garimpo_domain::attribution::KEPT_DAYS;
use garimpo_domain::proportion::Rate;
use garimpo_domain::revenue::Month;
use garimpo_server::operator::origins::{OriginCounts, OriginRow};
use garimpo_server::store::tracking::attributions::TouchKind;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;

/// Months reported without `--month`.
const MONTHS: i32 = 3;
/// Shown for a visit without a source.
const DIRECT: &str = "(direct)";
const NOTE: &str = "Visits are counted without identifiers; a sign-up counts where its account came from, perhaps in an \
                    earlier visit. PAID are sign-ups of the month that paid by now; PURCHASES were first paid in the \
                    month and count where their own checkout came from, which may be another place and another month: \
                    the two do not add up. Deleted accounts are in neither. A rate stands from 30 cases on, with the \
                    95% interval in which the true one lies: where two intervals overlap, the difference may be chance.";

#[derive(Debug, Args)]
pub struct Options {
    /// Report this month alone, such as 2026-11; by default the last three
    #[arg(long, value_parser = month)]
    month: Option<Month>,
    /// Attribute to the first or the last touch
    #[arg(long, default_value = "last", value_parser = named::<TouchKind>(&["first", "last"]))]
    touch: TouchKind,
    /// Group the table by this; CSV and JSON are not grouped
    #[arg(long, value_enum, default_value_t = By::Source)]
    by: By,
    /// Print CSV: every month, source, campaign and promotion code
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    Source,
    Campaign,
    Promo,
}

pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let rows = with_reader(config, async |reader| {
        let now = reader.now();
        let (first, last) = months(options.month, MONTHS, now)?;
        // Touches deleted since would count as visits without a source.
        let is_kept = first.starts() >= now.plus_days(-KEPT_DAYS);
        ensure!(is_kept, "{first} is not kept whole: visits and arrivals are kept for {KEPT_DAYS} days");
        Ok(reader.origins(first, last, options.touch).await?)
    });
    let rows = rows.await?;
    if options.csv {
        print_csv(&rows)?;
    } else {
        let json: Vec<_> = rows.iter().map(as_json).collect();
        options.output.print(&json, |out| print(&added_up(rows, options.by), options.by, out))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Sums the rows of a month by their source, campaign or promotion code; most sign-ups first.
fn added_up(rows: Vec<OriginRow>, by: By) -> Vec<OriginRow> {
    let mut sums: BTreeMap<(String, Labels), OriginCounts> = BTreeMap::new();
    for OriginRow { month, labels, counts } in rows {
        let labels = match by {
            By::Source => Labels { source: labels.source, ..Labels::default() },
            By::Campaign => Labels { campaign: labels.campaign, ..Labels::default() },
            By::Promo => Labels { promo: labels.promo, ..Labels::default() },
        };
        *sums.entry((month, labels)).or_default() += counts;
    }
    let row = |((month, labels), counts)| OriginRow { month, labels, counts };
    let mut rows: Vec<_> = sums.into_iter().map(row).collect();
    let most = |counts: &OriginCounts| Reverse((counts.sign_ups, counts.purchases, counts.visits));
    rows.sort_by(|a, b| (&a.month, most(&a.counts)).cmp(&(&b.month, most(&b.counts))));
    rows
}

fn print(rows: &[OriginRow], by: By, out: &mut impl Write) -> Result<()> {
    let name = match by {
        By::Source => "SOURCE",
        By::Campaign => "CAMPAIGN",
        By::Promo => "PROMO",
    };
    let table = Table::of(rows)
        .column("MONTH", |row| &row.month)
        .column(name, |row| match by {
            By::Source if row.labels.source.is_empty() => DIRECT,
            By::Source => &row.labels.source,
            By::Campaign => or_dash(&row.labels.campaign),
            By::Promo => or_dash(&row.labels.promo),
        })
        .column("VISITS", |row| row.counts.visits)
        .column("SIGN-UPS", |row| row.counts.sign_ups)
        .column("OF VISITS", |row| rate_text(row.counts.sign_up_rate()))
        .column("PAID", |row| row.counts.paid)
        .column("OF SIGN-UPS", |row| rate_text(row.counts.paid_rate()))
        .column("PURCHASES", |row| row.counts.purchases)
        .column("OF VISITS", |row| rate_text(row.counts.purchase_rate()));
    table.print(out)?;
    writeln!(out, "\n{NOTE}")?;
    Ok(())
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

/// `31% (26 to 37)`; a dash where there are too few cases.
fn rate_text(rate: Option<Rate>) -> String {
    let shown = |rate: Rate| format!("{:.0}% ({:.0} to {:.0})", rate.percent, rate.low, rate.high);
    output::or_dash(rate.map(shown))
}

fn as_json(row: &OriginRow) -> Value {
    let tenths = |percent: f64| (percent * 10.0).round() / 10.0;
    let rate = |rate: Option<Rate>| {
        rate.map(|rate| json!({ "percent": tenths(rate.percent), "low": tenths(rate.low), "high": tenths(rate.high) }))
    };
    let mut value = json!(row);
    value["sign_up_rate"] = json!(rate(row.counts.sign_up_rate()));
    value["paid_rate"] = json!(rate(row.counts.paid_rate()));
    value["purchase_rate"] = json!(rate(row.counts.purchase_rate()));
    value
}

fn print_csv(rows: &[OriginRow]) -> Result<()> {
    // Three values: the rate and the ends of its interval.
    let rate = |rate: Option<Rate>| {
        rate.map_or_else(
            || ",,".to_owned(),
            |rate| format!("{:.1},{:.1},{:.1}", rate.percent, rate.low, rate.high),
        )
    };
    let table = Table::of(rows)
        .column("month", |row| &row.month)
        .column("source", |row| cell(&row.labels.source))
        .column("campaign", |row| cell(&row.labels.campaign))
        .column("promo", |row| cell(&row.labels.promo))
        .column("visits", |row| row.counts.visits)
        .column("sign_ups", |row| row.counts.sign_ups)
        .column("sign_up_percent,sign_up_low,sign_up_high", |row| rate(row.counts.sign_up_rate()))
        .column("paid", |row| row.counts.paid)
        .column("paid_percent,paid_low,paid_high", |row| rate(row.counts.paid_rate()))
        .column("purchases", |row| row.counts.purchases)
        .column("purchase_percent,purchase_low,purchase_high", |row| rate(row.counts.purchase_rate()));
    Ok(table.print_csv(&mut std::io::stdout().lock())?)
}

/// A value that anybody may have written into an address: in quotes, and never a formula of the
/// spreadsheet.
fn cell(value: &str) -> String {
    let guard = if value.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    format!("\"{guard}{}\"", value.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(source: &str, promo: &str, (visits, sign_ups, paid): (i64, i64, i64)) -> OriginRow {
        let labels = Labels { source: source.into(), promo: promo.into(), ..Labels::default() };
        let counts = OriginCounts { visits, sign_ups, paid, purchases: paid };
        OriginRow { month: "2026-11".into(), labels, counts }
    }

    #[test]
    fn rows_of_one_source_are_added_and_the_source_with_most_visits_comes_first() {
        let rows = vec![
            row("google", "", (9, 1, 1)),
            row("instagram", "novo", (40, 3, 1)),
            row("instagram", "", (5, 1, 0)),
        ];

        let sums = added_up(rows, By::Source);

        let printed: Vec<_> = sums
            .iter()
            .map(|row| {
                (
                    &*row.labels.source,
                    row.counts.visits,
                    row.counts.sign_ups,
                    row.counts.paid,
                    row.counts.purchases,
                )
            })
            .collect();
        assert_eq!(printed, [("instagram", 45, 4, 1, 1), ("google", 9, 1, 1, 1)]);
    }

    #[test]
    fn a_rate_of_fewer_than_thirty_cases_is_a_dash() {
        assert_eq!(rate_text(row("", "", (29, 3, 1)).counts.sign_up_rate()), "-");
        assert_eq!(rate_text(row("", "", (30, 3, 1)).counts.sign_up_rate()), "10% (3 to 26)");
        assert_eq!(rate_text(row("", "", (3, 30, 1)).counts.sign_up_rate()), "-");
        assert_eq!(rate_text(row("", "", (30, 0, 3)).counts.purchase_rate()), "10% (3 to 26)");
    }

    #[test]
    fn a_value_from_a_visitor_does_not_become_a_spreadsheet_formula() {
        assert_eq!(cell("=cmd(\"x\")"), "\"'=cmd(\"\"x\"\")\"");
        assert_eq!(cell("a,b"), "\"a,b\"");
    }
}
