//! Mails as jobs: what is to be said is stored with its cause, the address and the words come when it is sent.
//!
//! A job holds no address, so that an account deleted meanwhile gets no mail and the queue holds nothing personal; the
//! last mail of an account, which outlives it, is the one exception, until it is sent.

use std::collections::BTreeMap;

use garimpo_domain::{Timestamp, catalog};
use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

use crate::causes::Causes;
use crate::measures::{MAILS_LIMITED, MAILS_UNDELIVERABLE};
use crate::providers::mail::{MailError, Mailer, Message};
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::identity::accounts::{self, Account};
use crate::store::jobs::claims::ClaimedJob;
use crate::store::jobs::{self, NewJob};
use crate::store::{Store, StoreError, Tx};

mod recipients;

pub use recipients::MailLimits;
pub(crate) use recipients::{Permit, Recipients, is_owned};

/// The mails of the product, each with its texts in `templates/mail`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Template {
    /// A payment was confirmed.
    PaymentConfirmed,
    /// A purchase in the trial was made that is first charged at the trial's end.
    TrialPurchase,
    /// A boleto waits for payment.
    BoletoIssued,
    /// A first charge or a renewal could not be made.
    PaymentFailed,
    /// The payer must authenticate a first charge or a renewal at the bank.
    PaymentAuthentication,
    /// The plan is another one.
    PlanChanged,
    /// The second of two payments is given back.
    PaymentReturned,
    /// A payment that arrived after its subscription had ended is given back.
    PaymentAfterEnd,
    /// A boleto can be paid until tomorrow.
    BoletoExpiring,
    /// A renewal's boleto lapsed, or access was suspended for it.
    BoletoLapsed,
    /// A long period ends in a week and is renewed.
    RenewalComing,
    /// The subscription ends, or has ended, by somebody's wish.
    SubscriptionCanceled,
    /// The guarantee was asked for.
    RefundRequested,
    /// A Pix was paid.
    RefundPaid,
    /// Money went back that nobody asked back here: by the provider's dashboard or by the payer's bank.
    RefundMade,
    /// A link to choose a new password. Never a [`JobKind::Mail`]: its value is a secret.
    PasswordReset,
    /// A link that confirms the email. Never a [`JobKind::Mail`]: its value is a secret.
    EmailConfirmation,
    /// The password was changed.
    PasswordChanged,
    /// The account was deleted: its last mail.
    AccountDeleted,
}

/// The longest first name of a greeting, in characters.
const GREETING_NAME_MAX: usize = 30;
/// What a greeting says where the name is none.
const GREETING_WITHOUT_NAME: &str = "cliente";

/// What the HTML of every mail stands in: its content opens the white card and ends below it.
const FRAME: &str = include_str!("../templates/mail/frame.html");

/// Subject, text and HTML of a mail, with `{{name}}` where a value goes.
struct Texts {
    subject: &'static str,
    text: &'static str,
    html: &'static str,
}

macro_rules! texts {
    ($name:literal) => {
        Texts {
            subject: include_str!(concat!("../templates/mail/", $name, ".subject.txt")),
            text: include_str!(concat!("../templates/mail/", $name, ".txt")),
            html: include_str!(concat!("../templates/mail/", $name, ".html")),
        }
    };
}

impl Template {
    fn texts(self) -> Texts {
        match self {
            Self::PaymentConfirmed => texts!("payment_confirmed"),
            Self::TrialPurchase => texts!("trial_purchase"),
            Self::BoletoIssued => texts!("boleto_issued"),
            Self::PaymentFailed => texts!("payment_failed"),
            Self::PaymentAuthentication => texts!("payment_authentication"),
            Self::PlanChanged => texts!("plan_changed"),
            Self::PaymentReturned => texts!("payment_returned"),
            Self::PaymentAfterEnd => texts!("payment_after_end"),
            Self::BoletoExpiring => texts!("boleto_expiring"),
            Self::BoletoLapsed => texts!("boleto_lapsed"),
            Self::RenewalComing => texts!("renewal_coming"),
            Self::RefundMade => texts!("refund_made"),
            Self::SubscriptionCanceled => texts!("subscription_canceled"),
            Self::RefundRequested => texts!("refund_requested"),
            Self::RefundPaid => texts!("refund_paid"),
            Self::PasswordReset => texts!("password_reset"),
            Self::EmailConfirmation => texts!("email_confirmation"),
            Self::PasswordChanged => texts!("password_changed"),
            Self::AccountDeleted => texts!("account_deleted"),
        }
    }
}

/// The values of a mail by their names in the template.
pub(crate) type Values = BTreeMap<String, String>;

#[derive(Serialize, Deserialize)]
struct Letter {
    template: Template,
    uid: String,
    values: Values,
    /// Who gets it, where the account that would say so is no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Addressee>,
}

/// Who gets a mail.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Addressee {
    /// Address.
    pub email: String,
    /// Full name.
    pub name: String,
}

impl From<&Account> for Addressee {
    fn from(account: &Account) -> Self {
        Self { email: account.email.clone(), name: account.display_name.clone() }
    }
}

