//! Accounts, their sessions and credentials, and data about the person.

pub mod accounts;
pub mod audit_event;
pub mod audit_events;
pub mod consents;
pub mod deletions;
pub mod ended_tokens;
pub mod hash_keys;
pub mod limits;
pub mod mailed_codes;
pub mod service_tokens;
pub mod sessions;

pub use accounts::{Account, AccountRecord, NewAccount};
pub use audit_events::{AuditFilter, AuditRow};
pub use deletions::{Deletion, OwnerEvidence};
pub use limits::LimitCount;
pub use mailed_codes::{CodeUse, MailedCode};
pub use service_tokens::ServiceTokenRow;
pub use sessions::{AliveSince, Device, NewSession, SessionRow, TokenHash};
