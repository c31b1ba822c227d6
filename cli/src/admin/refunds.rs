//! `garimpo admin refunds …`

use super::database::{product_now, with_store};
use super::output::{ListOutput, exit_code, instant, instant_or_dash, named, or_dash};
use super::table::Table;
use crate::config::Config;
use anyhow::{Context, Result, ensure};
use clap::{ArgGroup, Args, Subcommand};
use garimpo_domain::{Centavos, Timestamp};
use garimpo_server::billing::record_pix_refund;
use garimpo_server::store::Store;
use garimpo_server::store::billing::refunds::{Refund, RefundMethod, RefundReason, RefundState};
use garimpo_server::store::operator::refund_marks;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List refunds, overdue and waiting ones first. Exit with 1 when one waits.
    List(List),
    /// Record that you paid a Pix request. The provider pays the refunds of cards.
    #[command(group(ArgGroup::new("how").args(["pix", "note"]).required(true)))]
    Paid {
        /// Id of the refund, as `list` shows it.
        id: String,
        /// Pix end-to-end id from the bank's receipt: E and 31 letters or digits
        #[arg(long, value_parser = end_to_end_id)]
        pix: Option<String>,
        /// How it was paid otherwise
        #[arg(long, value_parser = note)]
        note: Option<String>,
    },
    /// Undo `paid`: the request waits again, with the same due date.
    Unpaid {
        /// Id of the refund, as `list` shows it.
        id: String,
    },
}

#[derive(Debug, Args)]
pub struct List {
    /// List refunds with this reason alone
    #[arg(long, value_parser = named::<RefundReason>(&["guarantee", "deleted", "duplicate", "after_end"]))]
    reason: Option<RefundReason>,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    page: ListOutput,
}

pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    let only_reads = matches!(command, Command::List(_));
    with_store(config, only_reads, async |store| match command {
        Command::List(options) => list(store, &options, product_now(config).await?).await,
        Command::Paid { id, pix, note } => {
            let note = pix.or(note).unwrap_or_default();
            paid(store, &id, &note, product_now(config).await?).await
        }
        Command::Unpaid { id } => unpaid(store, &id).await,
    })
    .await
}

async fn list(store: &Store, options: &List, now: Timestamp) -> Result<ExitCode> {
    // The bank gets all of them.
    let limit = if options.csv { i64::MAX } else { options.page.limit };
    let refunds = refund_marks::list(store, options.reason, limit).await?;
    let waiting: Vec<_> = refunds.iter().filter(|refund| refund.state == RefundState::Requested).collect();
    if options.csv {
        print_csv(&refunds, now)?;
        return Ok(exit_code(!waiting.is_empty()));
    }
    options.page.output.print(&refunds, |out| {
        let table = Table::of(&refunds)
            .column("ID", |refund| &refund.id)
            .column("PROTOCOL", |refund| or_dash(refund.protocol.as_deref()))
            .column("ACCOUNT", |refund| &refund.uid)
            .column("AMOUNT", |refund| refund.amount_centavos)
            .column("METHOD", |refund| <&str>::from(refund.method))
            .column("REASON", |refund| <&str>::from(refund.reason))
            .column("STATE", |refund| state(refund, now))
            .column("DUE", |refund| instant_or_dash(refund.due_at))
            .column("PAID", |refund| instant_or_dash(refund.ended_at))
            .column("PIX KEY", |refund| or_dash(refund.pix_key.as_deref()))
            .column("NOTE", |refund| or_dash(refund.paid_note.as_deref()));
        table.print(out)?;
        options.page.note_limit("first", refunds.len(), out)?;
        if let Some(next) = waiting.iter().find(|refund| refund.method == RefundMethod::Pix) {
            writeln!(out, "\nnext: pay {}, then: garimpo admin refunds paid {} --pix E…", next.id, next.id)?;
        }
        Ok(())
    })?;
    Ok(exit_code(!waiting.is_empty()))
}

/// The columns of `--json`, with the state of the list and an amount in reais.
fn print_csv(refunds: &[Refund], now: Timestamp) -> Result<()> {
    let text = |value: Option<&str>| quoted(value.unwrap_or_default());
    let moment = |at: Option<Timestamp>| at.map(instant).unwrap_or_default();
    let table = Table::of(refunds)
        .column("id", |refund| &refund.id)
        .column("protocol", |refund| text(refund.protocol.as_deref()))
        .column("account", |refund| &refund.uid)
        .column("amount_reais", |refund| reais(refund.amount_centavos))
        .column("method", |refund| <&str>::from(refund.method))
        .column("reason", |refund| <&str>::from(refund.reason))
        .column("state", |refund| state(refund, now).to_lowercase())
        .column("due", |refund| moment(refund.due_at))
        .column("paid", |refund| moment(refund.ended_at))
        .column("pix_key", |refund| text(refund.pix_key.as_deref()))
        .column("note", |refund| text(refund.paid_note.as_deref()));
    Ok(table.print_csv(&mut std::io::stdout().lock())?)
}

