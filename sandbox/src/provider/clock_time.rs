//! The time of a transaction: the sandbox's, or that of the test clock of a customer.

use serde_json::Value;

use crate::objects::{Object, TestClock};
use crate::provider::{ApiError, Call, Params, load_param};
use crate::state::{Moment, Tx, text};

/// Limit of customers under one clock.
const MAX_CUSTOMERS: usize = 3;
/// Parameters that name an object of a customer.
const REFERENCES: [&str; 4] = ["customer", "subscription", "invoice", "test_clock"];

/// Moves the transaction to the time of a clock.
pub fn enter(tx: &mut Tx, clock: &TestClock) {
    tx.now = Moment::from_seconds(clock.frozen_time);
    tx.test_clock = Some(clock.id.clone());
}

/// Moves the transaction to the time of a customer, if a test clock keeps it.
pub async fn enter_clock_of(tx: &mut Tx, customer: Option<&str>) -> Result<(), sqlx::Error> {
    match customer {
        Some(id) if tx.test_clock.is_none() => {
            let customer = tx.find(id).await?.unwrap_or_default();
            enter_clock_of_customer(tx, &customer).await
        }
        _ => Ok(()),
    }
}

async fn enter_clock_of_customer(tx: &mut Tx, customer: &Value) -> Result<(), sqlx::Error> {
    if let Some(clock) = tx.load(text(customer, "test_clock")).await? {
        enter(tx, &clock);
    }
    Ok(())
}

/// Moves the transaction of a call to the time of the customer that the call names.
pub async fn enter_clock_of_call(tx: &mut Tx, call: &Call<'_>) -> Result<(), sqlx::Error> {
    if matches!(call.path.first(), Some(&("refunds" | "disputes" | "test_helpers" | "checkout"))) {
        return Ok(());
    }
    // The call itself reads these parameters or refuses them.
    let in_params = REFERENCES.iter().filter_map(|name| call.params.value.get(name)?.as_str());
    let ids: Vec<&str> = call.path.iter().skip(1).copied().take(1).chain(in_params).collect();
    for id in ids {
        let Some(document) = tx.find(id).await? else { continue };
        match text(&document, "object") {
            TestClock::KIND => {
                if let Some(clock) = tx.load(id).await? {
                    enter(tx, &clock);
                }
            }
            "customer" if tx.test_clock.is_none() => enter_clock_of_customer(tx, &document).await?,
            _ => enter_clock_of(tx, document["customer"].as_str()).await?,
        }
    }
    Ok(())
}

/// Refuses a customer under an unknown clock, and a fourth one under the same clock.
pub async fn check_customer(tx: &mut Tx, params: &Params) -> Result<(), ApiError> {
    let Some(id) = params.text("test_clock") else { return Ok(()) };
    load_param::<TestClock>(tx, id, "test_clock").await?;
    let count = tx.find_by("customer", "test_clock", id).await?.len();
    let message = "A test clock can have at most 3 customers.";
    ensure!(count < MAX_CUSTOMERS, ApiError::param("test_clock", message));
    Ok(())
}
