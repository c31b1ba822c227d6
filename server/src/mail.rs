//! Mails as jobs: a job has the template and its values, and the mail is written when it is sent.
//!
//! A job has no address, so that a deleted account gets no mail and the queue holds no personal
//! data. The last mail to an address is the exception until it is sent, because the account is
//! deleted or has another address.

use std::collections::BTreeMap;

use garimpo_domain::{Timestamp, Uid, catalog};
use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

use crate::causes::Causes;
use crate::measures::{MAILS_LIMITED, MAILS_UNDELIVERABLE};
use crate::providers::mail::{MailError, Mailer, Message};
use crate::queue::{JobError, JobKind, JobOutcome, JobResult};
use crate::store::{Account, ClaimedJob, NewJob, Result, Store, Tx, accounts, jobs, transaction};

mod recipients;

pub use recipients::MailLimits;
pub(crate) use recipients::{Permit, Recipients, gets_last_mail, has_paid_at_address};

/// The mails of the product, each with the name of its texts in `templates/mail`.
macro_rules! templates {
    ($($(#[$about:meta])* $name:ident = $file:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum Template {
            $($(#[$about])* $name,)*
        }

        impl Template {
            fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $file,)*
                }
            }

            fn texts(self) -> Texts {
                match self {
                    $(Self::$name => Texts {
                        subject: include_str!(concat!("../templates/mail/", $file, ".subject.txt")),
                        text: include_str!(concat!("../templates/mail/", $file, ".txt")),
                        html: include_str!(concat!("../templates/mail/", $file, ".html")),
                    },)*
                }
            }
        }
    };
}

templates! {
    /// A payment was confirmed.
    PaymentConfirmed = "payment_confirmed",
    /// A purchase in the trial was made that is first charged at the trial's end.
    TrialPurchase = "trial_purchase",
    /// A boleto can be paid.
    BoletoIssued = "boleto_issued",
    /// A first charge or a renewal could not be made.
    PaymentFailed = "payment_failed",
    /// The payer must authenticate a first charge or a renewal at the bank.
    PaymentAuthentication = "payment_authentication",
    /// The plan was changed.
    PlanChanged = "plan_changed",
    /// The second of two payments is given back.
    PaymentReturned = "payment_returned",
    /// A payment that arrived after its subscription had ended is given back.
    PaymentAfterEnd = "payment_after_end",
    /// A boleto can be paid until tomorrow.
    BoletoExpiring = "boleto_expiring",
    /// A renewal's boleto expired, or access was suspended because of it.
    BoletoLapsed = "boleto_lapsed",
    /// A long period ends in a week and is renewed.
    RenewalComing = "renewal_coming",
    /// The subscription was canceled, now or at the end of its period.
    SubscriptionCanceled = "subscription_canceled",
    /// A refund under the guarantee was requested.
    RefundRequested = "refund_requested",
    /// A refund was paid by Pix.
    RefundPaid = "refund_paid",
    /// A refund from outside of the product: by the provider's dashboard or the payer's bank.
    RefundMade = "refund_made",
    /// A link to choose a new password. Never a [`JobKind::Mail`]: its value is a secret.
    PasswordReset = "password_reset",
    /// A link that confirms the email. Never a [`JobKind::Mail`]: its value is a secret.
    EmailConfirmation = "email_confirmation",
    /// The password was changed.
    PasswordChanged = "password_changed",
    /// The email of the account was corrected: the last mail to the old address.
    EmailCorrected = "email_corrected",
    /// The account was deleted: its last mail.
    AccountDeleted = "account_deleted",
}

/// The longest first name of a greeting, in characters.
const GREETING_NAME_MAX: usize = 30;
/// The greeting for a name that is not one.
const GREETING_WITHOUT_NAME: &str = "cliente";

/// The HTML around the content of every mail.
const FRAME: &str = include_str!("../templates/mail/frame.html");

/// Subject, text and HTML of a mail, with `{{name}}` as the place of a value.
struct Texts {
    subject: &'static str,
    text: &'static str,
    html: &'static str,
}

/// The values of a mail by their names in the template.
pub(crate) type Values = BTreeMap<String, String>;

#[derive(Serialize, Deserialize)]
struct MailJob {
    template: Template,
    uid: Uid,
    values: Values,
    /// The recipient, if the account is deleted or has another address now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Addressee>,
}

/// The recipient of a mail.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Addressee {
    pub email: String,
    /// Full name.
    pub name: String,
}

impl From<&Account> for Addressee {
    fn from(account: &Account) -> Self {
        Self { email: account.email.clone().into(), name: account.display_name.clone() }
    }
}

/// Enqueues a mail to an account, once per key.
pub(crate) async fn enqueue_mail(
    tx: &mut Tx,
    key: String,
    template: Template,
    uid: &Uid,
    values: Values,
    now: Timestamp,
) -> Result<()> {
    enqueue(tx, key, MailJob { template, uid: uid.clone(), values, to: None }, now).await
}

