//! Benefits that each person gets once. A person is the keyed hash of the canonical email.

use garimpo_domain::{Timestamp, Uid};
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Result, Store, Text as _, Tx, ro, row, text, tx};

/// A benefit that a person gets once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Benefit {
    /// The trial.
    Trial,
    /// A coupon of the first subscription, from the start of a checkout with it.
    FirstCoupon,
    /// The first subscription, from its first payment. Only it has the guarantee.
    FirstSubscription,
}

text!(Benefit);

row! {
    "person_benefits" by benefit;

    /// A benefit of an account.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct GivenBenefit {
        pub benefit: Benefit,
        pub given_at: Timestamp as given_at_us,
    }
}

/// Gives a benefit to an account unless the person has it. Returns the account that has it.
///
/// The row is locked until the transaction ends, so that only one of a person's accounts gets it.
pub async fn give(tx: &mut Tx, person_hash: &str, benefit: Benefit, uid: &Uid, at: Timestamp) -> Result<Uid> {
    tx!(tx, value
        "INSERT INTO person_benefits (person_hash, benefit, uid, given_at_us) VALUES ($1, $2, $3, $4)
         ON CONFLICT (person_hash, benefit) DO UPDATE SET uid = person_benefits.uid RETURNING uid",
        person_hash, benefit.text(), uid, at)
}

/// Moves a benefit to another account of the person.
pub async fn move_to(
    tx: &mut Tx,
    person_hash: &str,
    benefit: Benefit,
    uid: &Uid,
    at: Timestamp,
) -> Result<()> {
    tx!(tx, execute
        "UPDATE person_benefits SET uid = $3, given_at_us = $4 WHERE person_hash = $1 AND benefit = $2",
        person_hash, benefit.text(), uid, at)
}

/// Deletes the benefits of an account.
pub async fn forget(tx: &mut Tx, uid: &Uid) -> Result<()> {
    tx!(tx, execute "DELETE FROM person_benefits WHERE uid = $1", uid)
}

/// Moves the benefits of an account to its person, except kinds that this person has.
pub async fn follow(tx: &mut Tx, person_hash: &str, uid: &Uid) -> Result<()> {
    tx!(tx, execute "INSERT INTO person_benefits (person_hash, benefit, uid, given_at_us)
         SELECT $1, benefit, uid, given_at_us FROM person_benefits WHERE uid = $2 AND person_hash <> $1
         ON CONFLICT (person_hash, benefit) DO NOTHING", person_hash, uid)?;
    tx!(tx, execute "DELETE FROM person_benefits WHERE uid = $2 AND person_hash <> $1", person_hash, uid)
}

/// Deletes a benefit of an account.
pub async fn give_up(tx: &mut Tx, person_hash: &str, benefit: Benefit, uid: &Uid) -> Result<()> {
    tx!(tx, execute "DELETE FROM person_benefits WHERE person_hash = $1 AND benefit = $2 AND uid = $3",
        person_hash, benefit.text(), uid)
}

/// The account that has a benefit; `None` if the person does not have it.
pub async fn holder(tx: &mut Tx, person_hash: &str, benefit: Benefit) -> Result<Option<Uid>> {
    tx!(tx, first_value "SELECT uid FROM person_benefits WHERE person_hash = $1 AND benefit = $2",
        person_hash, benefit.text())
}

/// Stores the person of an account.
pub async fn set_person(tx: &mut Tx, uid: &Uid, person_hash: &str) -> Result<()> {
    tx!(tx, execute "UPDATE accounts SET person_hash = $2 WHERE uid = $1", uid, person_hash)
}

/// The benefits of an account.
pub async fn by_uid(store: &Store, uid: &Uid) -> Result<Vec<GivenBenefit>> {
    ro!(store, rows
        "SELECT benefit, given_at_us FROM person_benefits WHERE uid = $1 ORDER BY given_at_us, benefit", uid)
}
