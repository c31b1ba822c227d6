//! Consent to advertising, given or withdrawn at any time (LGPD, article 8).

use garimpo_proto::users::v1 as pb;

use super::UserService;
use crate::caller::{Caller, not_yours};
use crate::error::{Error, ErrorReason, Result};
use crate::origin::{consent_message, read_consent};
use crate::store::{accounts, consents, transaction};

impl UserService {
    pub(super) async fn store_consent(
        &self,
        caller: &Caller,
        request: pb::SaveConsentRequest,
    ) -> Result<pb::SaveConsentResponse> {
        let uid = caller.identity()?.uid.clone();
        let now = self.audit.clock.now();
        let given = request.consent.as_ref().and_then(|consent| read_consent(consent, now));
        let given = given.ok_or_else(|| {
            let why = "the version of the text or the instant is missing or malformed";
            Error::refused(ErrorReason::InvalidArgument, why).with_field("consent", why)
        })?;
        self.limits.count_consent(&uid).await?;
        let kept = transaction!(self.store, (uid, given), |tx| {
            consents::save(tx, uid, given, now).await?;
            Ok::<_, Error>(accounts::hold(tx, uid).await?)
        });
        let account = kept?.ok_or_else(not_yours)?;
        Ok(pb::SaveConsentResponse { consent: account.answer().map(consent_message) })
    }

    /// The caller's current answer.
    pub(super) async fn read_consent(&self, caller: &Caller) -> Result<pb::GetConsentResponse> {
        let uid = &caller.identity()?.uid;
        let account = accounts::by_uid(&self.store, uid).await?.ok_or_else(not_yours)?;
        Ok(pb::GetConsentResponse { consent: account.answer().map(consent_message) })
    }
}
