//! Removes what rehearsals made: this one, and those that crashed.
//!
//! A test clock takes its customers and their subscriptions with it. Prices cannot be deleted, and so their product
//! cannot either: one product serves every rehearsal and is off sale between them. One rehearsal at a time runs on an
//! account, because it removes the objects of every other.

use std::time::Duration;

use crate::providers::stripe::rehearsal::MARK;
use crate::providers::stripe::{Stripe, StripeError};

/// An object that could not be removed.
#[derive(Debug, Clone)]
pub struct Leftover {
    /// What it is: its id, or the list in which it would have been found.
    pub object: String,
    /// Why.
    pub error: StripeError,
}

/// Removes every object that carries the mark, for at most this long; returns those that stay.
pub(super) async fn remove_within(limit: Duration, stripe: &Stripe) -> Vec<Leftover> {
    tokio::time::timeout(limit, remove_marked(stripe)).await.unwrap_or_else(|_| {
        let object = format!("what was not reached within {} s", limit.as_secs());
        let why = "the removal took too long, and the next rehearsal removes the rest".to_owned();
        let error = StripeError::Unavailable { why, status: None, retry_after: None };
        vec![Leftover { object, error }]
    })
}

/// Removes every object that carries the mark; returns those that stay.
pub(super) async fn remove_marked(stripe: &Stripe) -> Vec<Leftover> {
    let mut left = Left(Vec::new());
    for clock in left.found("test clocks", stripe.clocks_all().await) {
        if !clock.name.as_deref().is_some_and(|name| name.starts_with(MARK)) {
            continue;
        }
        for customer in left.found("customers", stripe.customers_of_clock(&clock.id).await) {
            // A session outlives its customer: somebody could still open its page.
            for session in left.found("checkout sessions", stripe.open_sessions_of(&customer.id).await) {
                left.gone(&session.id, stripe.checkout_expire(&session.id).await);
            }
        }
        left.gone(&clock.id, stripe.clock_delete(&clock.id).await);
    }
    for coupon in left.found("coupons", stripe.rehearsal_coupons().await) {
        left.gone(&coupon, stripe.coupon_delete(&coupon).await);
    }
    for price in left.found("prices", stripe.rehearsal_prices().await) {
        left.gone(&price.id, stripe.price_deactivate(&price.id).await);
    }
    if let Some(Some(product)) = left.read("products", stripe.product_get(MARK).await)
        && product.active
    {
        left.gone(MARK, stripe.rehearsal_product_deactivate().await);
    }
    left.0
}

struct Left(Vec<Leftover>);

impl Left {
    fn read<T>(&mut self, object: &str, read: Result<T, StripeError>) -> Option<T> {
        let error = match read {
            Ok(found) => return Some(found),
            Err(error) => error,
        };
        // A key that may not read these objects cannot have made them: writing includes reading.
        if !matches!(error, StripeError::Refused { status: 403, .. }) {
            self.0.push(Leftover { object: object.to_owned(), error });
        }
        None
    }

    fn found<T>(&mut self, object: &str, read: Result<Vec<T>, StripeError>) -> Vec<T> {
        self.read(object, read).unwrap_or_default()
    }

    fn gone(&mut self, object: &str, removed: Result<(), StripeError>) {
        self.read(object, removed);
    }
}
