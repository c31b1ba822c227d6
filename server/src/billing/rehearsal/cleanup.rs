//! Removes the objects of rehearsals: of this one, and of earlier ones that crashed.
//!
//! Deleting a test clock deletes its customers and their subscriptions. Prices cannot be deleted,
//! and therefore their product cannot either: one product serves every rehearsal and is off sale
//! between them. One rehearsal at a time runs on an account, because it removes the objects of
//! every other.

use std::time::Duration;

use crate::providers::stripe::rehearsal::MARK;
use crate::providers::stripe::{Stripe, StripeError};

/// An object that could not be removed.
#[derive(Debug, Clone)]
pub struct Leftover {
    /// Its id, or the list that could not be read.
    pub object: String,
    /// Why it was not removed.
    pub error: StripeError,
}

/// Removes every marked object within a time limit and returns the ones that stay.
pub(super) async fn remove_within(limit: Duration, stripe: &Stripe) -> Vec<Leftover> {
    tokio::time::timeout(limit, remove_marked(stripe)).await.unwrap_or_else(|_| {
        let object = format!("what was not reached within {} s", limit.as_secs());
        let error =
            StripeError::unavailable("the removal took too long, and the next rehearsal removes the rest");
        vec![Leftover { object, error }]
    })
}

/// Removes every marked object and returns the ones that stay.
pub(super) async fn remove_marked(stripe: &Stripe) -> Vec<Leftover> {
    let mut left = Left(Vec::new());
    for clock in left.list("test clocks", stripe.list_clocks().await) {
        if !clock.name.as_deref().is_some_and(|name| name.starts_with(MARK)) {
            continue;
        }
        for customer in left.list("customers", stripe.customers_of_clock(&clock.id).await) {
            // A session outlives its customer: its page could still be opened.
            for session in left.list("checkout sessions", stripe.open_sessions_of(&customer.id).await) {
                left.result(&session.id, stripe.expire_checkout(&session.id).await);
            }
        }
        left.result(&clock.id, stripe.delete_clock(&clock.id).await);
    }
    for coupon in left.list("coupons", stripe.list_coupons().await) {
        if coupon.metadata.contains_key(MARK) {
            left.result(&coupon.id, stripe.delete_coupon(&coupon.id).await);
        }
    }
    for price in left.list("prices", stripe.list_rehearsal_prices().await) {
        left.result(&price.id, stripe.deactivate_price(&price.id).await);
    }
    if let Some(Some(product)) = left.result("products", stripe.get_product(MARK).await)
        && product.active
    {
        left.result(MARK, stripe.deactivate_rehearsal_product().await);
    }
    left.0
}

struct Left(Vec<Leftover>);

impl Left {
    fn result<T>(&mut self, object: &str, result: Result<T, StripeError>) -> Option<T> {
        let error = match result {
            Ok(found) => return Some(found),
            Err(error) => error,
        };
        // A key that may not read these objects cannot have created them: writing includes reading.
        if !matches!(error, StripeError::Refused { status: 403, .. }) {
            self.0.push(Leftover { object: object.to_owned(), error });
        }
        None
    }

    fn list<T>(&mut self, object: &str, result: Result<Vec<T>, StripeError>) -> Vec<T> {
        self.result(object, result).unwrap_or_default()
    }
}
