//! Limits the mails to unconfirmed addresses. Without a limit anybody could send mails to another
//! person: sign up with that person's address, delete the account, and repeat.

use std::sync::Arc;

use garimpo_domain::guarantee::has_guarantee;
use garimpo_domain::{CanonicalAddress, Centavos, Email, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::clock::Clock;
use crate::measures::count_limited;
use crate::store::{
    Account, Invoice, Refund, Result, Store, StoreError, Tx, invoices, limits, refunds, transaction,
};

/// Limits for an address that neither a confirmation nor a kept payment shows to be the account's
/// own.
#[derive(Debug, Clone, Copy)]
pub struct MailLimits {
    /// Mails per address and hour.
    pub per_hour: u32,
    /// Mails per address and day.
    pub per_day: u32,
    /// Mails per hour that confirm an address, to all addresses together. Beyond it they wait.
    pub confirmations_per_hour: u32,
}

impl Default for MailLimits {
    fn default() -> Self {
        Self { per_hour: 5, per_day: 20, confirmations_per_hour: 1_000 }
    }
}

/// The recipient of a mail.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Addressee {
    pub email: String,
    /// Full name; `None` while the address may be a stranger's, whom the name would mislead.
    pub name: Option<String>,
}

impl Addressee {
    fn of(account: &Account, invoices: &[Invoice]) -> Self {
        let name = is_known(account, invoices).then(|| account.display_name.clone());
        Self { email: account.email.clone().into(), name }
    }

    /// The holder of an account, who confirmed the address or paid at it.
    pub fn known(account: &Account) -> Self {
        Self { email: account.email.clone().into(), name: Some(account.display_name.clone()) }
    }
}

/// Whether the address is the account's own: it was confirmed, or something was paid at it. A
/// stranger is not greeted with a name that somebody else typed, and gets no last mail.
pub(crate) fn is_known(account: &Account, invoices: &[Invoice]) -> bool {
    account.email_verified || has_paid_at_address(account, invoices)
}

/// Whether something was paid while the account had its present address.
pub(crate) fn has_paid_at_address(account: &Account, invoices: &[Invoice]) -> bool {
    invoices.iter().any(|invoice| {
        invoice.is_paid()
            && invoice.amount_due_centavos > Centavos::ZERO
            && invoice.paid_at.is_some_and(|paid_at| is_of_address(account, paid_at))
    })
}

/// Whether the account had its present address at an instant. A payment before the email was
/// corrected shows nothing about the new address, which may be a stranger's.
fn is_of_address(account: &Account, at: Timestamp) -> bool {
    account.email_corrected_at.is_none_or(|corrected_at| at > corrected_at)
}

/// Whether mails to the account have no limit: it confirmed its address, or a payment can no longer
/// be refunded by the guarantee. A refunded payment would lift the limit at no cost.
fn is_unlimited(account: &Account, invoices: &[Invoice], refunds: &[Refund], now: Timestamp) -> bool {
    account.email_verified
        || invoices.iter().any(|invoice| {
            let is_firm = |paid_at| is_of_address(account, paid_at) && !has_guarantee(paid_at, now);
            invoice.is_kept(refunds) && invoice.paid_at.is_some_and(is_firm)
        })
}

/// Counts mails by the address that they are sent to. The counters outlive accounts.
#[derive(Clone)]
pub(crate) struct Recipients {
    store: Store,
    clock: Arc<dyn Clock>,
    limits: MailLimits,
}

/// A permit to send one mail, with the keys of its counters.
#[derive(Debug)]
pub(crate) struct Permit {
    to: Addressee,
    counters: Vec<String>,
}

impl Permit {
    pub fn uncounted(to: Addressee) -> Self {
        Self { to, counters: Vec::new() }
    }

    pub fn to(&self) -> &Addressee {
        &self.to
    }

