//! The mail with a recovery link of the local provider.
//!
//! A request stores a job alone, the same for known and unknown emails; the code is made when the job runs. So the
//! code stands nowhere but in the mail: its hash is stored before the mail leaves, and the job, which an operator may
//! read, holds none. A run that is repeated, since nobody knows whether the mail left, mails another code; both open
//! the account until one is used or another link is asked for.

use garimpo_domain::Timestamp;
use serde::{Deserialize, Serialize};

use super::sessions;
use crate::app::Parts;
use crate::mail::{Post, Template, Values};
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::{
    ClaimedJob, NewJob, PasswordReset, Store, StoreError, account_hold_in_tx, job_enqueue_in_tx,
    password_reset_insert_in_tx,
};

/// A code ends this long after it was made.
const CODE_MINUTES: i64 = 60;

/// Who asked, and when.
#[derive(Serialize, Deserialize)]
struct Asked {
    uid: String,
    requested_at_us: i64,
}

/// Stores the request. The uid may be nobody's; the job then ends without a mail.
pub(super) async fn enqueue(
    store: &Store,
    key: String,
    uid: String,
    now: Timestamp,
) -> Result<(), StoreError> {
    let payload = serde_json::json!(Asked { uid, requested_at_us: now.as_micros() });
    store
        .write(move |tx| {
            let (key, payload) = (key.clone(), payload.clone());
            let job = NewJob { kind: JobKind::PasswordReset, key, payload, due_at: now };
            Box::pin(async move { job_enqueue_in_tx(tx, job).await.map(drop) })
        })
        .await
}

/// Makes a code and mails its link, unless a later request has mailed one already.
pub(crate) async fn send(parts: Parts, post: Post, job: ClaimedJob) -> Result<JobOutcome, JobError> {
    let asked: Asked = serde_json::from_value(job.payload).map_err(|why| JobError::Park(why.to_string()))?;
    let code = parts.ids.secret("");
    let hash = sessions::hash(&code);
    let reset = PasswordReset {
        uid: asked.uid,
        requested_at_us: asked.requested_at_us,
        ends_at_us: parts.clock.now().plus_minutes(CODE_MINUTES).as_micros(),
    };
    let account = parts
        .store
        .write(move |tx| {
            let reset = reset.clone();
            Box::pin(async move {
                let Some(account) = account_hold_in_tx(tx, &reset.uid).await? else { return Ok(None) };
                let newest = password_reset_insert_in_tx(tx, &hash, &reset).await?;
                Ok::<_, StoreError>(newest.then_some(account))
            })
        })
        .await?;
    let Some(account) = account else { return Ok(JobOutcome::Done) };
    let link = format!("{}/redefinir-senha?code={code}", post.public_url);
    let values = Values::from([("reset_url".to_owned(), link)]);
    post.deliver(&job.key, Template::PasswordReset, &account, values).await?;
    Ok(JobOutcome::Done)
}
