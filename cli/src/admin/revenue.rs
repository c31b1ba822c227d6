//! `garimpo admin revenue`

use super::database::with_reader;
use super::output::{Output, or_dash};
use super::span::{month, months};
use super::table::Table;
use crate::config::Config;
use anyhow::Result;
use clap::Args;
use garimpo_domain::Centavos;
use garimpo_domain::revenue::{Figures, Month};
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

/// Subscribers: how many there were, came, went and are.
fn counts(of: Figures) -> [i64; 8] {
    [
        of.at_start,
        of.new,
        of.reactivated,
        of.changed,
        of.churned_voluntary,
        of.churned_unpaid,
        of.churned_refunded,
        of.at_end,
    ]
}

/// No value needs quotes: months, plan ids and numbers.
fn print_csv(rows: &[RevenueRow]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "month,plan,mrr,at_start,new,reactivated,changed,churned_voluntary,churned_unpaid,churned_refunded,at_end,\
         invoiced,refunded,sign_ups,sign_ups_paid,trial_to_paid_percent"
    )?;
    let number = |number: Option<i64>| number.map_or_else(String::new, |number| number.to_string());
    let reais = |centavos| Centavos::new(centavos).decimal();
    for row in rows {
        let of = row.figures;
        let counts = counts(of).map(|count| count.to_string()).join(",");
        let (mrr, invoiced) = (reais(of.mrr_centavos), reais(of.invoiced_centavos));
        let (sign_ups, paid) = (number(row.sign_ups), number(row.sign_ups_paid));
        let rate = number(row.trial_to_paid_percent());
        let refunded = reais(of.refunded_centavos);
        writeln!(
            out,
            "{},{},{mrr},{counts},{invoiced},{refunded},{sign_ups},{paid},{rate}",
            row.month, row.plan
        )?;
    }
    Ok(())
}
