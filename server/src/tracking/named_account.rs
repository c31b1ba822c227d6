//! A service's event about an account of ours: the account's owner decides about it (LGPD, article
//! 8).

use garimpo_domain::conversion::{Whose, may_leave};
use garimpo_domain::{CheckoutSessionId, Email, Timestamp, Uid};
use garimpo_proto::tracking::v1 as pb;

use super::conversion::Conversion;
use crate::store::{Account, Result, Store, accounts, checkouts};

/// The account that an event names in plain text; a hash names no account.
pub(super) struct NamedAccount {
    uid: Option<Uid>,
    email: Option<Email>,
}

impl NamedAccount {
    pub(super) fn read(request: &pb::TrackEventRequest) -> Self {
        let person = request.user_data.as_ref();
        let uid = person.and_then(|person| person.external_id.as_deref()).map(str::trim);
        let email = person.and_then(|person| person.em.as_deref()).and_then(|em| Email::parse(em).ok());
        // No uid contains NUL, and PostgreSQL rejects NUL in a text.
        Self { uid: uid.filter(|uid| !uid.contains('\0')).map(Uid::new), email }
    }

    /// The accounts that an event names: by uid, by email, by the subject of its id.
    async fn accounts(&self, store: &Store, event: &Conversion) -> Result<Vec<Account>> {
        let mut uids: Vec<Uid> = self.uid.clone().into_iter().collect();
        if let Some(subject) = event.event.subject_of(&event.event_id) {
            uids.push(Uid::new(subject));
            uids.extend(
                checkouts::by_session(store, &CheckoutSessionId::new(subject))
                    .await?
                    .map(|checkout| checkout.uid),
            );
        }
        let mut accounts = if uids.is_empty() { Vec::new() } else { accounts::by_uids(store, &uids).await? };
        if let Some(email) = &self.email {
            accounts.extend(accounts::by_email(store, email).await?);
        }
        Ok(accounts)
    }
}

/// Assigns a service's event to the account that it names, and removes the event's consent unless
/// the account's owner allows advertising. The event is sent later only if the owner still allows
/// it then.
pub(super) async fn assign(
    store: &Store,
    mut event: Conversion,
    named: &NamedAccount,
    now: Timestamp,
) -> Result<(Conversion, Whose)> {
    let mut whose = Whose::Visitor;
    for account in named.accounts(store, &event).await? {
        let allowed = account.ads_allowed(now);
        if whose == Whose::Visitor || allowed != Some(true) {
            (event.uid, whose) = (Some(account.uid), Whose::Account(allowed));
        }
    }
    if !may_leave(event.consent, whose) {
        event.consent = event.consent.map(|_| false);
    }
    Ok((event, whose))
}
