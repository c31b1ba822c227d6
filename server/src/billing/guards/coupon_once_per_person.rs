//! Limits a coupon of the first subscription to one account per person.
//!
//! The checkout claims the coupon, so that two accounts of a person cannot open a purchase with it
//! at the same time. The claim ends with the holder's open checkouts, and that of an unconfirmed
//! account also when a confirmed one wants the coupon. After the first payment, the
//! coupon is refused because the person has subscribed.

use garimpo_domain::coupons::CouponRefusal;
use garimpo_domain::{Timestamp, Uid, catalog};

use crate::billing::catalog::wire::coupon_refused;
use crate::billing::jobs::retirement::checkout_expire_job;
use crate::error::Error;
use crate::person_memory::{is_proven, take_given_back};
use crate::store::{Account, Benefit, Checkout, Result, Subscription, Tx, checkouts, jobs, person_benefits};

fn is_for_first_subscription(coupon_id: Option<&str>) -> bool {
    coupon_id.and_then(|id| catalog().coupon(id)).is_some_and(|coupon| coupon.first_subscription_only)
}

/// Claims a coupon of the first subscription for a checkout of this account. Other coupons need no
/// claim.
///
/// # Errors
/// COUPON_NOT_APPLICABLE if another account of the person has subscribed or holds a claim that does
/// not yield.
pub(crate) async fn claim_first_coupon(
    tx: &mut Tx,
    account: &Account,
    coupon_id: Option<&str>,
    now: Timestamp,
) -> Result<(), Error> {
    if !is_for_first_subscription(coupon_id) {
        return Ok(());
    }
    let refused = || Err(coupon_refused(CouponRefusal::NotFirstSubscription));
    let person = &account.person_hash;
    let holder = person_benefits::give(tx, person, Benefit::FirstCoupon, &account.uid, now).await?;
    let first = person_benefits::holder(tx, person, Benefit::FirstSubscription).await?;
    if first.is_some_and(|uid| uid != account.uid) {
        return refused();
    }
    if holder == account.uid {
        return Ok(());
    }
    let begun = begun_checkouts(tx, &holder).await?;
    let is_stronger = account.email_verified && !is_proven(tx, person, &holder).await?;
    if !begun.is_empty() && !is_stronger {
        return refused();
    }
    expire(tx, &begun, now).await?;
    Ok(person_benefits::move_to(tx, person, Benefit::FirstCoupon, &account.uid, now).await?)
}

/// Records the person's first subscription after its payment, and closes open checkouts of the
/// person's other account with a coupon of the first subscription.
pub(crate) async fn record_first_subscription(
    tx: &mut Tx,
    account: &Account,
    before: &[Subscription],
    after: &[Subscription],
    now: Timestamp,
) -> Result<()> {
    let is_new = |row: &&Subscription| {
        row.is_counted_as_paid() && !before.iter().any(Subscription::is_counted_as_paid)
    };
    if !after.iter().any(|row| is_new(&row)) {
        return Ok(());
    }
    let person = &account.person_hash;
    if account.email_verified {
        take_given_back(tx, person, &account.uid, now).await?;
    }
    person_benefits::give(tx, person, Benefit::FirstSubscription, &account.uid, now).await?;
    let Some(holder) = person_benefits::holder(tx, person, Benefit::FirstCoupon).await? else {
        return Ok(());
    };
    if holder == account.uid {
        return Ok(());
    }
    let begun = begun_checkouts(tx, &holder).await?;
    expire(tx, &begun, now).await
}

/// The open checkouts of an account with a coupon of the first subscription.
async fn begun_checkouts(tx: &mut Tx, uid: &Uid) -> Result<Vec<Checkout>> {
    let mut begun = checkouts::begun(tx, uid).await?;
    begun.retain(|checkout| is_for_first_subscription(checkout.coupon_id.as_deref()));
    Ok(begun)
}

async fn expire(tx: &mut Tx, begun: &[Checkout], now: Timestamp) -> Result<()> {
    for job in begun.iter().filter_map(|checkout| checkout_expire_job(checkout, now)) {
        jobs::enqueue_or_revive(tx, job).await?;
    }
    Ok(())
}
