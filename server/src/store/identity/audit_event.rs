//! An event of the audit trail, as it is stored.

use garimpo_domain::{Timestamp, Uid};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Kind of an event. Its name is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum AuditKind {
    SignUp,
    /// A session was opened, by password or by an ID token.
    SignIn,
    /// A password did not match, at sign-in or when it was asked for before a change.
    SignInFailed,
    /// The caller ended their own session.
    SignOut,
    /// Sessions were ended from the list of devices.
    SessionRevoked,
    /// The password was changed by its holder.
    PasswordChanged,
    /// A recovery link was requested.
    ResetRequested,
    /// The password was recovered.
    PasswordReset,
    /// The email was confirmed by its link.
    EmailConfirmed,
    /// The email was corrected before it was confirmed.
    EmailCorrected,
    /// The account's data was exported.
    DataExported,
    AccountDeleted,
}

garimpo_domain::named!(AuditKind, parse, all);

/// The account that an event is about.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    Account(Uid),
    /// The account with this email; the hash is stored if there is none.
    Email {
        email: String,
        hash: String,
    },
}

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
