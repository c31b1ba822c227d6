//! Ids as types of their own, so that arguments in the wrong order do not compile.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// Declares the types of ids. Only `new` makes an id of a text, where the text comes from: a
/// request, a row, a reply of a provider, or the generator of ids.
macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        $($(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        pub struct $name(String);

        impl $name {
            /// Makes the id of its text.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text, for a message of the wire.
            pub fn into_string(self) -> String {
                self.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        })*
    };
}

ids! {
    /// Our id of an account: `usr_…`.
    Uid,
    /// Our id of a session: `ses_…`.
    SessionId,
    /// Our id of a checkout: `chk_…`.
    CheckoutId,
    /// The provider's id of a checkout's session: `cs_…`.
    CheckoutSessionId,
    /// The provider's id of a subscription: `sub_…`.
    SubscriptionId,
    /// The provider's id of an invoice: `in_…`.
    InvoiceId,
    /// The provider's id of a customer: `cus_…`.
    CustomerId,
    /// The provider's id of an event: `evt_…`.
    EventId,
    /// The provider's id of a PaymentIntent: `pi_…`.
    PaymentIntentId,
}
