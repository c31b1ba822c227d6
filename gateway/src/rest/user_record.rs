//! The documented user object. Unknown values are null.

use super::values::{Email, Instant, PhoneDigits, SubscriptionStatus, Uid, UnixSeconds, Url};
use garimpo_proto::users::v1::User;
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UserRecord {
    uid: Uid,
    email: Email,
    #[schema(examples("Ana Maria Souza"))]
    display_name: String,
    email_verified: bool,
    #[schema(required)]
    phone_number: Option<PhoneDigits>,
    /// The same.
    #[schema(required)]
    phone: Option<PhoneDigits>,
    #[schema(required)]
    first_name: Option<String>,
    #[schema(required)]
    last_name: Option<String>,
    #[serde(rename = "photoURL")]
    #[schema(required)]
    photo_url: Option<Url>,
    #[schema(required)]
    created_at: Option<Instant>,
    /// Id of the plan; null also in the trial.
    #[serde(rename = "subscription_plan")]
    #[schema(required)]
    subscription_plan: Option<String>,
    /// True during paid access, false after it, null before the first payment.
    #[serde(rename = "subscription_active")]
    #[schema(required)]
    subscription_active: Option<bool>,
    #[serde(rename = "subscription_status")]
    #[schema(required)]
    subscription_status: Option<SubscriptionStatus>,
    #[serde(rename = "subscription_start")]
    #[schema(required)]
    subscription_start: Option<UnixSeconds>,
    #[serde(rename = "subscription_end")]
    #[schema(required)]
    subscription_end: Option<UnixSeconds>,
}

impl From<User> for UserRecord {
    fn from(user: User) -> Self {
        Self {
            uid: Uid(user.uid),
            email: Email(user.email),
            display_name: user.display_name,
            email_verified: user.email_verified,
            phone_number: user.phone_number.map(PhoneDigits),
            phone: user.phone.map(PhoneDigits),
            first_name: user.first_name,
            last_name: user.last_name,
            photo_url: user.photo_url.map(Url),
            created_at: user.created_at.and_then(Instant::new),
            subscription_plan: user.subscription_plan,
            subscription_active: user.subscription_active,
            subscription_status: user.subscription_status.map(SubscriptionStatus),
            subscription_start: user.subscription_start.map(UnixSeconds),
            subscription_end: user.subscription_end.map(UnixSeconds),
        }
    }
}
