//! Requests: idempotency keys, lists, and the account of the key.

use garimpo_domain::{CustomerId, InvoiceId};

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{MONTHLY, MONTHLY_ODD, PAYS, Result, Tools, accepted};
use crate::providers::stripe::{AccountReading, Charge, Invoice, InvoicePayment, PaymentIntent, StripeError};

/// No customer has this id.
const UNKNOWN: &str = "cus_GarimpoRehearsal";

pub async fn key_is_kept(tools: &Tools) -> Result<Outcome> {
    // The product of the prices must exist.
    tools.prices().await?;
    let key = tools.key();
    let price = async |centavos| tools.stripe.create_rehearsal_price(centavos, 30, &tools.run, &key).await;
    let is_one = price(MONTHLY).await?.id == price(MONTHLY).await?.id;
    let other = match price(MONTHLY_ODD).await {
        Ok(_) => "accepted".to_owned(),
        Err(StripeError::Refused { code, .. }) => code,
        // Some API versions return a conflict of keys; it is not executed either.
        Err(StripeError::Unavailable { status: Some(409), .. }) => "409".to_owned(),
        Err(error) => return Err(error.into()),
    };
    let objects = if is_one { "one object" } else { "two objects" };
    let seen =
        format!("two equal calls under one key made {objects}, a third one with another amount was: {other}");
    Ok(Outcome::of(is_one && other != "accepted", seen))
}

pub async fn unknown_customer_has_nothing(tools: &Tools) -> Result<Outcome> {
    // An invoice that is not there makes the client list invoices, too.
    let (customer, invoice) = (CustomerId::new(UNKNOWN), InvoiceId::new(UNKNOWN));
    let read = tools.stripe.read_customer_state(&customer, &[&invoice]).await;
    Ok(match accepted(read, &[400, 404])? {
        Ok(state) => Outcome::of(
            state.subscriptions.is_empty() && state.invoices.is_empty(),
            "the lists of a customer that does not exist have objects",
        ),
        Err(code) => Outcome::differs(format!("the lists were refused: {code}")),
    })
}

pub async fn deleted_customer_cannot_be_expanded(tools: &Tools) -> Result<Outcome> {
    let customer = tools.clock().await?.subscriber("ensaio.exclusao@example.com", PAYS).await?.customer.id;
    tools.stripe.delete_customer(&customer).await?;
    match tools.stripe.read_customer_state(&customer, &[]).await {
        Ok(state) => {
            let count = state.subscriptions.len();
            Ok(Outcome::differs(format!("the list was returned, with {count} subscriptions")))
        }
        Err(error) if error.is_code("resource_missing") => {
            Ok(Outcome::differs("the customer is missing: resource_missing"))
        }
        Err(StripeError::Refused { status: 400, .. }) => Ok(Outcome::Holds),
        Err(error) => Err(error.into()),
    }
}

pub async fn deleted_customers_payments_are_listed(tools: &Tools) -> Result<Outcome> {
    let started = tools.clock().await?.subscriber("ensaio.apagado@example.com", PAYS).await?;
    let invoice = tools.newest_invoice(&started.subscription).await?;
    let payments = tools.stripe.invoice_payments(&invoice.id).await?;
    let Some(intent) = payments.iter().find_map(InvoicePayment::intent) else {
        return Ok(Outcome::nothing_to_see("the first invoice names no payment intent"));
    };
    tools.stripe.delete_customer(&started.customer.id).await?;
    Ok(match accepted(tools.stripe.charges_of_payment(intent).await, &[400, 404])? {
        Ok(charges) => Outcome::of(!charges.is_empty(), "the list of the payment's charges is empty"),
        Err(code) => Outcome::differs(format!("the list of the payment's charges was refused: {code}")),
    })
}

pub async fn purchase_is_listed_in_two_calls(tools: &Tools) -> Result<Outcome> {
    let started = tools.clock().await?.subscriber("ensaio.compra@example.com", PAYS).await?;
    let state = tools.stripe.read_customer_state(&started.customer.id, &[]).await?;
    let invoice = state.invoices.first().and_then(Invoice::payment_intent);
    let payment = state.payments.first();
    let is_paid = payment.and_then(PaymentIntent::latest_charge).is_some_and(Charge::has_succeeded);
    let is_one = state.invoices.len() == 1 && state.payments.len() == 1;
    let (invoices, payments) = (state.invoices.len(), state.payments.len());
    let seen =
        format!("{invoices} invoices name {invoice:?}; {payments} payments, newest charge paid: {is_paid}");
    Ok(Outcome::of(is_one && is_paid && payment.map(|payment| &payment.id) == invoice, seen))
}

pub async fn key_reads_its_account(tools: &Tools) -> Result<Outcome> {
    Ok(match tools.stripe.read_account().await? {
        AccountReading::Read(_) => Outcome::Holds,
        AccountReading::Named(id) => {
            Outcome::differs(format!("the account was refused, and the refusal names {id}"))
        }
        AccountReading::Refused => {
            Outcome::differs("the account was refused without its id: a product marks it")
        }
    })
}

pub async fn key_is_of_the_stored_account(tools: &Tools) -> Result<Outcome> {
    let stored = match &tools.setting.stored_account {
        Ok(stored) => stored,
        Err(why) => return Ok(Outcome::nothing_to_see(why)),
    };
    Ok(match tools.stripe.read_account().await? {
        AccountReading::Read(found) | AccountReading::Named(found) => {
            Outcome::of(found == *stored, format!("the key is of {found}, the database belongs to {stored}"))
        }
        AccountReading::Refused => Outcome::nothing_to_see("the key cannot read the id of its account"),
    })
}

pub async fn lists_leave_out_test_clocks(tools: &Tools) -> Result<Outcome> {
    let started = tools.clock().await?.subscriber("ensaio.listas@example.com", PAYS).await?;
    let all = tools.stripe.list_subscriptions_page("").await?.data;
    let filtered = tools.stripe.read_customer_state(&started.customer.id, &[]).await?.subscriptions;
    let [in_all, in_filtered] =
        [all, filtered].map(|list| list.iter().any(|found| found.id == started.subscription.id));
    let has = |has: bool| if has { "has it" } else { "lacks it" };
    let seen = format!(
        "a subscription of a test clock: the list of all {}, that of its customer {}",
        has(in_all),
        has(in_filtered)
    );
    Ok(Outcome::of(!in_all && in_filtered, seen))
}