/// `1234.56`: digits and a point are read the same by every bank and spreadsheet.
fn reais(amount: Centavos) -> String {
    format!("{}.{:02}", amount.get() / 100, amount.get() % 100)
}

/// A cell of text in quotes. A person wrote the key and the note, and a spreadsheet would run a
/// text that begins like a formula.
fn quoted(text: &str) -> String {
    let begins_formula = text.starts_with(['=', '@', '+', '-', '\t', '\r']) && !is_phone(text);
    format!("\"{}{}\"", if begins_formula { "'" } else { "" }, text.replace('"', "\"\""))
}

/// A Pix key may be a phone as `+5511990000000`, which the bank needs unchanged.
fn is_phone(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn state(refund: &Refund, now: Timestamp) -> &'static str {
    let is_overdue = refund.due_at.is_some_and(|due| due < now);
    if refund.state == RefundState::Requested && is_overdue { "OVERDUE" } else { refund.state.into() }
}

async fn paid(store: &Store, id: &str, note: &str, now: Timestamp) -> Result<ExitCode> {
    let paid_at = record_pix_refund(store, id, note, now).await?;
    let paid_at = paid_at.with_context(|| format!("there is no Pix request {id} that waits"))?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{id} paid at {}", instant(paid_at))?;
    writeln!(out, "wrong? garimpo admin refunds unpaid {id}")?;
    Ok(ExitCode::SUCCESS)
}

async fn unpaid(store: &Store, id: &str) -> Result<ExitCode> {
    let is_unpaid = refund_marks::mark_pix_unpaid(store, id).await?;
    ensure!(is_unpaid, "there is no Pix request {id} that was noted as paid");
    let mut out = std::io::stdout().lock();
    writeln!(out, "{id} waits again; a mail told its person that it was paid: write to them")?;
    Ok(ExitCode::SUCCESS)
}

/// What the central bank gives each Pix: E, the payer's bank in 8 digits, 12 digits of the minute,
/// 11 letters or digits.
fn end_to_end_id(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_one = text.is_ascii()
        && text.len() == 32
        && text.starts_with('E')
        && text[1..21].bytes().all(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_one.then(|| text.to_owned()).ok_or_else(|| {
        "allowed: E, 20 digits and 11 letters or digits, as the bank's receipt shows it; else use --note"
            .to_owned()
    })
}

fn note(text: &str) -> Result<String, String> {
    let length = text.chars().count();
    let is_fit =
        (1..=200).contains(&length) && !text.trim().is_empty() && !text.chars().any(char::is_control);
    if is_fit { Ok(text.to_owned()) } else { Err("allowed: 1 to 200 characters that can be seen".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Refunds {
        #[command(subcommand)]
        _command: Command,
    }

    #[test]
    fn marking_a_refund_as_paid_requires_either_the_pix_id_or_a_note() {
        use clap::Parser;
        let said =
            |more: &[&str]| match Refunds::try_parse_from(["refunds", "paid", "ref_1"].iter().chain(more)) {
                Ok(_) => String::new(),
                Err(refused) => refused.to_string(),
            };
        let pix = ["--pix", "E12345678202611221030abcDEF12345"];

        assert!(said(&[]).contains("--pix <PIX>|--note <NOTE>"), "{}", said(&[]));
        assert_eq!((said(&pix), said(&["--note", "TED"])), (String::new(), String::new()));
        assert!(said(&[pix[0], pix[1], "--note", "TED"]).contains("cannot be used with"));
    }

    #[test]
    fn a_cell_of_text_stays_one_cell_and_is_no_formula() {
        for (text, cell) in [
            ("ana@exemplo.com.br", "\"ana@exemplo.com.br\""),
            ("+5511990000000", "\"+5511990000000\""),
            ("TED, \"Itaú\"", "\"TED, \"\"Itaú\"\"\""),
            ("=1+1", "\"'=1+1\""),
            ("+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("-1+1", "\"'-1+1\""),
        ] {
            assert_eq!(quoted(text), cell);
        }
        assert_eq!(reais(Centavos::new(123_405)), "1234.05");
        assert_eq!(reais(Centavos::new(9)), "0.09");
    }

    #[test]
    fn a_pix_id_has_the_format_of_the_central_bank() {
        assert!(end_to_end_id("E12345678202611221030abcDEF12345").is_ok());
        for wrong in [
            "",
            "E123",
            "D12345678202611221030abcDEF12345",
            "E1234567820261122103xabcDEF12345",
            "Eé2345678202611221030abcDEF1234",
        ] {
            assert!(end_to_end_id(wrong).is_err(), "{wrong}");
        }
    }
}
