//! The audit trail: what happened to accounts that bears on their safety, for the operator and for the account's own
//! export.
//!
//! An event is written in the transaction of what it tells of. A sign-in costs no second one: the attempt is written as
//! failed with the counter that it takes, and becomes what it turned out to be with the session that it opens. No email
//! is kept: where the account is not known, its hash.

use std::sync::Arc;

use garimpo_domain::Timestamp;
use garimpo_domain::device::device_label;
use garimpo_domain::person::email_as_compared;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::caller::Caller;
use crate::clock::Clock;
use crate::email_hash::EmailHash;
use crate::ids::Ids;

/// What happened; the name is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum AuditKind {
    /// An account was made.
    SignUp,
    /// A session was opened by password or by an ID token.
    SignIn,
    /// A password did not match, also one that was asked for again before a change.
    SignInFailed,
    /// The caller ended their own session.
    SignOut,
    /// Sessions were ended from the list.
    SessionRevoked,
    /// The password was changed by its holder.
    PasswordChanged,
    /// A recovery link was asked for.
    ResetRequested,
    /// The password was recovered.
    PasswordReset,
    /// The email was confirmed by its link.
    EmailConfirmed,
    /// Everything held about the account was handed out.
    DataExported,
    /// The account was deleted.
    AccountDeleted,
}

impl AuditKind {
    /// Every kind.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// The stored name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind of a stored name.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

/// Whom an event is about.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// An account.
    Account(String),
    /// Whoever has this email, if anybody; the hash stands for nobody's.
    Email { email: String, hash: String },
}

/// An event on its way into the database.
#[derive(Debug, Clone)]
pub(crate) struct AuditEvent {
    pub id: String,
    pub at: Timestamp,
    pub kind: AuditKind,
    pub subject: Subject,
    pub client_address: Option<String>,
    pub device: String,
    pub request_id: String,
}

/// Makes events.
#[derive(Clone)]
pub(crate) struct Audit {
    pub clock: Arc<dyn Clock>,
    pub ids: Ids,
    pub emails: EmailHash,
}

impl Audit {
    /// An event of an account.
    pub fn event(&self, kind: AuditKind, uid: &str, caller: &Caller) -> AuditEvent {
        self.about(kind, Subject::Account(uid.to_owned()), caller)
    }

    /// An event of an email as typed; whether it is an account's, the database knows.
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
            client_address: caller.client_address.clone(),
            device: device_label(caller.user_agent.as_deref()),
            request_id: caller.request_id.clone(),
        }
    }
}
