//! The correction of an email that is not confirmed: a mistyped address gets no mail.
//!
//! The account has the new email at once. A job (`users/email_correction.rs`) sends it to the
//! identity provider and the payment provider, because either may be down.

use garimpo_domain::{Email, Timestamp, Uid};
use garimpo_proto::auth::v1 as pb;
use tonic::Request;

use super::form_fields::read_email;
use super::sign_in::session_user;
use super::{Attempt, AuthService, IdentityError, Verified, code_mail};
use crate::audit::AuditKind;
use crate::caller::Caller;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result, Violations};
use crate::mail::{enqueue_old_address_mail, has_paid_at_address};
use crate::person_memory;
use crate::queue::JobKind;
use crate::store::{
    Account, CodeUse, NewJob, Tx, accounts, checkouts, invoices, jobs, mailed_codes, transaction,
};

impl AuthService {
    pub(super) async fn correct_address(
        &self,
        request: Request<pb::CorrectEmailRequest>,
    ) -> Result<pb::CorrectEmailResponse> {
        let caller = Caller::of(&request);
        let identity = caller.identity()?.clone();
        let form = request.into_inner();
        let email = read_correction(&form)?;
        let client = caller.limit_address();
        self.limits.count_email_correction(&identity.uid).await?;
        // A correction needs a session and the password, so it needs no challenge.
        let _needs_challenge = self.limits.count_sign_up(&client).await?;

        let failed = self.audit.event(AuditKind::SignInFailed, &identity.uid, &caller);
        let attempt = self.limits.count_sign_in(&identity.email, &client, failed).await?;
        let checked = self.identity.sign_in(&identity.email, &form.password, &client).await;
        let verified = attempt.checked(&self.store, checked).await?;
        if verified.uid != identity.uid {
            return Err(IdentityError::InvalidCredential.into());
        }
        if self.identity.holder_of(&email).await?.is_some_and(|holder| holder != identity.uid) {
            return Err(IdentityError::EmailInUse.into());
        }
        let account = self.store_correction(email, verified, client, attempt).await?;
        crash::point(CrashPoint::IdentityChanged);
        self.sessions.invalidate_account(&identity.uid);
        Ok(pb::CorrectEmailResponse { user: Some(session_user(account)) })
    }

    /// Stores the email, voids the links that were mailed to the old one, and enqueues the mail and
    /// the job of the providers, in one transaction.
    async fn store_correction(
        &self,
        email: Email,
        verified: Verified,
        client: String,
        attempt: Attempt,
    ) -> Result<Account> {
        let (key, now) = (self.ids.id("emc_"), self.clock.now());
        transaction!(self.store, (email, verified, client, attempt, key), |tx| {
            let uid = &verified.uid;
            let account = accounts::hold(tx, uid).await?.filter(|account| verified.holds_for(account));
            let account = account.ok_or(IdentityError::InvalidCredential)?;
            attempt.reclassify(tx, AuditKind::EmailCorrected, uid).await?;
            if account.email == *email {
                return Ok(account);
            }
            if account.email_verified {
                return Err(Error::refused(ErrorReason::EmailConfirmed, "the email is confirmed"));
            }
            replace_email(tx, &account, email, now).await?;
            // Refunds go to the new address. One that nobody paid at may be a stranger's.
            if has_paid_at_address(&account, &invoices::by_uid(&mut *tx, uid).await?) {
                enqueue_old_address_mail(tx, &account, now).await?;
            }
            code_mail::enqueue_confirmation(tx, key.clone(), uid, client, now).await?;
            accounts::by_uid(&mut *tx, uid).await?.ok_or_else(|| IdentityError::InvalidCredential.into())
        })
    }
}

async fn replace_email(tx: &mut Tx, account: &Account, email: &Email, now: Timestamp) -> Result<()> {
    let uid = &account.uid;
    match person_memory::correct_email(tx, account, email, now).await {
        Err(error) if error.is_unique_violation() => return Err(IdentityError::EmailInUse.into()),
        stored => stored?,
    }
    checkouts::set_email(tx, uid, email).await?;
    for code_use in [CodeUse::EmailConfirmation, CodeUse::PasswordReset] {
        mailed_codes::void(tx, code_use, uid).await?;
    }
    Ok(jobs::reschedule(tx, email_correction_job(uid, now)).await?)
}

/// The job that sends the email of an account to the providers. Schedule it again if it exists,
/// because it reads the email when it runs.
pub(crate) fn email_correction_job(uid: &Uid, now: Timestamp) -> NewJob {
    NewJob::of_account(JobKind::EmailCorrection, uid, uid, now)
}

fn read_correction(form: &pb::CorrectEmailRequest) -> Result<Email> {
    let mut wrong = Violations::new();
    let email = read_email(&mut wrong, "new_email", &form.new_email);
    if form.password.is_empty() {
        wrong.add("password", ErrorReason::InvalidArgument, "password is missing");
    }
    wrong.finish(email)
}
