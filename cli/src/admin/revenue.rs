//! `garimpo admin revenue`

use super::database::with_reader;
use super::output::{Output, or_dash};
use super::span::{month, months};
use super::table::Table;
use crate::config::Config;
use anyhow::Result;
use clap::Args;
use garimpo_domain::Centavos;
use garimpo_domain::revenue::Month;
use garimpo_server::operator::revenue::RevenueRow;
use std::io::Write;
use std::process::ExitCode;

/// Months reported without `--month`.
const MONTHS: i32 = 12;
/// How the row of all plans is named.
const ALL: &str = "all";

#[derive(Debug, Args)]
pub struct Options {
    /// Report this month alone, such as 2026-11; by default the last twelve
    #[arg(long, value_parser = month)]
    month: Option<Month>,
    /// Print CSV: every month and plan, money in reais with a decimal point
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    output: Output,
}

pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let report = with_reader(config, async |reader| {
        let (first, last) = months(options.month, MONTHS, reader.now())?;
        Ok((reader.revenue(first, last).await?, last))
    });
    let (rows, last) = report.await?;
    if options.csv {
        print_csv(&rows)?;
    } else {
        options.output.print(&rows, |out| print(&rows, last, out))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// All plans month by month, then the last month plan by plan.
fn print(rows: &[RevenueRow], last: Month, out: &mut impl Write) -> Result<()> {
    let months: Vec<_> = rows.iter().filter(|row| row.plan == ALL).collect();
    let rate = |percent: i64| format!("{percent}%");
    with_figures(Table::of(&months).column("MONTH", |row| &row.month))
        .column("SIGN-UPS", |row| row.sign_ups.unwrap_or_default())
        .column("PAID", |row| row.sign_ups_paid.unwrap_or_default())
        .column("RATE", |row| or_dash(row.trial_to_paid_percent().map(rate)))
        .print(out)?;
    let last = last.to_string();
    let plans: Vec<_> = rows.iter().filter(|row| row.plan != ALL && row.month == last).collect();
    writeln!(out, "\n{last} by plan")?;
    with_figures(Table::of(&plans).column("PLAN", |row| &row.plan)).print(out)?;
    Ok(())
}

/// Adds the columns of both tables.
fn with_figures<'r>(table: Table<'r, &'r RevenueRow>) -> Table<'r, &'r RevenueRow> {
    table
        .column("MRR", |row| Centavos::new(row.figures.mrr_centavos))
        .column("START", |row| row.figures.at_start)
        .column("NEW", |row| row.figures.new)
        .column("AGAIN", |row| row.figures.reactivated)
        .column("CHANGED", |row| row.figures.changed)
        .column("CANCELLED", |row| row.figures.churned_voluntary)
        .column("UNPAID", |row| row.figures.churned_unpaid)
        .column("REFUNDED", |row| row.figures.churned_refunded)
        .column("END", |row| row.figures.at_end)
        .column("INVOICED", |row| Centavos::new(row.figures.invoiced_centavos))
        .column("GIVEN BACK", |row| Centavos::new(row.figures.refunded_centavos))
}

/// No value needs quotes: months, plan ids and numbers.
fn print_csv(rows: &[RevenueRow]) -> Result<()> {
    let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
    let reais = |centavos| Centavos::new(centavos).decimal();
    let table = Table::of(rows)
        .column("month", |row| &row.month)
        .column("plan", |row| &row.plan)
        .column("mrr", |row| reais(row.figures.mrr_centavos))
        .column("at_start", |row| row.figures.at_start)
        .column("new", |row| row.figures.new)
        .column("reactivated", |row| row.figures.reactivated)
        .column("changed", |row| row.figures.changed)
        .column("churned_voluntary", |row| row.figures.churned_voluntary)
        .column("churned_unpaid", |row| row.figures.churned_unpaid)
        .column("churned_refunded", |row| row.figures.churned_refunded)
        .column("at_end", |row| row.figures.at_end)
        .column("invoiced", |row| reais(row.figures.invoiced_centavos))
        .column("refunded", |row| reais(row.figures.refunded_centavos))
        .column("sign_ups", |row| number(row.sign_ups))
        .column("sign_ups_paid", |row| number(row.sign_ups_paid))
        .column("trial_to_paid_percent", |row| number(row.trial_to_paid_percent()));
    Ok(table.print_csv(&mut std::io::stdout().lock())?)
}
