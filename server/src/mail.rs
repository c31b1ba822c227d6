//! Mails as jobs: a job has what the mail tells, and the mail is written when it is sent.
//!
//! A job has no address, so that a deleted account gets no mail and the queue holds no personal
//! data. The last mail to an address is the exception until it is sent, because the account is
//! deleted or has another address.

use garimpo_domain::{Timestamp, Uid, catalog};
use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

use crate::causes::Causes;
use crate::measures::{MAILS_LIMITED, MAILS_UNDELIVERABLE};
use crate::providers::mail::{MailError, Mailer, Message};
use crate::queue::{JobError, JobKind, JobOutcome, JobResult};
use crate::store::{Account, ClaimedJob, NewJob, Result, Store, Tx, accounts, jobs, transaction};

mod document;
mod letters;
mod recipients;

pub(crate) use document::{Document, Site};
pub(crate) use letters::{Boleto, Bought, Mail, UnpaidCharge, email_confirmation, password_reset};
pub use recipients::MailLimits;
pub(crate) use recipients::{Addressee, Permit, Recipients, has_paid_at_address, is_known};

/// The longest first name of a greeting, in characters.
const GREETING_NAME_MAX: usize = 30;

#[derive(Serialize, Deserialize)]
struct MailJob {
    mail: Mail,
    uid: Uid,
    /// The recipient, if the account is deleted or has another address now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Addressee>,
}

/// Enqueues a mail to an account, once per key.
pub(crate) async fn enqueue_mail(
    tx: &mut Tx,
    key: String,
    mail: Mail,
    uid: &Uid,
    now: Timestamp,
) -> Result<()> {
    enqueue(tx, key, MailJob { mail, uid: uid.clone(), to: None }, now).await
}

/// Enqueues the last mail of an account that is being deleted, with its address.
pub(crate) async fn enqueue_last_mail(
    tx: &mut Tx,
    account: &Account,
    (protocol, outcome): (String, String),
    now: Timestamp,
) -> Result<()> {
    let key = format!("account_deleted:{}", account.uid);
    let mail = Mail::AccountDeleted { deleted_at: moment(now), outcome, protocol };
    enqueue_to_address(tx, key, ("account_deleted", mail), account, now).await
}

/// Enqueues the last mail to the address that an account had before its email was corrected.
pub(crate) async fn enqueue_old_address_mail(tx: &mut Tx, old: &Account, now: Timestamp) -> Result<()> {
    let key = format!("email_corrected:{}:{}", old.uid, now.as_micros());
    let mail = Mail::EmailCorrected { changed_at: moment(now) };
    enqueue_to_address(tx, key, ("email_corrected", mail), old, now).await
}

/// Enqueues a mail to an address, unless the address has had one of its kind within an hour.
async fn enqueue_to_address(
    tx: &mut Tx,
    key: String,
    (kind, mail): (&str, Mail),
    account: &Account,
    now: Timestamp,
) -> Result<()> {
    if recipients::count_last_mail(tx, kind, &account.email, now).await? {
        let job = MailJob { mail, uid: account.uid.clone(), to: Some(Addressee::known(account)) };
        return enqueue(tx, key, job, now).await;
    }
    tx.after_commit(|| metrics::counter!(MAILS_LIMITED).increment(1));
    Ok(())
}

async fn enqueue(tx: &mut Tx, key: String, mail: MailJob, now: Timestamp) -> Result<()> {
    jobs::enqueue_if_absent(tx, NewJob::new(JobKind::Mail, key, mail, now)).await.map(drop)
}

/// Writes mails and sends them.
#[derive(Clone)]
pub(crate) struct MailWriter {
    pub mailer: Mailer,
    /// The origin of links into the site.
    pub public_url: String,
    pub recipients: Recipients,
}

/// The outcome of a mail beyond its recipient's limits. A retry would only postpone it, and anybody
/// could cause the alarm of a parked job.
pub(crate) fn over_the_limits() -> JobOutcome {
    metrics::counter!(MAILS_LIMITED).increment(1);
    JobOutcome::Dropped("too many mails to one address")
}

