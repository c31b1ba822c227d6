//! The audit trail: events that concern the safety of accounts, for the operator and for the
//! account's own export.
//!
//! An event is stored in the transaction that it records. A sign-in needs no second event: the
//! attempt is stored as failed, together with its counter, and is changed to its outcome in the
//! transaction that opens the session. No email is stored: if no account has it, its hash is.

use std::sync::Arc;

use garimpo_domain::Uid;
use garimpo_domain::device::device_label;
use garimpo_domain::person::email_as_compared;

use crate::caller::Caller;
use crate::clock::Clock;
use crate::email_hash::EmailHash;
use crate::ids::Ids;

pub use crate::store::identity::audit_event::AuditKind;
pub(crate) use crate::store::identity::audit_event::{AuditEvent, Subject};

/// Creates events.
#[derive(Clone)]
pub(crate) struct Audit {
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
    pub emails: EmailHash,
}

impl Audit {
    /// An event of an account.
    pub fn event(&self, kind: AuditKind, uid: &Uid, caller: &Caller) -> AuditEvent {
        self.about(kind, Subject::Account(uid.clone()), caller)
    }

    /// An event of the account with this email, if any; the store looks it up.
    pub fn event_of_email(&self, kind: AuditKind, email: &str, caller: &Caller) -> AuditEvent {
        let email = email_as_compared(email);
        let hash = self.emails.of(&email);
        self.about(kind, Subject::Email { email, hash }, caller)
    }

    fn about(&self, kind: AuditKind, subject: Subject, caller: &Caller) -> AuditEvent {
        AuditEvent {
            id: self.ids.id("aud_"),
            at: self.clock.now(),
            kind,
            subject,
            client_address: caller.client_address().map(|address| address.to_string()),
            device: device_label(caller.user_agent()),
            request_id: caller.request_id().to_owned(),
        }
    }
}
