//! Mails with a link that contains a code: for recovery of a password, and confirmation of an
//! email.
//!
//! A request only stores a job, the same for known and unknown emails; the job creates the code. So
//! only the mail contains the code: the store has its hash, and the job, which operators can read,
//! has no code. A repeated run mails another code, because the first mail may not have left. Both
//! codes are valid until one is used or another link is requested.

use std::sync::Arc;

use garimpo_domain::{Timestamp, Uid};
use serde::{Deserialize, Serialize};

use super::identity::{IdentityProvider, ResetCode};
use super::limits::{ConfirmationTurn, Limits};
use super::sessions;
use crate::context::AppContext;
use crate::crash::{self, CrashPoint};
use crate::mail::{Document, MailWriter, Site, email_confirmation, over_the_limits, password_reset};
use crate::queue::{JobError, JobKind, JobOutcome, JobResult};
use crate::store::{
    ClaimedJob, CodeUse, MailedCode, NewJob, Result, StoreError, Tx, accounts, jobs, mailed_codes,
    transaction,
};

struct Link {
    job: JobKind,
    path: &'static str,
    /// Minutes for which the code is valid.
    minutes: i64,
}

fn link_of(code_use: CodeUse) -> Link {
    match code_use {
        CodeUse::PasswordReset => Link { job: JobKind::PasswordReset, path: "/redefinir-senha", minutes: 60 },
        CodeUse::EmailConfirmation => {
            Link { job: JobKind::EmailConfirmation, path: "/confirmar-email", minutes: 72 * 60 }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct CodeRequest {
    uid: Uid,
    requested_at_us: i64,
    /// Of a confirmation; 0 for a recovery.
    turn: ConfirmationTurn,
}

/// Enqueues the mail of a recovery. The uid may be unknown; the job then ends without a mail.
pub(crate) async fn enqueue_reset(tx: &mut Tx, key: String, uid: &Uid, now: Timestamp) -> Result<()> {
    enqueue(tx, CodeUse::PasswordReset, key, uid, (now, ConfirmationTurn::default())).await
}

/// Enqueues the mail that confirms an email, and counts it for the client that caused it.
pub(super) async fn enqueue_confirmation(
    tx: &mut Tx,
    key: String,
    uid: &Uid,
    client: &str,
    now: Timestamp,
) -> Result<()> {
    let turn = Limits::take_confirmation_turn(tx, client, now).await?;
    enqueue(tx, CodeUse::EmailConfirmation, key, uid, (now, turn)).await
}

async fn enqueue(
    tx: &mut Tx,
    code_use: CodeUse,
    key: String,
    uid: &Uid,
    (now, turn): (Timestamp, ConfirmationTurn),
) -> Result<()> {
    let request = CodeRequest { uid: uid.clone(), requested_at_us: now.as_micros(), turn };
    let job = NewJob::new(link_of(code_use).job, key, request, turn.due_at(now));
    jobs::enqueue_if_absent(tx, job).await.map(drop)
}

/// Creates a code and stores its hash; `None` if a later request has its code already, or the email
/// is confirmed or was corrected.
async fn create_code(
    context: &AppContext,
    code_use: CodeUse,
    (uid, email): (&Uid, &str),
    requested_at: Timestamp,
) -> Result<Option<String>> {
    let code = context.ids.secret("");
    let hash = sessions::hash(&code);
    let mailed = MailedCode {
        uid: uid.clone(),
        requested_at,
        ends_at: context.clock.now().plus_minutes(link_of(code_use).minutes),
    };
    let stored = transaction!(context.store, (mailed, email = email.to_owned()), |tx| {
        let Some(account) = accounts::hold(tx, &mailed.uid).await? else { return Ok(false) };
        let is_confirmed = code_use == CodeUse::EmailConfirmation && account.email_verified;
        // A code for the new email must not be mailed to the old one.
        if is_confirmed || account.email.as_str() != email {
            return Ok(false);
        }
        mailed_codes::insert(tx, code_use, &hash, mailed).await
    });
    Ok::<_, StoreError>(stored?.then_some(code))
}

/// Job: creates a code and mails its link, unless a later request has done so.
pub(crate) async fn send(
    code_use: CodeUse,
    context: AppContext,
    identity: Arc<dyn IdentityProvider>,
    writer: MailWriter,
    job: ClaimedJob,
) -> JobResult {
    let request: CodeRequest = job.read()?;
    let Some(account) = accounts::by_uid(&context.store, &request.uid).await? else {
        return Ok(JobOutcome::Done);
    };
    let requested_at = Timestamp::from_micros(request.requested_at_us);
    // A new code replaces the previous one, so none is created for a mail that is not sent.
    let Some(mut permit) = writer.recipients.permit(&account).await? else { return Ok(over_the_limits()) };
    if code_use == CodeUse::EmailConfirmation
        && let Some(until) = writer.recipients.confirmation_waits_until(&mut permit).await?
    {
        writer.recipients.give_back(permit).await?;
        return Ok(JobOutcome::Again(request.turn.due_after(until)));
    }
    let provider_code = match code_use {
        CodeUse::PasswordReset => identity.reset_code(account.email.as_str()).await.map_err(JobError::from),
        CodeUse::EmailConfirmation => Ok(ResetCode::Ours),
    };
    let code = match provider_code {
        Ok(ResetCode::Ours) => {
            let holder = (&account.uid, account.email.as_str());
            create_code(&context, code_use, holder, requested_at).await.map_err(JobError::from)
        }
        Ok(ResetCode::Provider(code)) => Ok(code),
        Err(error) => Err(error),
    };
    let code = match code {
        Ok(Some(code)) => code,
        unsent => {
            writer.recipients.give_back(permit).await?;
            return unsent.map(|_| JobOutcome::Done);
        }
    };
    crash::point(CrashPoint::CodeStored);
    let link = link_of(code_use);
    writer.deliver(permit, &job, |site| write(code_use, &link, &code, site)).await
}

fn write(code_use: CodeUse, link: &Link, code: &str, site: &Site<'_>) -> Document {
    let url = site.page(&format!("{}?code={code}", link.path));
    match code_use {
        CodeUse::PasswordReset => password_reset(&url, link.minutes),
        CodeUse::EmailConfirmation => email_confirmation(&url, link.minutes / 60, site),
    }
}
