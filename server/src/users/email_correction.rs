//! Sends the corrected email of an account to the identity provider and the payment provider.

use std::sync::Arc;

use garimpo_domain::Uid;

use crate::auth::IdentityProvider;
use crate::billing::Billing;
use crate::crash::{self, CrashPoint};
use crate::queue::{JobOutcome, JobResult};
use crate::store::{ClaimedJob, Store, accounts};

/// Job: sends the email of an account to the providers that know it. Idempotent.
pub(crate) async fn run(
    store: Store,
    identity: Arc<dyn IdentityProvider>,
    billing: Billing,
    job: ClaimedJob,
) -> JobResult {
    let Some(account) = accounts::by_uid(&store, &Uid::new(job.key)).await? else {
        return Ok(JobOutcome::Done);
    };
    identity.set_email(&account.uid, &account.email).await?;
    crash::point(CrashPoint::IdentityChanged);
    billing.checkouts.update_customer_email(&account.uid, &account.email).await?;
    Ok(JobOutcome::Done)
}