/// Enqueues the last mail of an account that is being deleted, with its address.
pub(crate) async fn enqueue_last_mail(
    tx: &mut Tx,
    account: &Account,
    values: Values,
    now: Timestamp,
) -> Result<()> {
    let (template, uid) = (Template::AccountDeleted, account.uid.clone());
    let key = format!("account_deleted:{uid}");
    enqueue_to_address(tx, key, account, MailJob { template, uid, values, to: Some(account.into()) }, now)
        .await
}

/// Enqueues the last mail to the address that an account had before its email was corrected.
pub(crate) async fn enqueue_old_address_mail(tx: &mut Tx, old: &Account, now: Timestamp) -> Result<()> {
    let (template, uid) = (Template::EmailCorrected, old.uid.clone());
    let key = format!("email_corrected:{uid}:{}", now.as_micros());
    let values = Values::from([("changed_at".to_owned(), moment(now))]);
    enqueue_to_address(tx, key, old, MailJob { template, uid, values, to: Some(old.into()) }, now).await
}

/// Enqueues a mail to an address, unless the address has had one of its kind within an hour.
async fn enqueue_to_address(
    tx: &mut Tx,
    key: String,
    account: &Account,
    mail: MailJob,
    now: Timestamp,
) -> Result<()> {
    if recipients::count_last_mail(tx, mail.template.name(), &account.email, now).await? {
        return enqueue(tx, key, mail, now).await;
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
    /// Writes a mail and sends it under the job's key, which delivers it once. A mail that its
    /// recipient's address does not accept is dropped, because no retry can deliver it.
    pub(crate) async fn deliver(
        &self,
        permit: Permit,
        job: &ClaimedJob,
        template: Template,
        to: &Addressee,
        values: Values,
    ) -> JobResult {
        let message = write(template, values, to, &self.public_url);
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
    let mail: MailJob = job.read()?;
    if let Some(to) = &mail.to {
        // It is only enqueued for a confirmed address or a payer, and counted there.
        let outcome = writer.deliver(Permit::default(), &job, mail.template, to, mail.values).await?;
        transaction!(store, (key = job.key), |tx| jobs::forget_payload(tx, JobKind::Mail, key).await)?;
        return Ok(outcome);
    }
    let Some(account) = accounts::by_uid(&store, &mail.uid).await? else {
        return Ok(JobOutcome::Done);
    };
    let Some(permit) = writer.recipients.permit(&account).await? else { return Ok(over_the_limits()) };
    writer.deliver(permit, &job, mail.template, &(&account).into(), mail.values).await
}

/// An instant in a mail: `20/11/2026 às 09:05`, in São Paulo.
pub(crate) fn moment(at: Timestamp) -> String {
    let minutes = at.micros_since(at.start_of_day_sao_paulo()) / 60_000_000;
    format!("{} às {:02}:{:02}", at.day_in_sao_paulo(), minutes / 60, minutes % 60)
}

fn write(template: Template, mut values: Values, to: &Addressee, public_url: &str) -> Message {
    let brand = &catalog().brand;
    let links = &brand.links;
    let name = greeting_name(&to.name);
    for (key, value) in [
        ("name", name),
        ("app_url", &links.app_login),
        ("help_url", &links.help_center),
        ("account_url", &format!("{public_url}/area-usuario")),
        ("authenticate_url", &format!("{public_url}/confirmar-pagamento")),
        // CDC art. 42-A: a payment request states the creditor's name, address and CNPJ.
        ("company", &format!("{}, CNPJ {}, {}", brand.legal_name, brand.tax_id, brand.address)),
        ("recover_url", &format!("{public_url}/esqueci-senha")),
    ] {
        values.insert(key.to_owned(), value.to_owned());
    }
    let texts = template.texts();
    Message {
        to: to.email.clone(),
        subject: filled(texts.subject, &values, str::to_owned).trim().to_owned(),
        text: filled(texts.text, &values, str::to_owned),
        html: FRAME.replacen("{{content}}", &filled(texts.html, &values, escaped), 1),
    }
}

/// The first word of a name, if it can only be a name. Otherwise a sign-up with another person's
/// address could send them a link under our domain.
fn greeting_name(name: &str) -> &str {
    let first = name.split_whitespace().next().unwrap_or_default();
    let is_of_names = |c: char| c.is_alphabetic() || is_combining_mark(c) || matches!(c, '\'' | '’' | '-');
    let is_name = !first.is_empty() && first.chars().all(is_of_names);
    if is_name && first.chars().count() <= GREETING_NAME_MAX { first } else { GREETING_WITHOUT_NAME }
}

/// Replaces `{{name}}` by its value in one pass, so that a value is never read as a place.
fn filled(template: &str, values: &Values, escape: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        out.push_str(&values.get(name).map(|value| escape(value)).unwrap_or_default());
        rest = after;
    }
    out.push_str(rest);
    out
}

fn escaped(value: &str) -> String {
    value
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests;
