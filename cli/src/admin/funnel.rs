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
    /// Report so many days, today included. The table leaves out days without a step
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

fn count(row: &FunnelRow, step: Step) -> i64 {
    row.steps.get(step.name()).copied().unwrap_or_default()
}

fn print(rows: &[FunnelRow], out: &mut impl Write) -> Result<()> {
    let has_steps = |row: &&FunnelRow| row.steps.values().any(|count| *count > 0);
    let days = rows.iter().filter(has_steps).map(|row| (row.day.as_str(), std::slice::from_ref(row)));
    let lines: Vec<_> = days.chain([("all", rows)]).collect();
    let mut table = Table::of(&lines).column("DAY", |(day, _)| day);
    for (step, head) in Step::ALL.into_iter().zip(HEADS) {
        table = table.column(head, |(_, rows)| rows.iter().map(|row| count(row, step)).sum::<i64>());
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
    let mut table = Table::of(rows).column("day", |row| &row.day);
    for step in Step::ALL {
        table = table.column(step.name(), |row| count(row, step));
    }
    Ok(table.print_csv(&mut std::io::stdout().lock())?)
}