    /// Whether the address may be a stranger's, so that the mail is counted.
    pub fn is_limited(&self) -> bool {
        !self.counters.is_empty()
    }
}

impl Recipients {
    pub fn new(store: Store, clock: Arc<dyn Clock>, limits: MailLimits) -> Self {
        Self { store, clock, limits }
    }

    /// Counts a mail before it is sent; `None` beyond the limits. A crash between the two has
    /// counted a mail that was not sent.
    pub async fn permit(&self, account: &Account) -> Result<Option<Permit>> {
        let (address, now) = (address_hash(&account.email), self.clock.now());
        let invoices = invoices::by_uid(&self.store, &account.uid).await?;
        let refunds = refunds::by_uid(&self.store, &account.uid).await?;
        let to = Addressee::of(account, &invoices);
        if is_unlimited(account, &invoices, &refunds, now) {
            return Ok(Some(Permit::uncounted(to)));
        }
        let MailLimits { per_hour, per_day, .. } = self.limits;
        let counters = [("day", per_day, 24), ("hour", per_hour, 1)].map(|(name, allowed, hours)| {
            (format!("mail.{name}:{address}"), i64::from(allowed), now.plus_hours(hours))
        });
        transaction!(self.store, (to, counters), |tx| {
            let mut permit = Permit::uncounted(to.clone());
            for (key, allowed, ends_at) in counters {
                permit.counters.push(key.clone());
                if limits::add_attempt(tx, key, *ends_at, now).await?.taken > *allowed {
                    remove_attempts(tx, &permit.counters).await?;
                    return Ok(None);
                }
            }
            Ok(Some(permit))
        })
    }

    /// Counts a permitted mail that confirms an address; beyond the limit of all addresses together
    /// it counts nothing and returns when the mail may be tried again. Complaints about such mails
    /// cost the sender's reputation, and with it the mails of every subscriber.
    pub async fn confirmation_waits_until(&self, permit: &mut Permit) -> Result<Option<Timestamp>> {
        const KEY: &str = "mail.confirmations";
        let (allowed, now) = (i64::from(self.limits.confirmations_per_hour), self.clock.now());
        let waits = transaction!(self.store, |tx| {
            let count = limits::add_attempt(tx, KEY, now.plus_hours(1), now).await?;
            if count.taken <= allowed {
                return Ok(None);
            }
            limits::remove_attempt(tx, KEY).await?;
            Ok::<_, StoreError>(Some(count.ends_at))
        })?;
        match waits {
            Some(_) => count_limited("confirmations", "total"),
            None => permit.counters.push(KEY.to_owned()),
        }
        Ok(waits)
    }

    /// Uncounts a mail that was not sent.
    pub async fn give_back(&self, permit: Permit) -> Result<()> {
        let Permit { counters, .. } = permit;
        if counters.is_empty() {
            return Ok(());
        }
        transaction!(self.store, (counters), |tx| remove_attempts(tx, counters).await)
    }
}

/// Counts the last mail of a kind to an address in the transaction that causes it; false beyond one
/// an hour. A purchase that is given back makes an address a payer's at no cost, again and again.
/// The counter is its own, so that mails to a stranger's account of the address do not use it up.
pub(super) async fn count_last_mail(tx: &mut Tx, kind: &str, email: &Email, now: Timestamp) -> Result<bool> {
    let key = format!("mail.{kind}:{}", address_hash(email));
    Ok(limits::add_attempt(tx, &key, now.plus_hours(1), now).await?.taken <= 1)
}

async fn remove_attempts(tx: &mut Tx, counters: &[String]) -> Result<()> {
    for key in counters {
        limits::remove_attempt(tx, key).await?;
    }
    Ok(())
}

/// The hash of a mailbox: all spellings of an address that reach it count together.
fn address_hash(email: &Email) -> String {
    hex::encode(Sha256::digest(CanonicalAddress::of(email).as_str()))
}

#[cfg(test)]
mod tests;
