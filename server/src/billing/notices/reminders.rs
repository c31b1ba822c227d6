//! Mails before a boleto expires and before a long period renews. Each is a scheduled job, which
//! checks before it sends that the event is still to come.

use garimpo_domain::{InvoiceId, SubscriptionId, Timestamp, Uid};
use serde::{Deserialize, Serialize};

use crate::billing::facts::current_subscription::{next_charge_of, renews_at, waiting_boleto};
use crate::billing::facts::projection::Projection;
use crate::billing::notices;
use crate::context::AppContext;
use crate::mail::{Mail, enqueue_mail};
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::store::{
    ClaimedJob, Invoice, NewJob, Result, Subscription, Tx, customers, invoices, jobs, subscriptions,
    transaction,
};

/// Hour in São Paulo at which a boleto's last day is announced, one day before.
const MORNING_HOUR: i64 = 9;
/// Days before the end of a period on which its renewal is announced.
const RENEWAL_DAYS: i64 = 7;
/// Shortest period, in days, whose renewal is announced. Shorter ones renew too often.
const LONG_PERIOD_DAYS: u32 = 90;

/// Payload of the job.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
enum Announcement {
    /// A boleto can be paid until the end of tomorrow.
    Boleto { uid: Uid, invoice_id: InvoiceId, line: String },
    /// A period ends in a week and is renewed.
    Renewal { uid: Uid, subscription_id: SubscriptionId, until_us: Timestamp },
}

impl Announcement {
    /// Key of the job and of the mail, so that each event is announced once.
    fn key(&self) -> String {
        match self {
            Self::Boleto { invoice_id, line, .. } => format!("boleto_expiring:{invoice_id}:{line}"),
            Self::Renewal { subscription_id, until_us, .. } => {
                format!("renewal_coming:{subscription_id}:{}", until_us.as_micros())
            }
        }
    }
}

/// Schedules the reminders of coming events, and cancels those of events that no longer come. A
/// boleto's reminder is skipped if its time has passed. A renewal's is then sent immediately,
/// because its cancellation may have been undone in the last week.
pub(crate) async fn schedule(tx: &mut Tx, projection: &Projection) -> Result<()> {
    let now = projection.now;
    let boletos = projection.invoices.iter().filter_map(|invoice| {
        let morning = waits(invoice, &projection.subscriptions, now)
            .map(|due_at| due_at.start_of_day_sao_paulo().plus_days(-1).plus_hours(MORNING_HOUR));
        let announcement = Announcement::Boleto {
            uid: invoice.uid.clone(),
            invoice_id: invoice.id.clone(),
            line: invoice.boleto_line.as_deref()?.to_owned(),
        };
        Some((announcement, morning))
    });
    let long = projection.subscriptions.iter().filter(|row| is_long(row));
    let renewals = long.filter_map(|row| {
        let announcement = Announcement::Renewal {
            uid: row.uid.clone(),
            subscription_id: row.id.clone(),
            until_us: row.paid_until?,
        };
        Some((announcement, long_renewal_at(row, now).map(|until| until.plus_days(-RENEWAL_DAYS))))
    });
    for (announcement, due_at) in boletos.chain(renewals) {
        let key = announcement.key();
        match due_at {
            Some(due_at) if now < due_at || matches!(announcement, Announcement::Renewal { .. }) => {
                jobs::enqueue_if_absent(tx, NewJob::new(JobKind::Reminder, key, announcement, due_at))
                    .await?;
            }
            Some(_) => {}
            None => drop(jobs::cancel(tx, JobKind::Reminder, &key).await?),
        }
    }
    Ok(())
}

fn is_long(row: &Subscription) -> bool {
    row.plan_interval.days() >= LONG_PERIOD_DAYS
}

/// When a boleto expires, while it is open and its subscription was not replaced.
fn waits(invoice: &Invoice, rows: &[Subscription], now: Timestamp) -> Option<Timestamp> {
    waiting_boleto(std::slice::from_ref(invoice), rows, now)?;
    invoice.boleto_due_at
}

/// When a long period renews.
fn long_renewal_at(row: &Subscription, now: Timestamp) -> Option<Timestamp> {
    renews_at(row, now).filter(|_| is_long(row))
}

/// Sends the mails before an event.
#[derive(Clone)]
pub struct Reminders {
    pub(crate) context: AppContext,
}

impl Reminders {
    /// Runs one announcement.
    pub(crate) async fn remind(self, job: ClaimedJob) -> JobResult {
        let announcement: Announcement = job.read()?;
        let now = self.context.now();
        transaction!(self.context, (announcement), |tx| enqueue_announcement(tx, announcement, now).await)?;
        Ok(JobOutcome::Done)
    }
}

async fn enqueue_announcement(tx: &mut Tx, announcement: &Announcement, now: Timestamp) -> Result<()> {
    let key = announcement.key();
    match announcement {
        Announcement::Boleto { uid, invoice_id, line } => {
            let rows = subscriptions::by_uid(&mut *tx, uid).await?;
            let invoices = invoices::by_uid(&mut *tx, uid).await?;
            let same = |invoice: &&Invoice| {
                invoice.id == *invoice_id && invoice.boleto_line.as_deref() == Some(line)
            };
            let invoice = invoices.iter().find(same).filter(|invoice| waits(invoice, &rows, now).is_some());
            let row = invoice.and_then(|invoice| rows.iter().find(|row| row.id == invoice.subscription_id));
            let (Some(invoice), Some(row)) = (invoice, row) else { return Ok(()) };
            let mail = Mail::BoletoExpiring { boleto: notices::boleto(invoice, row) };
            enqueue_mail(tx, key, mail, uid, now).await
        }
        Announcement::Renewal { uid, subscription_id, until_us } => {
            let rows = subscriptions::by_uid(&mut *tx, uid).await?;
            let same = |row: &&Subscription| row.id == *subscription_id;
            let row = rows.iter().find(same).filter(|row| long_renewal_at(row, now) == Some(*until_us));
            let Some(row) = row else { return Ok(()) };
            let balance = customers::balance(tx, uid).await?;
            let Some(next) = next_charge_of(row, balance, now) else { return Ok(()) };
            enqueue_mail(tx, key, notices::renewal_coming(row, &next), uid, now).await
        }
    }
}
