//! Emails that were stored before their domains had one form.

use garimpo_domain::Email;

use crate::store::{Result, Store, accounts, transaction};

/// Stores accented domains in ASCII, because every email is looked up so. An account whose email
/// another one has in that form keeps it.
pub(crate) async fn domains_to_ascii(store: &Store) -> Result<()> {
    for (uid, stored) in accounts::emails_beyond_ascii(store).await? {
        let Ok(email) = Email::parse(&stored) else { continue };
        if email.as_str() == stored {
            continue;
        }
        let changed =
            transaction!(store, (uid = uid.clone(), email), |tx| accounts::set_email(tx, uid, email).await);
        match changed {
            Err(error) if error.is_unique_violation() => {
                tracing::warn!(user.id = uid, "an account's email is another account's in ASCII: it stays");
            }
            changed => changed?,
        }
    }
    Ok(())
}
