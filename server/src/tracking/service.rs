//! What a service tells of an account of ours: that account's owner has the last word (LGPD, article 8).

use garimpo_domain::Timestamp;
use garimpo_domain::conversion::{Whose, may_leave};
use garimpo_domain::person::Email;
use garimpo_proto::tracking::v1 as pb;

use super::{Conversion, TrackingApi, Weighed};
use crate::error::Error;
use crate::store::StoreError;
use crate::store::billing::checkouts;
use crate::store::identity::accounts::{self, Account};

/// Whom an event names, as it was posted; what came hashed names nobody whom we could look up.
pub(super) struct Named {
    uid: Option<String>,
    email: Option<Email>,
}

impl Named {
    pub(super) fn by(request: &pb::TrackEventRequest) -> Self {
        let person = request.user_data.as_ref();
        let uid = person.and_then(|person| person.external_id.as_deref()).map(|uid| uid.trim().to_owned());
        let email = person.and_then(|person| person.em.as_deref()).and_then(|em| Email::parse(em).ok());
        // No row has a NUL, and PostgreSQL takes none.
        Self { uid: uid.filter(|uid| !uid.contains('\0')), email }
    }
}

impl TrackingApi {
    /// What a service tells. Of an account it leaves only while its owner allows it, and it is that account's from then
    /// on: taken back or deleted meanwhile, it does not leave.
    pub(super) async fn of_service(
        &self,
        mut told: Conversion,
        named: &Named,
        now: Timestamp,
    ) -> Result<Weighed, Error> {
        let mut whose = Whose::Visitor;
        for account in self.accounts_named(&told, named).await? {
            let allowed = account.ads_allowed(now);
            if whose == Whose::Visitor || allowed != Some(true) {
                (told.uid, whose) = (Some(account.uid), Whose::Account(allowed));
            }
        }
        if !may_leave(told.consent, whose) {
            // Held as of nobody.
            told.consent = told.consent.map(|_| false);
        }
        Ok(Weighed { fact: Some(told), answer: None, whose })
    }

    /// The accounts that an event names: by uid, by email, by the subject of its id.
    async fn accounts_named(&self, told: &Conversion, named: &Named) -> Result<Vec<Account>, StoreError> {
        let mut uids: Vec<String> = named.uid.clone().into_iter().collect();
        if let Some(subject) = told.event.subject_of(&told.event_id) {
            uids.push(subject.to_owned());
            uids.extend(checkouts::by_session(&self.store, subject).await?.map(|checkout| checkout.uid));
        }
        let mut accounts =
            if uids.is_empty() { Vec::new() } else { accounts::by_uids(&self.store, &uids).await? };
        if let Some(email) = &named.email {
            accounts.extend(accounts::by_email(&self.store, email).await?);
        }
        Ok(accounts)
    }
}
