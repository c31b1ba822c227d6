//! A coupon of the first subscription is for one account of a person.
//!
//! The checkout claims it, so that two accounts of one person cannot open a purchase with it at the same time. The claim
//! ends with the holder's open checkouts; from the first payment on, the person's first subscription refuses it.

use garimpo_domain::coupons::CouponRefusal;
use garimpo_domain::{Timestamp, catalog};

use crate::billing::catalog::wire::coupon_refused;
use crate::billing::ending::retire::superfluous_job;
use crate::error::Error;
use crate::person_memory::person_of_in_tx;
use crate::store::billing::checkouts::checkouts_begun_in_tx;
use crate::store::billing::subscriptions::Subscription;
use crate::store::identity::person_benefits::{
    Benefit, benefit_give_in_tx, benefit_holder_in_tx, benefit_move_in_tx,
};
use crate::store::{StoreError, Tx, identity::accounts::Account, jobs::job_insist_in_tx};

fn is_for_first_subscription(coupon_id: &str) -> bool {
    catalog().coupon(coupon_id).is_some_and(|coupon| coupon.first_subscription_only)
}

/// Claims a coupon of the first subscription for a checkout of this account; any other coupon needs no claim.
///
/// # Errors
/// COUPON_NOT_APPLICABLE when another account of the person has subscribed or holds the claim.
pub(crate) async fn first_coupon_claim_in_tx(
    tx: &mut Tx,
    account: &Account,
    coupon_id: &str,
    now: Timestamp,
) -> Result<(), Error> {
    if !is_for_first_subscription(coupon_id) {
        return Ok(());
    }
    let refused = || Err(coupon_refused(CouponRefusal::NotFirstSubscription));
    let Some(person) = person_of_in_tx(tx, account).await? else { return Ok(()) };
    let holder = benefit_give_in_tx(tx, &person, Benefit::FirstCoupon, &account.uid, now).await?;
    let first = benefit_holder_in_tx(tx, &person, Benefit::FirstSubscription).await?;
    if first.is_some_and(|uid| uid != account.uid) {
        return refused();
    }
    if holder == account.uid {
        return Ok(());
    }
    let begun = checkouts_begun_in_tx(tx, &holder).await?;
    if begun.iter().any(|checkout| is_for_first_subscription(&checkout.coupon_id)) {
        return refused();
    }
    Ok(benefit_move_in_tx(tx, &person, Benefit::FirstCoupon, &account.uid, now).await?)
}

/// Records the person's first subscription once it is paid, and closes another account's open checkouts with a coupon of
/// the first subscription.
pub(crate) async fn first_subscription_in_tx(
    tx: &mut Tx,
    account: &Account,
    before: &[Subscription],
    after: &[Subscription],
    now: Timestamp,
) -> Result<(), StoreError> {
    let is_new =
        |row: &&Subscription| row.counts_as_paid() && !before.iter().any(Subscription::counts_as_paid);
    if !after.iter().any(|row| is_new(&row)) {
        return Ok(());
    }
    let Some(person) = person_of_in_tx(tx, account).await? else { return Ok(()) };
    benefit_give_in_tx(tx, &person, Benefit::FirstSubscription, &account.uid, now).await?;
    let Some(holder) = benefit_holder_in_tx(tx, &person, Benefit::FirstCoupon).await? else { return Ok(()) };
    if holder == account.uid {
        return Ok(());
    }
    for checkout in checkouts_begun_in_tx(tx, &holder).await? {
        let Some(session_id) = &checkout.session_id else { continue };
        if is_for_first_subscription(&checkout.coupon_id) {
            job_insist_in_tx(tx, superfluous_job(&holder, &checkout.id, session_id, now)).await?;
        }
    }
    Ok(())
}