/// Enqueues a mail to an account, once per key.
pub(crate) async fn mail_enqueue_in_tx(
    tx: &mut Tx,
    key: String,
    template: Template,
    uid: &str,
    values: Values,
    now: Timestamp,
) -> Result<(), StoreError> {
    let payload = serde_json::json!(Letter { template, uid: uid.to_owned(), values, to: None });
    jobs::enqueue_if_absent(tx, NewJob { kind: JobKind::Mail, key, payload, due_at: now }).await.map(drop)
}

/// Enqueues the last mail of an account that is deleted with it: this job alone holds an address, until it is sent.
pub(crate) async fn last_mail_enqueue_in_tx(
    tx: &mut Tx,
    account: &Account,
    values: Values,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (template, uid) = (Template::AccountDeleted, account.uid.clone());
    let key = format!("account_deleted:{uid}");
    let payload = serde_json::json!(Letter { template, uid, values, to: Some(account.into()) });
    jobs::enqueue_if_absent(tx, NewJob { kind: JobKind::Mail, key, payload, due_at: now }).await.map(drop)
}

/// Where mails are written and handed over.
#[derive(Clone)]
pub(crate) struct Post {
    /// Who delivers.
    pub mailer: Mailer,
    /// What the links into the site begin with.
    pub public_url: String,
    /// How many mails an address gets.
    pub recipients: Recipients,
}

/// The outcome of a mail beyond its recipient's limits. A later try would only come later, and a
/// parked job would raise an alarm that anybody could cause.
pub(crate) fn over_the_limits() -> JobOutcome {
    metrics::counter!(MAILS_LIMITED).increment(1);
    JobOutcome::Dropped("too many mails to one address")
}

impl Post {
    /// Writes a mail and hands it over, under the job's key, which delivers it once. A mail that its
    /// recipient's address does not take is dropped, because no later try can deliver it.
    pub(crate) async fn deliver(
        &self,
        permit: Permit,
        job: &ClaimedJob,
        template: Template,
        to: &Addressee,
        values: Values,
    ) -> Result<JobOutcome, JobError> {
        let message = written(template, values, to, &self.public_url);
        let sent = self.mailer.send(&job.key, &message).await;
        if sent.is_err() {
            self.recipients.give_back(permit).await?;
        }
        match sent {
            Ok(()) => Ok(JobOutcome::Done),
            Err(MailError::Undeliverable(_)) => {
                metrics::counter!(MAILS_UNDELIVERABLE).increment(1);
                Ok(JobOutcome::Dropped("undeliverable"))
            }
            // Where tries end, a parked job would raise an alarm that anybody could cause.
            Err(MailError::Deferred(_)) if job.is_last_attempt() => {
                metrics::counter!(MAILS_UNDELIVERABLE).increment(1);
                Ok(JobOutcome::Dropped("undeliverable"))
            }
            Err(why @ (MailError::Unavailable(_) | MailError::Deferred(_))) => {
                Err(JobError::Retry(Causes(&why).to_string()))
            }
            Err(why @ MailError::Refused(_)) => Err(JobError::Park(Causes(&why).to_string())),
        }
    }
}

/// Sends one mail.
pub(crate) async fn send(store: Store, post: Post, job: ClaimedJob) -> Result<JobOutcome, JobError> {
    if job.payload == serde_json::json!({}) {
        // The last mail of an account, sent by the run before.
        return Ok(JobOutcome::Done);
    }
    let letter: Letter = Letter::deserialize(&job.payload).map_err(|why| JobError::Park(why.to_string()))?;
    if let Some(to) = &letter.to {
        // It was enqueued for an address that is its account's own.
        let permit = Permit::default();
        let outcome = post.deliver(permit, &job, letter.template, to, letter.values).await?;
        let key = job.key;
        store
            .write::<_, _, StoreError, _>((), move |tx, ()| {
                let key = key.clone();
                Box::pin(async move { jobs::forget_payload(tx, JobKind::Mail, &key).await })
            })
            .await?;
        return Ok(outcome);
    }
    let Some(account) = accounts::by_uid(&store, &letter.uid).await? else {
        return Ok(JobOutcome::Done);
    };
    let Some(permit) = post.recipients.permit(&account).await? else { return Ok(over_the_limits()) };
    post.deliver(permit, &job, letter.template, &(&account).into(), letter.values).await
}

/// An instant as a mail names it: `20/11/2026 às 09:05`, in São Paulo.
pub(crate) fn moment(at: Timestamp) -> String {
    let minutes = at.micros_since(at.start_of_day_sao_paulo()) / 60_000_000;
    format!("{} às {:02}:{:02}", at.day_in_sao_paulo(), minutes / 60, minutes % 60)
}