/// The outcome of a mail that its recipient's address does not accept.
fn undeliverable() -> JobOutcome {
    metrics::counter!(MAILS_UNDELIVERABLE).increment(1);
    JobOutcome::Dropped("undeliverable")
}

impl MailWriter {
    fn message(&self, to: &Addressee, write: impl FnOnce(&Site<'_>) -> Document) -> Message {
        let site = Site { url: &self.public_url, brand: &catalog().brand };
        let document = write(&site);
        let name = to.name.as_deref().and_then(greeting_name);
        Message {
            to: to.email.clone(),
            text: document.text(&site, name),
            html: document.html(&site, name),
            subject: document.subject,
        }
    }

    /// Writes a mail and sends it under the job's key, which delivers it once. A mail that its
    /// recipient's address does not accept is dropped, because no retry can deliver it.
    pub(crate) async fn deliver(
        &self,
        permit: Permit,
        job: &ClaimedJob,
        write: impl FnOnce(&Site<'_>) -> Document,
    ) -> JobResult {
        let message = self.message(permit.to(), write);
        let sent = self.mailer.send(&job.key, &message).await;
        // Whoever typed such an address must not be able to cause the alarm of a parked job.
        // Confirmations have an alarm of their own.
        let may_park = !permit.is_limited() || job.kind == JobKind::EmailConfirmation;
        if sent.is_err() {
            self.recipients.give_back(permit).await?;
        }
        match sent {
            Ok(()) => Ok(JobOutcome::Done),
            Err(MailError::Undeliverable(_)) => Ok(undeliverable()),
            // The last attempt: anybody could cause the alarm of a parked job.
            Err(MailError::Deferred(_)) if job.is_last_attempt() => Ok(undeliverable()),
            Err(MailError::Refused(_)) if !may_park && job.is_last_attempt() => Ok(undeliverable()),
            Err(why @ MailError::Refused(_)) if may_park => Err(JobError::Park(Causes(&why).to_string())),
            Err(why) => Err(JobError::Retry(Causes(&why).to_string())),
        }
    }
}

/// Sends one mail.
pub(crate) async fn send(store: Store, writer: MailWriter, job: ClaimedJob) -> JobResult {
    if job.payload == serde_json::json!({}) {
        // The last mail to an address, sent by an earlier run.
        return Ok(JobOutcome::Done);
    }
    let MailJob { mail, uid, to } = job.read()?;
    if let Some(to) = to {
        // It is only enqueued for a confirmed address or a payer, and counted there.
        let outcome = writer.deliver(Permit::uncounted(to), &job, |site| mail.document(site)).await?;
        transaction!(store, (key = job.key), |tx| jobs::forget_payload(tx, JobKind::Mail, key).await)?;
        return Ok(outcome);
    }
    let Some(account) = accounts::by_uid(&store, &uid).await? else {
        return Ok(JobOutcome::Done);
    };
    let Some(permit) = writer.recipients.permit(&account).await? else { return Ok(over_the_limits()) };
    writer.deliver(permit, &job, |site| mail.document(site)).await
}

/// An instant in a mail: `20/11/2026 às 09:05`, in São Paulo.
pub(crate) fn moment(at: Timestamp) -> String {
    let minutes = at.micros_since(at.start_of_day_sao_paulo()) / 60_000_000;
    format!("{} às {:02}:{:02}", at.day_in_sao_paulo(), minutes / 60, minutes % 60)
}

/// The first word of a name, if it can only be a name. Otherwise a sign-up with another person's
/// address could send them a link under our domain.
fn greeting_name(name: &str) -> Option<&str> {
    let first = name.split_whitespace().next()?;
    let is_of_names = |c: char| c.is_alphabetic() || is_combining_mark(c) || matches!(c, '\'' | '’' | '-');
    let is_name = first.chars().all(is_of_names) && first.chars().count() <= GREETING_NAME_MAX;
    is_name.then_some(first)
}

#[cfg(test)]
mod tests;
