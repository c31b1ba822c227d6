//! `garimpo admin provider rehearse`

use crate::admin::database::{open_store_to_read, settings};
use crate::admin::output::{NOT_CHECKED, exit_code, print_json};
use crate::config::Config;
use crate::progress::Progress;
use crate::serve::stop_asked;
use anyhow::{Context, Result, bail};
use clap::Args;
use garimpo_server::billing::rehearsal::{Ask, Assumption, Ended, Outcome, Setting, assumptions, rehearse};
use garimpo_server::operator::product_clock;
use garimpo_server::store::billing::provider_account::{self, ProviderAccount};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct Rehearse {
    /// Skip the steps that need a person in a browser, and report them as not checked.
    #[arg(long)]
    no_browser: bool,
    /// Check this assumption alone; repeat it for several. docs/provider-assumptions.md lists them.
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub async fn run(options: Rehearse, config: &Config) -> Result<ExitCode> {
    let assumptions = chosen(&options.only)?;
    let settings = settings(config);
    let now = product_clock(settings.clock).await.context("reaching the sandbox's clock")?.now();
    let progress = Arc::new(Progress::bar("rehearsing", assumptions.len()));
    let asking = progress.clone();
    let ask = move |what: &str, link: &str| asking.above(|| ask(what, link));
    let setting = Setting {
        browser: (!options.no_browser).then(|| Box::new(ask) as Ask),
        now: now.as_unix_seconds(),
        stored_account: stored_account(config).await,
    };
    let mut found: Vec<(String, Outcome)> = Vec::new();
    let report = |assumption: &Assumption, outcome: &Outcome| {
        progress.step();
        if !options.json {
            progress.above(|| print(assumption, outcome));
        }
        found.push((assumption.id.clone(), outcome.clone()));
    };
    let stop = async {
        stop_asked().await;
        progress
            .above(|| warn("stopping: what was made is removed; a second signal ends the process at once"));
    };
    let ended = rehearse(settings.payments, &settings.ids, &assumptions, setting, stop, report).await;
    drop(progress);
    let ended = ended?;
    let count = |name: &str| found.iter().filter(|(_, outcome)| outcome.name() == name).count();
    let (holds, differs, not_checked) = (count("holds"), count("differs"), count("not_checked"));
    if options.json {
        print_json(&as_json(&found, &ended))?;
    } else {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{holds} hold, {differs} differ, {not_checked} not checked")?;
    }
    for leftover in &ended.leftovers {
        warn(&format!("not removed: {} ({})", leftover.object, with_causes(&leftover.error)));
    }
    if let Some(error) = &ended.interrupted {
        let removed =
            if ended.leftovers.is_empty() { "what was made is removed" } else { "see 'not removed'" };
        bail!("{}; {removed}", with_causes(error));
    }
    let is_incomplete = !ended.leftovers.is_empty() || found.iter().any(|(_, outcome)| outcome.is_failure());
    Ok(match (differs, is_incomplete) {
        (1.., _) => exit_code(true),
        (0, true) => ExitCode::from(NOT_CHECKED),
        (0, false) => ExitCode::SUCCESS,
    })
}

/// Id of the provider's account that the database of the settings belongs to; else why it is not
/// known.
async fn stored_account(config: &Config) -> Result<String, String> {
    let store = open_store_to_read(config).await.map_err(|error| format!("{error:#}"))?;
    let stored = provider_account::stored(&store).await;
    store.close().await;
    match stored {
        Ok(Some(ProviderAccount { account_id: Some(id), .. })) => Ok(id),
        Ok(_) => Err("the database has no id of an account yet".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The assumptions of these ids, in the list's order; all of them without ids.
fn chosen(only: &[String]) -> Result<Vec<&'static Assumption>> {
    if let Some(unknown) = only.iter().find(|id| assumptions().all(|assumption| assumption.id != **id)) {
        let ids: Vec<_> = assumptions().map(|assumption| assumption.id.as_str()).collect();
        bail!("--only: unknown assumption {unknown}; allowed are {}", ids.join(", "));
    }
    let is_chosen = |assumption: &&Assumption| only.is_empty() || only.contains(&assumption.id);
    Ok(assumptions().filter(is_chosen).collect())
}

/// An error with its causes on one line.
fn with_causes(error: &(impl std::error::Error + Clone + Send + Sync + 'static)) -> String {
    format!("{:#}", anyhow::Error::new(error.clone()))
}

/// Asks a person to do something at a link; standard output stays for the outcomes.
fn ask(what: &str, link: &str) {
    warn(&format!("{what}, within 10 minutes:\n  {link}"));
}

/// Writes a line to the terminal; a closed terminal is ignored.
fn warn(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints an outcome at once, because a rehearsal takes minutes.
fn print(assumption: &Assumption, outcome: &Outcome) {
    let mut out = std::io::stdout().lock();
    let id = &assumption.id;
    let _ = match outcome {
        Outcome::Holds => writeln!(out, "holds        {id}"),
        Outcome::Differs { seen } => writeln!(
            out,
            "differs      {id}\n             expected  {}\n             seen      {seen}\n             meaning   {}",
            assumption.expects, assumption.why
        ),
        Outcome::NotChecked(why) => writeln!(out, "not checked  {id}\n             reason    {why}"),
    };
}

fn as_json(found: &[(String, Outcome)], ended: &Ended) -> Value {
    let assumptions = found.iter().map(|(id, outcome)| {
        let (seen, reason) = match outcome {
            Outcome::Holds => (None, None),
            Outcome::Differs { seen } => (Some(seen.clone()), None),
            Outcome::NotChecked(why) => (None, Some(why.to_string())),
        };
        json!({ "id": id, "outcome": outcome.name(), "seen": seen, "reason": reason })
    });
    let leftovers = ended.leftovers.iter().map(|leftover| leftover.object.as_str());
    json!({
        "assumptions": assumptions.collect::<Vec<_>>(),
        "not_removed": leftovers.collect::<Vec<_>>(),
        "error": ended.interrupted.as_ref().map(with_causes),
    })
}