fn written(template: Template, mut values: Values, to: &Addressee, public_url: &str) -> Message {
    let brand = &catalog().brand;
    let links = &brand.links;
    let name = greeting_name(&to.name);
    for (key, value) in [
        ("name", name),
        ("app_url", &links.app_login),
        ("help_url", &links.help_center),
        ("account_url", &format!("{public_url}/area-usuario")),
        ("authenticate_url", &format!("{public_url}/confirmar-pagamento")),
        // CDC art. 42-A: whoever asks for a debt gives name, address and CNPJ.
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

/// The first word of a name, where nothing but a name can stand in it. Whoever signs up with
/// somebody else's address could otherwise send a link of their own under our domain.
fn greeting_name(name: &str) -> &str {
    let first = name.split_whitespace().next().unwrap_or_default();
    let is_of_names = |c: char| c.is_alphabetic() || is_combining_mark(c) || matches!(c, '\'' | '’' | '-');
    let is_name = !first.is_empty() && first.chars().all(is_of_names);
    if is_name && first.chars().count() <= GREETING_NAME_MAX { first } else { GREETING_WITHOUT_NAME }
}

/// Puts values in their places in one pass, so that a value is never read as a place.
fn filled(template: &str, values: &Values, written: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        out.push_str(&values.get(name).map(|value| written(value)).unwrap_or_default());
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
mod tests {
    use super::*;

    #[test]
    fn valores_entram_no_texto_e_sao_escapados_no_html() {
        let values = Values::from([("name".into(), "<b>{{line}}</b>".into()), ("line".into(), "1".into())]);

        assert_eq!(filled("Olá, {{name}}.", &values, str::to_owned), "Olá, <b>{{line}}</b>.");
        assert_eq!(filled("<p>{{name}}", &values, escaped), "<p>&lt;b&gt;{{line}}&lt;/b&gt;");
        assert_eq!(filled("{{unknown}}!", &values, escaped), "!");
    }

    #[test]
    fn saudacao_so_leva_o_que_pode_ser_um_nome() {
        for (name, greeted) in [
            ("Ana Souza", "Ana"),
            ("D’Ávila Jr", "D’Ávila"),
            ("Jo\u{303}ao", "Jo\u{303}ao"),
            ("Maria-Clara", "Maria-Clara"),
            ("http://evil.example/premio?x=1", "cliente"),
            ("evil.example", "cliente"),
            ("ana@evil.example", "cliente"),
            ("Ganhe1000reais", "cliente"),
            ("\u{202e}ana", "cliente"),
            ("", "cliente"),
        ] {
            assert_eq!(greeting_name(name), greeted, "{name}");
        }
    }

    #[test]
    fn instante_e_escrito_no_horario_de_sao_paulo() {
        let at = |text| moment(Timestamp::parse_rfc3339(text).expect("an instant"));

        assert_eq!(at("2026-11-20T12:05:59Z"), "20/11/2026 às 09:05");
        assert_eq!(at("2026-12-01T02:59:00Z"), "30/11/2026 às 23:59");
    }

    #[test]
    fn todo_lugar_dos_modelos_tem_um_valor() {
        let common =
            ["name", "app_url", "help_url", "account_url", "recover_url", "authenticate_url", "company"];
        for (template, own) in [
            (Template::PaymentConfirmed, &["plan", "period", "amount", "paid_until"][..]),
            (
                Template::BoletoIssued,
                &["plan", "period", "amount", "due_day", "due_date", "line", "voucher_url", "outcome"],
            ),
            (Template::TrialPurchase, &["plan", "period", "amount", "charged_on"]),
            (Template::PaymentFailed, &["plan", "period", "amount", "access", "charge"]),
            (Template::PaymentAuthentication, &["plan", "period", "amount", "access", "charge"]),
            (
                Template::PlanChanged,
                &["plan", "period", "amount", "old_plan", "old_period", "outcome", "next"],
            ),
            (Template::PaymentReturned, &["plan", "period", "amount", "outcome", "how"]),
            (
                Template::BoletoExpiring,
                &["plan", "period", "amount", "due_day", "due_date", "line", "voucher_url"],
            ),
            (Template::RenewalComing, &["plan", "period", "amount", "renews_on", "how"]),
            (Template::SubscriptionCanceled, &["plan", "period", "amount", "access", "undo"]),
            (Template::RefundRequested, &["plan", "period", "amount", "how", "protocol"]),
            (Template::RefundPaid, &["amount", "protocol"]),
            (Template::PaymentAfterEnd, &["plan", "period", "amount", "how", "protocol"]),
            (Template::BoletoLapsed, &["plan", "period", "due_date", "access"]),
            (Template::RefundMade, &["plan", "period", "amount", "paid_on", "how", "access"]),
            (Template::PasswordReset, &["reset_url"]),
            (Template::EmailConfirmation, &["confirm_url"]),
            (Template::PasswordChanged, &["changed_at"]),
            (Template::AccountDeleted, &["deleted_at", "outcome", "protocol"]),
        ] {
            let texts = template.texts();
            for text in [texts.subject, texts.text, texts.html] {
                for place in text.split("{{").skip(1).filter_map(|after| after.split("}}").next()) {
                    assert!(common.contains(&place) || own.contains(&place), "{template:?}: {place}");
                }
            }
        }
    }
}
