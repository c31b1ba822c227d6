//! The user object, with exactly the documented names; what is unknown is null.

use super::doc::{EMAIL, Field, Kind, UID};
use garimpo_proto::users::v1::User;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Its fields, as documented.
pub(crate) const FIELDS: &[Field] = &[
    UID,
    EMAIL,
    Field::required("displayName", Kind::Text).like("Ana Maria Souza"),
    Field::required("emailVerified", Kind::Boolean),
    Field::nullable("phoneNumber", Kind::PhoneDigits).like("11987654321"),
    Field::nullable("phone", Kind::PhoneDigits).means("The same."),
    Field::nullable("firstName", Kind::Text),
    Field::nullable("lastName", Kind::Text),
    Field::nullable("photoURL", Kind::Url),
    Field::nullable("createdAt", Kind::Instant),
    Field::nullable("subscription_plan", Kind::Text).means("Id of the plan; null also in the trial."),
    Field::nullable("subscription_active", Kind::Boolean)
        .means("True while paid access runs, false once it ended, null before a first payment."),
    Field::nullable("subscription_status", Kind::OneOf(STATUSES)),
    Field::nullable("subscription_start", Kind::Seconds),
    Field::nullable("subscription_end", Kind::Seconds),
];
const STATUSES: &[&str] = &["awaiting_payment", "trialing", "active", "past_due", "suspended", "canceled"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserRecord {
    uid: String,
    email: String,
    display_name: String,
    email_verified: bool,
    phone_number: Option<String>,
    phone: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    #[serde(rename = "photoURL")]
    photo_url: Option<String>,
    created_at: Option<String>,
    #[serde(rename = "subscription_plan")]
    subscription_plan: Option<String>,
    #[serde(rename = "subscription_active")]
    subscription_active: Option<bool>,
    #[serde(rename = "subscription_status")]
    subscription_status: Option<String>,
    #[serde(rename = "subscription_start")]
    subscription_start: Option<i64>,
    #[serde(rename = "subscription_end")]
    subscription_end: Option<i64>,
}

impl From<User> for UserRecord {
    fn from(user: User) -> Self {
        Self {
            uid: user.uid,
            email: user.email,
            display_name: user.display_name,
            email_verified: user.email_verified,
            phone_number: user.phone_number,
            phone: user.phone,
            first_name: user.first_name,
            last_name: user.last_name,
            photo_url: user.photo_url,
            created_at: user.created_at.and_then(rfc3339),
            subscription_plan: user.subscription_plan,
            subscription_active: user.subscription_active,
            subscription_status: user.subscription_status,
            subscription_start: user.subscription_start,
            subscription_end: user.subscription_end,
        }
    }
}

fn rfc3339(at: prost_types::Timestamp) -> Option<String> {
    let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?.format(&Rfc3339).ok()
}
