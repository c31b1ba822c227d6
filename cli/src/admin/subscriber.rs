//! `garimpo admin subscriber`

use super::database::with_reader;
use super::events;
use super::output::{Output, exit_code, instant, instant_or_dash, or_dash};
use super::table::{Table, printable};
use crate::config::{Config, Payments};
use anyhow::{Result, bail};
use clap::Args;
use garimpo_domain::{Centavos, PaymentMethod, Phone, Timestamp, Uid};
use garimpo_server::operator::Operator;
use garimpo_server::operator::subscriber::{DisputeSeen, Subscriber};
use garimpo_server::store::billing::cancellations::Cancellation;
use garimpo_server::store::billing::invoices::{DisputeState, Invoice};
use garimpo_server::store::billing::refunds::{Refund, RefundMethod, RefundState};
use garimpo_server::store::billing::subscriptions::Subscription;
use garimpo_server::store::identity::audit_events::AuditRow;
use garimpo_server::store::jobs::JobState;
use garimpo_server::store::operator::event_queries::EventState;
use garimpo_server::store::operator::lookups::{CheckoutSeen, JobSeenBy};
use secrecy::ExposeSecret;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Options {
    /// Email, uid, phone, invoice number, or an id: customer, subscription, invoice, payment,
    /// charge, dispute, checkout, session, event, refund, cancellation or protocol.
    named: String,
    /// Print at most so many events, jobs, mails and audit events
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    limit: i64,
    #[command(flatten)]
    output: Output,
}

/// Runs the command: 1 when something of the subscriber waits for the operator.
pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let found = with_reader(config, async |reader| {
        let uid = match reader.subscriber_uid(&options.named).await? {
            Some(uid) => uid,
            None => uid_by_phone(reader, &options.named).await?,
        };
        Ok(reader.subscriber(&uid, options.limit).await?)
    });
    let found = found.await?;
    let waiting = waiting(&found);
    options.output.print(&found, |out| print(&found, dashboard(config).as_deref(), &waiting, out))?;
    Ok(exit_code(!waiting.is_empty()))
}

/// The only account with this phone number.
async fn uid_by_phone(reader: &Operator, named: &str) -> Result<Uid> {
    let accounts = match Phone::parse_reported(named) {
        Ok(phone) => reader.accounts_by_phone(&phone).await?,
        Err(_) => Vec::new(),
    };
    match accounts.as_slice() {
        [] => bail!("nobody is known by {named}"),
        [(uid, _)] => Ok(uid.clone()),
        several => {
            let lines: Vec<String> = several.iter().map(|(uid, email)| format!("  {uid}  {email}")).collect();
            bail!("several accounts have this phone, name one of them:\n{}", lines.join("\n"))
        }
    }
}

/// The provider's dashboard; `None` for the sandbox, which has none.
fn dashboard(config: &Config) -> Option<String> {
    match &config.payments {
        Payments::Stripe(stripe) if stripe.url.ends_with("//api.stripe.com") => {
            let is_live = stripe.secret_key.expose_secret().contains("_live_");
            Some(format!("https://dashboard.stripe.com{}", if is_live { "" } else { "/test" }))
        }
        _ => None,
    }
}

/// Steps that wait for the operator, each with its exact command.
fn waiting(found: &Subscriber) -> Vec<String> {
    let mut steps = Vec::new();
    for job in found.jobs.iter().chain(&found.mails).filter(|job| job.state == JobState::Parked) {
        steps.push(format!("garimpo admin jobs show {} '{}'", job.kind, job.key));
    }
    for event in found.events.iter().filter(|event| event.state == EventState::Parked) {
        steps.push(format!("garimpo admin jobs show payment_event {}", event.id));
    }
    for refund in found
        .refunds
        .iter()
        .filter(|refund| refund.state == RefundState::Requested && refund.method == RefundMethod::Pix)
    {
        steps.push(format!("pay by Pix, then: garimpo admin refunds paid {} --pix E…", refund.id));
    }
    for id in &found.made_by_hand {
        steps.push(format!(
            "{id} was made at the provider by hand and gives nothing: garimpo admin reconcile --dry-run"
        ));
    }
    for dispute in found.disputes.iter().filter(|dispute| dispute.waits()) {
        let by = instant_or_dash(dispute.answer_by);
        steps.push(format!("answer {} at the provider's dashboard until {by}", dispute.id));
    }
    steps
}

