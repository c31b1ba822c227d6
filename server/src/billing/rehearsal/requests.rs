//! How the provider answers requests: keys, lists, and the account itself.

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::dunning::PAYS;
use crate::billing::rehearsal::stage::{MONTHLY, MONTHLY_ODD, SceneError, Stage};
use crate::providers::stripe::rehearsal::ObservedInvoicePayment;
use crate::providers::stripe::{AccountReading, StripeError};

/// No customer has this id.
const UNKNOWN: &str = "cus_GarimpoRehearsal";

/// One key gives one object, and refuses other parameters.
pub(super) async fn key_is_kept(stage: &Stage) -> Result<Outcome, SceneError> {
    // The product of the prices must exist.
    stage.prices().await?;
    let key = stage.key();
    let price = async |centavos| stage.stripe.rehearsal_price(centavos, 30, &stage.run, &key).await;
    let (first, second) = (price(MONTHLY).await?, price(MONTHLY).await?);
    let other = match price(MONTHLY_ODD).await {
        Ok(_) => "accepted".to_owned(),
        Err(StripeError::Refused { code, .. }) => code,
        // The provider answers a conflict of keys in some versions; it is not executed either.
        Err(StripeError::Unavailable { status: Some(409), .. }) => "409".to_owned(),
        Err(error) => return Err(error.into()),
    };
    Ok(Outcome::of(first.id == second.id && other != "accepted", || {
        let objects = if first.id == second.id { "one object" } else { "two objects" };
        format!("two equal calls under one key made {objects}, a third one with another amount was: {other}")
    }))
}

/// Lists of a customer that does not exist are empty.
pub(super) async fn unknown_customer_has_nothing(stage: &Stage) -> Result<Outcome, SceneError> {
    match stage.stripe.customer_state(UNKNOWN).await {
        Ok(state) => Ok(Outcome::of(state.subscriptions.is_empty() && state.invoices.is_empty(), || {
            "the lists of a customer that does not exist have objects".into()
        })),
        Err(StripeError::Refused { status: 400 | 404, code, .. }) => {
            Ok(Outcome::Differs { seen: format!("the lists were refused: {code}") })
        }
        Err(error) => Err(error.into()),
    }
}

/// A list of what a deleted customer had cannot expand the customer.
pub(super) async fn deleted_customer_cannot_be_expanded(stage: &Stage) -> Result<Outcome, SceneError> {
    let clock = stage.clock().await?;
    let customer = clock.customer("ensaio.exclusao@example.com").await?;
    let card = stage.card(PAYS, &customer).await?;
    stage.subscribe(&customer, &card).await?;
    stage.stripe.customer_delete(&customer.id).await?;
    match stage.stripe.customer_state(&customer.id).await {
        Ok(state) => {
            let count = state.subscriptions.len();
            Ok(Outcome::Differs { seen: format!("the list was returned, with {count} subscriptions") })
        }
        Err(error) if error.is_code("resource_missing") => {
            Ok(Outcome::Differs { seen: "the customer is missing: resource_missing".into() })
        }
        Err(StripeError::Refused { status: 400, .. }) => Ok(Outcome::Holds),
        Err(error) => Err(error.into()),
    }
}

/// The charge of a payment can be listed although its customer was deleted.
pub(super) async fn deleted_customers_payments_are_listed(stage: &Stage) -> Result<Outcome, SceneError> {
    let clock = stage.clock().await?;
    let customer = clock.customer("ensaio.apagado@example.com").await?;
    let card = stage.card(PAYS, &customer).await?;
    let started = stage.subscribe(&customer, &card).await?;
    let invoice = stage.newest_invoice(&started.id).await?;
    let payments = stage.stripe.invoice_payments(&invoice.id).await?;
    let Some(intent) = payments.iter().find_map(ObservedInvoicePayment::intent) else {
        return Ok(Outcome::nothing_to_see("the first invoice names no payment intent"));
    };
    stage.stripe.customer_delete(&customer.id).await?;
    match stage.stripe.charges_of_payment(intent).await {
        Ok(charges) => {
            Ok(Outcome::of(!charges.is_empty(), || "the list of the payment's charges is empty".into()))
        }
        Err(StripeError::Refused { status: 400 | 404, code, .. }) => {
            Ok(Outcome::Differs { seen: format!("the list of the payment's charges was refused: {code}") })
        }
        Err(error) => Err(error.into()),
    }
}

/// The key reads the account that it belongs to.
pub(super) async fn key_reads_its_account(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = match stage.stripe.account_reading().await? {
        AccountReading::Read(_) => return Ok(Outcome::Holds),
        AccountReading::Named(id) => format!("the account was refused, and the refusal names {id}"),
        AccountReading::Refused => "the account was refused without its id: a product marks it".into(),
    };
    Ok(Outcome::Differs { seen })
}

/// The key is of the account that the database belongs to.
pub(super) async fn key_is_of_the_stored_account(stage: &Stage) -> Result<Outcome, SceneError> {
    let stored = match &stage.stored_account {
        Ok(stored) => stored,
        Err(why) => return Ok(Outcome::nothing_to_see(why.clone())),
    };
    let found = match stage.stripe.account_reading().await? {
        AccountReading::Read(id) | AccountReading::Named(id) => id,
        AccountReading::Refused => {
            return Ok(Outcome::nothing_to_see("the key cannot read the id of its account"));
        }
    };
    Ok(Outcome::of(found == *stored, || format!("the key is of {found}, the database belongs to {stored}")))
}

/// Lists without a filter leave out what belongs to test clocks, and filtered ones have it.
pub(super) async fn lists_leave_out_test_clocks(stage: &Stage) -> Result<Outcome, SceneError> {
    let clock = stage.clock().await?;
    let customer = clock.customer("ensaio.listas@example.com").await?;
    let card = stage.card(PAYS, &customer).await?;
    let started = stage.subscribe(&customer, &card).await?;
    let listed = stage.stripe.subscriptions_first_page().await?;
    let filtered = stage.stripe.customer_state(&customer.id).await?.subscriptions;
    let is_listed = listed.iter().any(|subscription| subscription.id == started.id);
    let is_filtered = filtered.iter().any(|subscription| subscription.id == started.id);
    Ok(Outcome::of(!is_listed && is_filtered, || {
        let has = |has: bool| if has { "has it" } else { "lacks it" };
        format!(
            "a subscription of a test clock: the list of all {}, that of its customer {}",
            has(is_listed),
            has(is_filtered)
        )
    }))
}
