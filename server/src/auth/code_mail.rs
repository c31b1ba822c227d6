//! Mails with a link that carries a code: recovery of the password, and confirmation of an email.
//!
//! A request stores a job alone, the same for known and unknown emails; the code is made when the job runs. So the
//! code stands nowhere but in the mail: at most its hash is stored before the mail leaves, and the job, which an
//! operator may read, holds none. A run that is repeated, since nobody knows whether the mail left, mails another code; both open
//! what they are for until one is used or another link is asked for.

use std::sync::Arc;

use garimpo_domain::Timestamp;
use serde::{Deserialize, Serialize};

use super::identity::{IdentityError, IdentityProvider};
use super::sessions;
use crate::app::Parts;
use crate::causes::Causes;
use crate::crash::{self, CrashPoint};
use crate::mail::{Addressee, Post, Template, Values, over_the_limits};
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::identity::accounts;
use crate::store::identity::mailed_codes::{self, CodeUse, MailedCode};
use crate::store::jobs::claims::ClaimedJob;
use crate::store::jobs::{self, NewJob};
use crate::store::{Store, StoreError, Tx};

/// What a code's link looks like, and how long it opens something.
struct Link {
    job: JobKind,
    template: Template,
    /// Name of the link in the template.
    value: &'static str,
    path: &'static str,
    minutes: i64,
}

fn link_of(code_use: CodeUse) -> Link {
    match code_use {
        CodeUse::PasswordReset => Link {
            job: JobKind::PasswordReset,
            template: Template::PasswordReset,
            value: "reset_url",
            path: "/redefinir-senha",
            minutes: 60,
        },
        CodeUse::EmailConfirmation => Link {
            job: JobKind::EmailConfirmation,
            template: Template::EmailConfirmation,
            value: "confirm_url",
            path: "/confirmar-email",
            minutes: 72 * 60,
        },
    }
}

/// Who asked, and when.
#[derive(Serialize, Deserialize)]
struct Asked {
    uid: String,
    requested_at_us: i64,
}

/// Stores the request. The uid may be nobody's; the job then ends without a mail.
pub(super) async fn enqueue(
    store: &Store,
    code_use: CodeUse,
    key: String,
    uid: String,
    now: Timestamp,
) -> Result<(), StoreError> {
    store
        .write((), move |tx, ()| {
            let (key, uid) = (key.clone(), uid.clone());
            Box::pin(async move { enqueue_in_tx(tx, code_use, key, &uid, now).await })
        })
        .await
}

/// Stores the request with its cause.
pub(super) async fn enqueue_in_tx(
    tx: &mut Tx,
    code_use: CodeUse,
    key: String,
    uid: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let payload = serde_json::json!(Asked { uid: uid.to_owned(), requested_at_us: now.as_micros() });
    let job = NewJob { kind: link_of(code_use).job, key, payload, due_at: now };
    jobs::enqueue_if_absent(tx, job).await.map(drop)
}

/// Makes a code of ours for an account and stores its hash; `None` where a later request has its code already, or there
/// is nothing to open.
pub(super) async fn make(
    parts: &Parts,
    code_use: CodeUse,
    uid: &str,
    requested_at: Timestamp,
) -> Result<Option<String>, StoreError> {
    let code = parts.ids.secret("");
    let hash = sessions::hash(&code);
    let mailed = MailedCode {
        uid: uid.to_owned(),
        requested_at_us: requested_at.as_micros(),
        ends_at_us: parts.clock.now().plus_minutes(link_of(code_use).minutes).as_micros(),
    };
    let stored = parts.store.write((), move |tx, ()| {
        let mailed = mailed.clone();
        Box::pin(async move {
            let Some(account) = accounts::hold(tx, &mailed.uid).await? else { return Ok(false) };
            if code_use == CodeUse::EmailConfirmation && account.email_verified {
                return Ok(false);
            }
            mailed_codes::insert(tx, code_use, &hash, &mailed).await
        })
    });
    Ok::<_, StoreError>(stored.await?.then_some(code))
}

/// Mails the link of a code that is made now, unless a later request has mailed one already; that of a recovery is the
/// identity provider's.
pub(crate) async fn send(
    code_use: CodeUse,
    parts: Parts,
    identity: Arc<dyn IdentityProvider>,
    post: Post,
    job: ClaimedJob,
) -> Result<JobOutcome, JobError> {
    let asked: Asked = Asked::deserialize(&job.payload).map_err(|why| JobError::Park(why.to_string()))?;
    let Some(account) = accounts::by_uid(&parts.store, &asked.uid).await? else {
        return Ok(JobOutcome::Done);
    };
    let requested_at = Timestamp::from_micros(asked.requested_at_us);
    // A new code ends the one before, so none is made for a mail that is not sent.
    let Some(permit) = post.recipients.permit(&account).await? else { return Ok(over_the_limits()) };
    let code = match code_use {
        CodeUse::PasswordReset => identity.reset_code(&account, requested_at).await.map_err(retry),
        CodeUse::EmailConfirmation => {
            make(&parts, code_use, &account.uid, requested_at).await.map_err(JobError::from)
        }
    };
    let code = match code {
        Ok(Some(code)) => code,
        unsent => {
            post.recipients.give_back(permit).await?;
            return unsent.map(|_| JobOutcome::Done);
        }
    };
    crash::point(CrashPoint::CodeStored);
    let link = link_of(code_use);
    let url = format!("{}{}?code={code}", post.public_url, link.path);
    let values = Values::from([(link.value.to_owned(), url)]);
    // Anybody may have typed this address with words of their own as the name.
    let name = if account.email_verified { account.display_name } else { String::new() };
    let to = Addressee { email: account.email, name };
    post.deliver(permit, &job, link.template, &to, values).await
}

fn retry(error: IdentityError) -> JobError {
    JobError::Retry(Causes(&error).to_string())
}
