//! `garimpo admin delete-account`: repeats a deletion that a restore has lost.

use garimpo_domain::Uid;

use crate::audit::AuditKind;
use crate::auth::devices::operator_event;
use crate::email_hash::EmailHash;
use crate::error::{Error, Result};
use crate::operator::Operator;
use crate::protocol_number;
use crate::store::{Deletion, accounts, audit_events, transaction};
use crate::users::deletion;

impl Operator {
    /// Deletes an account as its owner does. Returns the protocol; `None` if no account has this
    /// uid and email.
    ///
    /// # Errors
    /// UNAVAILABLE if the database fails.
    pub async fn delete_account(&self, uid: &Uid, email: &str) -> Result<Option<String>> {
        let (store, ids, now) = (&self.context.store, &self.context.ids, self.context.now());
        let email = email.to_lowercase();
        let email_hash = EmailHash::open(store, ids).await?.of(&email);
        let event = operator_event(ids, AuditKind::AccountDeleted, uid, now);
        transaction!(
            store,
            (billing = self.billing.clone(), ids = ids.clone(), uid = uid.clone(), email_hash, email, event),
            |tx| {
                let account = accounts::lock(tx, uid).await?;
                let Some(account) = account.filter(|account| account.email.as_str() == email) else {
                    return Ok(None);
                };
                let protocol = protocol_number::choose(tx, ids, now).await?;
                let (uid, email_hash) = (uid.clone(), email_hash.clone());
                let deletion = Deletion { protocol, uid, email_hash, deleted_at: now };
                deletion::delete(tx, billing, &account, &deletion).await?;
                audit_events::insert(tx, event).await?;
                Ok::<_, Error>(Some(deletion.protocol))
            }
        )
    }
}
