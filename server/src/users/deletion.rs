//! Deletion of an account (LGPD, article 18), and its preview.
//!
//! One transaction decides and stores everything, so a crash before it changes nothing, and after
//! it the jobs continue. The account's row is deleted with its dependent rows, so no mail, session
//! or right finds the account.

use std::sync::Arc;

use garimpo_domain::SessionId;
use garimpo_proto::SessionChange;
use garimpo_proto::users::v1 as pb;
use tonic::{Request, Response};

use super::UserService;

use crate::audit::AuditKind;
use crate::auth::{Attempt, IdentityError, IdentityProvider, Limits, Verified};
use crate::billing::{Billing, deletion_impact};
use crate::caller::{Caller, Identity, Principal, not_yours};
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result};
use crate::mail::{enqueue_last_mail, is_known};
use crate::pause::{self, PausePoint};
use crate::person_memory;
use crate::protocol_number;
use crate::queue::{JobKind, JobOutcome, JobResult};
use crate::rights::append_deletion;
use crate::store::{
    Account, AccountPayload, ClaimedJob, Deletion, NewJob, Tx, accounts, deletions, invoices, jobs, sessions,
    subscriptions, transaction,
};
use crate::wire::{Reply, timestamp};

impl UserService {
    pub(super) async fn preview_deletion(&self, caller: &Caller) -> Result<pb::PreviewMyDeletionResponse> {
        let uid = &caller.identity()?.uid;
        let account = accounts::by_uid(&self.store, uid).await?.ok_or_else(not_yours)?;
        let rows = subscriptions::by_uid(&self.store, uid).await?;
        let invoices = invoices::by_uid(&self.store, uid).await?;
        let impact = deletion_impact(&account, &rows, &invoices, self.audit.clock.now());
        Ok(pb::PreviewMyDeletionResponse {
            plan_id: impact.subscription.map(|row| row.plan_id.as_str().to_owned()),
            paid_until: impact.paid_until.map(timestamp),
            refund_centavos: impact.refund_centavos().get(),
            refund_method: impact.refund_method().map(str::to_owned),
            voids_boleto: impact.voids_boleto,
            refund_pix_centavos: impact.refund_pix_centavos().get(),
        })
    }

    pub(super) async fn delete_account(
        &self,
        request: Request<pb::DeleteMyAccountRequest>,
    ) -> Reply<pb::DeleteMyAccountResponse, Error> {
        let caller = Caller::of(&request);
        let identity = caller.identity()?;
        let password = request.into_inner().password;
        if password.is_empty() {
            let missing = Error::refused(ErrorReason::InvalidArgument, "password is missing");
            return Err(missing.with_field("password", "password is missing"));
        }

        let failed = self.audit.event(AuditKind::SignInFailed, &identity.uid, &caller);
        let attempt = self.limits.count_sign_in(&identity.email, &caller.limit_address(), failed).await?;
        let verified = self.identity.sign_in(&identity.email, &password, &caller.limit_address()).await;
        let verified = attempt.checked(&self.store, verified).await?;
        if verified.uid != identity.uid {
            return Err(IdentityError::InvalidCredential.into());
        }
        let (protocol, ended) = self.store_end(identity, verified, attempt).await?;
        crash::point(CrashPoint::AccountDeleted);
        self.sessions.invalidate_all(&identity.uid, &ended);

        tracing::info!(user.id = %identity.uid, protocol, "an account was deleted by its owner");
        if matches!(caller.principal, Principal::Session(_)) {
            caller.set_session(SessionChange::End);
        }
        Ok(Response::new(pb::DeleteMyAccountResponse { protocol }))
    }

    /// Deletes the account in one transaction; returns the protocol number and the ended sessions.
    async fn store_end(
        &self,
        Identity { uid, email, .. }: &Identity,
        verified: Verified,
        attempt: Attempt,
    ) -> Result<(String, Vec<SessionId>)> {
        pause::point(PausePoint::Decide, uid).await;
        let (ids, email_hash, now) = (&self.audit.ids, self.audit.emails.of(email), self.audit.clock.now());
        transaction!(
            self.store,
            (
                billing = self.billing.clone(),
                uid = uid.clone(),
                ids = ids.clone(),
                email_hash,
                verified,
                attempt
            ),
            |tx| {
                // A password that was replaced since it matched deletes nothing.
                let account = accounts::lock(tx, uid)
                    .await?
                    .filter(|account| verified.holds_for(account))
                    .ok_or(IdentityError::InvalidCredential)?;
                let protocol = protocol_number::choose(tx, ids, now).await?;
                let (uid, email_hash) = (uid.clone(), email_hash.clone());
                let deletion = Deletion { protocol, uid, email_hash, deleted_at: now };
                let ended = delete(tx, billing, &account, &deletion).await?;
                attempt.reclassify(tx, AuditKind::AccountDeleted, &deletion.uid).await?;
                Ok::<_, Error>((deletion.protocol, ended))
            }
        )
    }
}

/// Deletes a locked account; returns the ended sessions.
pub(crate) async fn delete(
    tx: &mut Tx,
    billing: &Billing,
    account: &Account,
    deletion: &Deletion,
) -> Result<Vec<SessionId>> {
    let (uid, now) = (&deletion.uid, deletion.deleted_at);
    let invoices = invoices::by_uid(&mut *tx, uid).await?;
    let outcome = billing.endings.settle_deletion(tx, account, now).await?;
    let ended = sessions::end_all(tx, uid, None).await?;
    let evidence = person_memory::forget_unproven(tx, account).await?;
    deletions::delete_account(tx, deletion, evidence).await?;
    Limits::forget_email(tx, account.email.as_str()).await?;
    let identity = NewJob::of_account(JobKind::IdentityDelete, uid, uid, now);
    jobs::enqueue_if_absent(tx, identity).await?;
    // Anybody can create and delete an account with a stranger's address.
    if is_known(account, &invoices) {
        enqueue_last_mail(tx, account, (deletion.protocol.clone(), outcome), now).await?;
    }
    append_deletion(tx, account, now).await?;
    Ok(ended)
}

/// Job: deletes the identity of a deleted account at its provider. Idempotent.
pub(crate) async fn delete_identity(identity: Arc<dyn IdentityProvider>, job: ClaimedJob) -> JobResult {
    let AccountPayload { uid } = job.read()?;
    identity.delete(&uid).await?;
    Ok(JobOutcome::Done)
}