fn print(
    found: &Subscriber,
    dashboard: Option<&str>,
    waiting: &[String],
    out: &mut impl Write,
) -> Result<()> {
    head(found, dashboard, out)?;
    section("SUBSCRIPTIONS", &subscriptions(found), out)?;
    section("INVOICES", &invoices(found), out)?;
    section("REFUNDS", &refunds(found), out)?;
    section("CANCELLATIONS", &cancellations(found), out)?;
    section("DISPUTES", &disputes(found), out)?;
    section("CHECKOUTS", &checkouts(found), out)?;
    let heading = |name: &str, list: &str, rows: usize| {
        let is_cut = found.cut_off.contains(&list);
        if is_cut { format!("{name} (the first {rows}; --limit shows more)") } else { name.to_owned() }
    };
    section(&heading("EVENTS", "events", found.events.len()), &events::table(&found.events), out)?;
    section(&heading("MAILS", "mails", found.mails.len()), &jobs(&found.mails), out)?;
    section(&heading("JOBS", "jobs", found.jobs.len()), &jobs(&found.jobs), out)?;
    section(&heading("TRAIL", "audit", found.audit.len()), &trail(found), out)?;
    writeln!(out, "\nNEXT")?;
    for step in waiting {
        writeln!(out, "  {step}")?;
    }
    writeln!(out, "  says something else than the provider? garimpo admin reconcile --uid {}", found.uid)?;
    Ok(())
}

fn head(found: &Subscriber, dashboard: Option<&str>, out: &mut impl Write) -> Result<()> {
    let mut lines = vec![("account", found.uid.to_string())];
    match (&found.account, &found.deleted) {
        (Some(account), _) => {
            let text = |key: &str| printable(account[key].as_str().unwrap_or("-"));
            let confirmed = if account["email_verified"] == true { "confirmed" } else { "not confirmed" };
            lines.push(("email", format!("{} ({confirmed})", text("email"))));
            lines.push(("name", format!("{}, {}", text("display_name"), text("phone"))));
            lines.push((
                "since",
                account["created_at_us"]
                    .as_i64()
                    .map(Timestamp::from_micros)
                    .map_or_else(String::new, instant),
            ));
        }
        (None, Some((protocol, at))) => {
            lines.push(("deleted", format!("{}, protocol {protocol}", instant(*at))));
        }
        (None, None) => lines.push(("account", "none: restored from a backup of before it?".to_owned())),
    }
    if let Some(rights) = &found.rights {
        let status = rights.status.unwrap_or("free");
        let why = rights.suspended.map(|why| format!(" ({why})")).unwrap_or_default();
        lines.push(("rights", format!("{} by {}: {status}{why}", rights.plan, rights.by)));
        let (until, next) = (rights.valid_until, rights.next_change_at);
        lines.push((
            "until",
            format!("{}, changes by itself: {}", instant_or_dash(until), instant_or_dash(next)),
        ));
    }
    let customer = found.customer_id.as_deref();
    lines.push(("customer", customer.unwrap_or("-").to_owned()));
    match found.balance_centavos {
        0 => {}
        credit @ ..0 => lines.push(("credit", format!("{}, used by the next invoices", money(-credit)))),
        rest => lines.push(("carried", format!("{}, asked for with the next invoice", money(rest)))),
    }
    if let Some((id, dashboard)) = customer.zip(dashboard) {
        lines.push((
            "there",
            format!("{dashboard}/customers/{id}, and /subscriptions/…, /invoices/…, /events/…"),
        ));
    }
    lines.push(("sessions", found.sessions.to_string()));
    for (name, value) in lines {
        writeln!(out, "{name:<10} {value}")?;
    }
    Ok(())
}

fn section<R>(name: &str, table: &Table<'_, R>, out: &mut impl Write) -> Result<()> {
    if !table.is_empty() {
        writeln!(out, "\n{name}")?;
        table.print(out)?;
    }
    Ok(())
}

fn subscriptions(found: &Subscriber) -> Table<'_, Subscription> {
    Table::of(&found.subscriptions)
        .column("ID", |row| &row.id)
        .column("PLAN", |row| row.plan_id.as_str())
        .column("INTERVAL", |row| row.plan_interval.written())
        .column("PRICE", |row| row.price_centavos)
        .column("METHOD", |row| or_dash(row.payment_method.map(PaymentMethod::name)))
        .column("PROVIDER", |row| &row.provider_status)
        .column("HERE", |row| match (row.live, row.retired, row.cancel_at_period_end) {
            (_, Some(retired), _) => retired.into(),
            (true, _, true) => "live, cancelled",
            (true, _, false) => "live",
            (false, ..) => "-",
        })
        .column("PAID UNTIL", |row| instant_or_dash(row.paid_until))
        .column("RENEWAL", |row| or_dash(row.ended_at.is_none().then(|| row.renewal_name())))
        .column("ENDED", |row| instant_or_dash(row.ended_at))
}

