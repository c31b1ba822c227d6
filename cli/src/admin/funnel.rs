//! `garimpo admin funnel`

use super::database::with_reader;
use super::output::Output;
use super::table::Table;
use crate::config::Config;
use anyhow::Result;
use clap::Args;
use garimpo_domain::Step;
use garimpo_server::operator::origins::FunnelRow;
use std::io::Write;
use std::process::ExitCode;

/// How the steps are headed, in their order.
const HEADS: [&str; 8] = ["LANDING", "PLANS", "FORM", "SIGNED UP", "UPSELL", "CHECKOUT", "FINISHED", "PAID"];

#[derive(Debug, Args)]
pub struct Options {
    /// Report so many days, today included
    #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    output: Output,
}

pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let rows = with_reader(config, async |reader| Ok(reader.funnel(options.days).await?)).await?;
    if options.csv {
        print_csv(&rows)?;
    } else {
        options.output.print(&rows, |out| print(&rows, out))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn counts(row: &FunnelRow) -> Vec<i64> {
    Step::ALL.into_iter().map(|step| row.steps.get(step.name()).copied().unwrap_or_default()).collect()
}

fn print(rows: &[FunnelRow], out: &mut impl Write) -> Result<()> {
    let mut lines: Vec<_> = rows.iter().map(|row| (row.day.as_str(), counts(row))).collect();
    let sum = |at: usize| rows.iter().map(|row| counts(row)[at]).sum();
    lines.push(("all", (0..Step::ALL.len()).map(sum).collect()));
    let mut table = Table::of(&lines).column("DAY", |(day, _)| day);
    for (at, head) in HEADS.iter().enumerate() {
        table = table.column(head, |(_, counts)| counts[at]);
    }
    table.print(out)?;
    writeln!(
        out,
        "\nVisits up to the offers are told by pages and counted once per visit; the other steps are the server's own \
         facts, on the day when they happened."
    )?;
    Ok(())
}

fn print_csv(rows: &[FunnelRow]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "day,{}", Step::ALL.map(Step::name).join(","))?;
    for row in rows {
        let counts: Vec<_> = counts(row).iter().map(i64::to_string).collect();
        writeln!(out, "{},{}", row.day, counts.join(","))?;
    }
    Ok(())
}
