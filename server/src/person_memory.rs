//! Records the benefits that a person gets once: the trial, the coupon of the first subscription,
//! and the first subscription itself.
//!
//! A person is recognized by the keyed hash of the email's canonical address, even after the
//! account was deleted. Anybody can sign up with a stranger's address, so what an account takes
//! before its address is confirmed or something is paid passes to an account of the same person
//! that confirms its own, and is forgotten when the account is deleted. If everything that it paid
//! was given back, the deletion keeps it, and it still passes: such a purchase costs nothing.

use garimpo_domain::{Email, Timestamp, Uid};

use crate::email_hash::EmailHash;
use crate::queue::JobKind;
use crate::store::{
    Account, Benefit, Invoice, NewJob, OwnerEvidence, Result, Tx, accounts, deletions, invoices, jobs,
    person_benefits, refunds,
};

/// A new account's person.
pub(crate) struct NewPerson {
    /// Hash of the person.
    pub(crate) person_hash: String,
    /// Whether the person had the trial under another account.
    pub(crate) had_trial: bool,
}

/// Gives a new account the trial unless its person had it.
pub(crate) async fn give_trial(tx: &mut Tx, email: &Email, uid: &Uid, now: Timestamp) -> Result<NewPerson> {
    let person_hash = EmailHash::in_tx(tx).await?.of_person(email);
    let holder = person_benefits::give(tx, &person_hash, Benefit::Trial, uid, now).await?;
    Ok(NewPerson { person_hash, had_trial: holder != *uid })
}

/// Notes that the owner of an account has its address, and gives it the benefits that other
/// accounts of the same person took: the trial of an unproven one, and every benefit of one whose
/// payments were given back.
pub(crate) async fn confirm(tx: &mut Tx, account: &Account, now: Timestamp) -> Result<()> {
    let (uid, person) = (&account.uid, &account.person_hash);
    accounts::mark_email_verified(tx, uid).await?;
    person_benefits::follow(tx, person, uid).await?;
    let holder = person_benefits::give(tx, person, Benefit::Trial, uid, now).await?;
    let yields =
        holder != *uid && (!is_proven(tx, person, &holder).await? || was_given_back(tx, &holder).await?);
    if yields {
        person_benefits::move_to(tx, person, Benefit::Trial, uid, now).await?;
        set_trial_used_before(tx, uid, false, now).await?;
        if accounts::by_uid(&mut *tx, &holder).await?.is_some() {
            set_trial_used_before(tx, &holder, true, now).await?;
        }
    }
    take_given_back(tx, person, uid, now).await
}

/// Gives a confirmed account the first subscription and its coupon, if an account had them that
/// never confirmed its address and got back everything that it paid.
pub(crate) async fn take_given_back(tx: &mut Tx, person_hash: &str, uid: &Uid, now: Timestamp) -> Result<()> {
    let payer = person_benefits::holder(tx, person_hash, Benefit::FirstSubscription).await?;
    let Some(payer) = payer.filter(|payer| payer != uid) else { return Ok(()) };
    if !was_given_back(tx, &payer).await? {
        return Ok(());
    }
    person_benefits::move_to(tx, person_hash, Benefit::FirstSubscription, uid, now).await?;
    let coupon = person_benefits::holder(tx, person_hash, Benefit::FirstCoupon).await?;
    if coupon.is_some_and(|holder| holder == payer) {
        person_benefits::move_to(tx, person_hash, Benefit::FirstCoupon, uid, now).await?;
    }
    Ok(())
}

/// Whether an account paid, never confirmed its address and got everything back.
async fn was_given_back(tx: &mut Tx, uid: &Uid) -> Result<bool> {
    let is_unconfirmed = match accounts::by_uid(&mut *tx, uid).await? {
        Some(account) => !account.email_verified,
        None => deletions::was_unconfirmed_deleted(tx, uid).await?,
    };
    if !is_unconfirmed {
        return Ok(false);
    }
    let refunds = refunds::by_uid(&mut *tx, uid).await?;
    let invoices = invoices::by_uid(&mut *tx, uid).await?;
    Ok(invoices.iter().any(Invoice::is_paid) && !invoices.iter().any(|invoice| invoice.is_kept(&refunds)))
}

/// Stores the corrected email of an account, whose person it changes. The trial moves to the new
/// person, unless another account has it there. Paid benefits move when the email is confirmed,
/// because anybody can correct an email to a stranger's.
pub(crate) async fn correct_email(
    tx: &mut Tx,
    account: &Account,
    email: &Email,
    now: Timestamp,
) -> Result<()> {
    let (uid, old) = (&account.uid, &account.person_hash);
    accounts::correct_email(tx, uid, email, now).await?;
    let NewPerson { person_hash: person, had_trial } = give_trial(tx, email, uid, now).await?;
    if person == *old {
        return Ok(());
    }
    person_benefits::set_person(tx, uid, &person).await?;
    person_benefits::give_up(tx, old, Benefit::Trial, uid).await?;
    if had_trial != account.trial_used_before {
        set_trial_used_before(tx, uid, had_trial, now).await?;
    }
    Ok(())
}

/// Stores whether the person of an account had the trial, and enqueues the change of its rights.
async fn set_trial_used_before(tx: &mut Tx, uid: &Uid, used_before: bool, now: Timestamp) -> Result<()> {
    accounts::set_trial_used_before(tx, uid, used_before).await?;
    jobs::reschedule(tx, NewJob::of_account(JobKind::RightsChange, uid, uid, now)).await
}

/// Whether an account of a person confirmed its address or paid. A deleted one did: others leave
/// nothing.
pub(crate) async fn is_proven(tx: &mut Tx, person_hash: &str, uid: &Uid) -> Result<bool> {
    let account = accounts::by_uid(&mut *tx, uid).await?;
    if account.is_none_or(|account| account.email_verified) {
        return Ok(true);
    }
    let payer = person_benefits::holder(tx, person_hash, Benefit::FirstSubscription).await?;
    Ok(payer.as_ref() == Some(uid))
}

/// Forgets what an account took, before it is deleted, unless it confirmed its address or paid.
pub(crate) async fn forget_unproven(tx: &mut Tx, account: &Account) -> Result<OwnerEvidence> {
    let proven = is_proven(tx, &account.person_hash, &account.uid).await?;
    if !proven {
        person_benefits::forget(tx, &account.uid).await?;
    }
    Ok(OwnerEvidence { confirmed: account.email_verified, proven })
}
