//! Payment methods: saved, attached to a customer and detached.

use crate::objects::{BillingDetails, MethodKind, PaymentMethod, PrivateCard, template};
use crate::provider::money::cards;
use crate::provider::money::cards::Card;
use crate::provider::{ApiError, Params, Reply, customers, events, load};
use crate::state::{Document, Tx, ids};
use serde_json::{Value, json};

/// A new method of a customer (a document, or null), not stored.
fn new_method(tx: &Tx, kind: MethodKind, customer: &Value, billing_details: BillingDetails) -> PaymentMethod {
    PaymentMethod {
        id: ids::new("pm"),
        billing_details,
        customer: customer["id"].as_str().map(str::to_owned),
        kind,
        ..template("payment_method", json!({"created": tx.now.seconds()}))
    }
}

/// The payment method of a card, not stored.
pub fn of_card(tx: &Tx, customer: &Value, card: &Card) -> PaymentMethod {
    let email = customer["email"].as_str().map(str::to_owned);
    let details = BillingDetails { email, name: Some(card.name.clone()), ..BillingDetails::default() };
    let given = json!({
        "brand": card.brand(), "display_brand": card.brand(), "exp_month": card.exp_month,
        "exp_year": card.exp_year, "fingerprint": ids::random(16), "last4": card.last4(),
        "networks": {"available": [card.brand()]},
    });
    PaymentMethod {
        card: Some(template("payment_method.card", given)),
        private: PrivateCard { number: card.number.clone() },
        ..new_method(tx, MethodKind::Card, customer, details)
    }
}

pub async fn save_card(tx: &mut Tx, customer: &Value, card: &Card) -> Result<PaymentMethod, ApiError> {
    let method = of_card(tx, customer, card);
    tx.insert(&method).await?;
    Ok(method)
}

/// Saves the payer of a boleto.
pub async fn save_boleto(
    tx: &mut Tx,
    customer: &Value,
    payer: BillingDetails,
) -> Result<PaymentMethod, ApiError> {
    let boleto = Some(json!({"tax_id": payer.tax_id}));
    let method = PaymentMethod { boleto, ..new_method(tx, MethodKind::Boleto, customer, payer) };
    tx.insert(&method).await?;
    Ok(method)
}

/// `POST /v1/payment_methods`: a boleto method without a customer. Card numbers are typed on a page
/// alone.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    let message = "The sandbox makes payment methods of type boleto alone. Attach a test card by its name.";
    ensure!(params.required("type")? == "boleto", ApiError::value_not_played("type", message));
    let payer = BillingDetails {
        address: params.at("billing_details.address").cloned().map(serde_json::from_value).transpose()?,
        email: params.text("billing_details.email").map(str::to_owned),
        name: Some(params.required("billing_details.name")?.to_owned()),
        phone: None,
        tax_id: Some(params.required("boleto.tax_id")?.to_owned()),
    };
    let mut method = save_boleto(tx, &Value::Null, payer).await?;
    method.rest.insert("metadata".into(), json!(params.metadata_of(&Value::Null)));
    tx.update(&method).await?;
    Ok(method.document())
}

/// `POST /v1/payment_methods/{id}/attach`: a saved method, or a test card by the provider's name
/// for it.
pub async fn attach(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let customer = customers::live(tx, params.required("customer")?, "customer").await?;
    let method = if let Some(number) = cards::of_token(id) {
        save_card(tx, &customer, &Card::of_number(number, tx.now)?).await?
    } else {
        let mut method: PaymentMethod = load(tx, id).await?;
        method.customer = customer["id"].as_str().map(str::to_owned);
        tx.update(&method).await?;
        method
    };
    events::emit(tx, "payment_method.attached", &method).await?;
    Ok(method.document())
}

/// `POST /v1/payment_methods/{id}/detach`: its customer can no longer be charged on it.
pub async fn detach(tx: &mut Tx, id: &str) -> Reply {
    let before: PaymentMethod = load(tx, id).await?;
    let message =
        "The payment method you provided is not attached to a customer so detachment is impossible.";
    ensure!(before.customer.is_some(), ApiError::state(None, message));
    let after = PaymentMethod { customer: None, ..before.clone() };
    events::update(tx, "payment_method.detached", &before, &after).await?;
    Ok(after.document())
}