fn invoices(found: &Subscriber) -> Table<'_, Invoice> {
    // An invoice that became credit uses no credit.
    let used =
        |row: &Invoice| if row.total_centavos > Centavos::ZERO { row.credit_used() } else { Centavos::ZERO };
    Table::of(&found.invoices)
        .column("ID", |row| &row.id)
        .column("NUMBER", |row| or_dash(row.number.as_deref()))
        .column("REASON", |row| &row.reason)
        .column("STATUS", |row| match (<&str>::from(row.status), row.dispute) {
            (status, None) => status.to_owned(),
            (status, Some(DisputeState::Open)) => format!("{status}, disputed"),
            (status, Some(decided)) => format!("{status}, dispute {}", <&str>::from(decided)),
        })
        .column("TOTAL", |row| row.total_centavos)
        .column("CREDIT USED", move |row| money_or_dash(used(row).max(Centavos::ZERO)))
        .column("CARRIED IN", move |row| money_or_dash((-used(row)).max(Centavos::ZERO)))
        .column("CARRIED ON", |row| money_or_dash(row.carried_centavos))
        .column("CHARGED", |row| row.amount_due_centavos)
        .column("GIVEN BACK", |row| row.refunded_centavos)
        .column("DISPUTE", |row| or_dash(row.dispute.map(<&str>::from)))
        .column("METHOD", |row| or_dash(row.payment_method.map(PaymentMethod::name)))
        .column("MADE", |row| instant(row.created_at))
        .column("PAID", |row| instant_or_dash(row.paid_at))
        .column("BOLETO DUE", |row| instant_or_dash(row.boleto_due_at))
        .column("PAYMENT", |row| or_dash(row.payment_intent_id.as_deref()))
        .column("CHARGE", |row| or_dash(row.charge_id.as_deref()))
}

fn refunds(found: &Subscriber) -> Table<'_, Refund> {
    Table::of(&found.refunds)
        .column("ID", |row| &row.id)
        .column("INVOICE", |row| &row.invoice_id)
        .column("AMOUNT", |row| row.amount_centavos)
        .column("METHOD", |row| <&str>::from(row.method))
        .column("REASON", |row| <&str>::from(row.reason))
        .column("STATE", |row| <&str>::from(row.state))
        .column("DUE", |row| instant_or_dash(row.due_at))
        .column("PAID", |row| instant_or_dash(row.ended_at))
}

fn cancellations(found: &Subscriber) -> Table<'_, Cancellation> {
    Table::of(&found.cancellations)
        .column("ASKED", |row| instant(row.created_at))
        .column("ID", |row| &row.id)
        .column("SUBSCRIPTION", |row| &row.subscription_id)
        .column("STATE", |row| if row.told { "settled" } else { "waits for the provider" })
        .column("REASON", |row| or_dash(row.reason.as_deref()))
}

fn disputes(found: &Subscriber) -> Table<'_, DisputeSeen> {
    Table::of(&found.disputes)
        .column("ID", |row| &row.id)
        .column("PAYMENT", |row| &row.payment_intent_id)
        .column("AMOUNT", |row| money(row.amount_centavos))
        .column("STATUS", |row| &row.status)
        .column("ANSWER BY", |row| instant_or_dash(row.answer_by))
}

fn checkouts(found: &Subscriber) -> Table<'_, CheckoutSeen> {
    Table::of(&found.checkouts)
        .column("BEGUN", |row| instant(row.created_at))
        .column("ID", |row| &row.id)
        .column("PLAN", |row| row.plan_id.as_str())
        .column("INTERVAL", |row| row.plan_interval.written())
        .column("COUPON", |row| or_dash(row.coupon_id.as_deref()))
        .column("FIRST PAYMENT", |row| row.first_payment_centavos)
        .column("STATUS", |row| {
            let settled = if row.settled { "" } else { ", not settled" };
            format!("{}, {}{settled}", <&str>::from(row.status), <&str>::from(row.payment_status))
        })
        .column("SESSION", |row| or_dash(row.session_id.as_deref()))
}

fn jobs(rows: &[JobSeenBy]) -> Table<'_, JobSeenBy> {
    Table::of(rows)
        .column("DUE", |row| instant(row.due_at))
        .column("KIND", |row| &row.kind)
        .column("KEY", |row| &row.key)
        .column("STATE", |row| <&str>::from(row.state))
        .column("RUNS", |row| row.attempts)
        .column("ENDED", |row| instant_or_dash(row.ended_at))
        .column("LAST FAILURE", |row| row.last_error.as_deref().unwrap_or_default())
}

fn trail(found: &Subscriber) -> Table<'_, AuditRow> {
    Table::of(&found.audit)
        .column("AT", |row| instant(row.at))
        .column("KIND", |row| &row.kind)
        .column("ADDRESS", |row| or_dash(row.client_address.as_deref()))
        .column("DEVICE", |row| &row.device)
        .column("REQUEST", |row| &row.request_id)
}

fn money(centavos: i64) -> String {
    Centavos::new(centavos).to_string()
}

fn money_or_dash(amount: Centavos) -> String {
    if amount == Centavos::ZERO { "-".to_owned() } else { amount.to_string() }
}
