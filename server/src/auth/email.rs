//! The confirmation of an email by a mailed link. A purchase does not need it.

use garimpo_proto::auth::v1 as pb;
use tonic::Request;

use super::{AuthService, code_mail, sessions};
use crate::audit::AuditKind;
use crate::caller::Caller;
use crate::error::{Error, ErrorReason, Result};
use crate::person_memory;
use crate::store::{CodeUse, accounts, audit_events, mailed_codes, transaction};

const USE: CodeUse = CodeUse::EmailConfirmation;

impl AuthService {
    /// Mails another link.
    pub(super) async fn request_verification(
        &self,
        caller: &Caller,
    ) -> Result<pb::RequestEmailVerificationResponse> {
        let uid = caller.identity()?.uid.clone();
        self.limits.count_verification_request(&uid).await?;
        // If the email is confirmed already, the job ends without a mail.
        let (key, now, client) = (self.ids.id("emc_"), self.clock.now(), caller.limit_address());
        transaction!(self.store, (key, uid, client), |tx| {
            code_mail::enqueue_confirmation(tx, key.clone(), uid, client, now).await
        })?;
        Ok(pb::RequestEmailVerificationResponse {})
    }

    /// Confirms the email: the code proves that its holder reads the mails of this address.
    pub(super) async fn confirm_address(
        &self,
        request: Request<pb::ConfirmEmailRequest>,
    ) -> Result<pb::ConfirmEmailResponse> {
        let caller = Caller::of(&request);
        let form = request.into_inner();
        let code = form.code.trim();
        if code.is_empty() {
            let missing = Error::refused(ErrorReason::InvalidArgument, "code is missing");
            return Err(missing.with_field("code", "code is missing"));
        }

        let attempt = self.limits.count_email_code(&caller.limit_address()).await?;
        let hash = sessions::hash(code);
        let mailed = mailed_codes::by_hash(&self.store, USE, &hash).await?.ok_or_else(invalid)?;
        let now = self.clock.now();
        if now >= mailed.ends_at {
            return Err(Error::refused(ErrorReason::EmailCodeExpired, "the confirmation code has expired"));
        }
        let uid = mailed.uid;
        let event = self.audit.event(AuditKind::EmailConfirmed, &uid, &caller);
        transaction!(self.store, (uid, attempt, event), |tx| {
            let account = accounts::hold(tx, uid).await?.ok_or_else(invalid)?;
            // Of two confirmations at once the second finds no code.
            if !mailed_codes::consume(tx, USE, &hash, uid).await? {
                return Err(invalid());
            }
            person_memory::confirm(tx, &account, now).await?;
            attempt.uncount(tx).await?;
            Ok::<_, Error>(audit_events::insert(tx, event).await?)
        })?;
        Ok(pb::ConfirmEmailResponse {})
    }
}

fn invalid() -> Error {
    Error::refused(ErrorReason::EmailCodeInvalid, "the confirmation code is not valid")
}
