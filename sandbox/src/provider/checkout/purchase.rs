//! What the visitor does in the frame: pay a session with a card, or have a boleto issued.

use serde_json::{Value, json};

use crate::objects::payment_intent::PaymentIntent;
use crate::provider::billing::{collection, drafts, invoices, subscriptions};
use crate::provider::checkout::amounts::BOLETO_BOUNDS;
use crate::provider::checkout::discounts;
use crate::provider::checkout::discounts::DiscountOwner;
use crate::provider::error::ApiError;
use crate::provider::money::boleto::tax_id_is_valid;
use crate::provider::money::cards::{Card, Challenge, Verdict, first_charge};
use crate::provider::money::{intents, vouchers};
use crate::provider::params::Params;
use crate::provider::{Reply, customers, events, test_clocks};
use crate::state::store::{Tx, number, text};

/// What came of the card form.
pub enum CardOutcome {
    /// The session is complete and paid.
    Complete(Value),
    /// The bank wants the holder's consent first; nothing happened yet.
    Challenge,
}

/// Who pays by boleto.
#[derive(Clone, Debug)]
pub struct Payer {
    /// CPF or CNPJ.
    pub tax_id: String,
    /// Full name.
    pub name: String,
    /// `line1`, `city`, `state`, `postal_code`, `country`.
    pub address: Value,
}

/// Pays an open session with a card.
///
/// # Errors
/// 402 when the card is declined: then the session stays open, and the caller commits the failed
/// attempt. 400 when the session is not open.
pub async fn pay_with_card(
    tx: &mut Tx,
    session_id: &str,
    card: &Card,
    challenge: Challenge,
) -> Result<CardOutcome, ApiError> {
    let mut session = open_session(tx, session_id, "card").await?;
    match first_charge(&card.number, challenge) {
        Verdict::Challenge => return Ok(CardOutcome::Challenge),
        Verdict::Declined(why) => {
            record_decline(tx, &mut session, card, &why).await?;
            return Err(why);
        }
        Verdict::Paid => {}
    }
    let customer = customer_of(tx, &mut session, &card.name).await?;
    let method = intents::save_card(tx, &customer, card).await?;
    let (discount, off) = take_coupon(tx, &session).await?;
    let mut subscription = subscriptions::of_session(tx, &session, &method, discount.as_ref());
    let is_trial = subscription["trial_end"].is_i64();
    let first_discount = discount.clone().filter(|_| !is_trial).map(|doc| (doc, off));
    let mut invoice = drafts::draft(tx, &subscription, "subscription_create", first_discount).await?;
    subscription["latest_invoice"] = invoice["id"].clone();

    events::emit(tx, "payment_method.attached", &method, None).await?;
    tx.insert(&subscription).await?;
    events::emit(tx, "customer.subscription.created", &subscription, None).await?;
    let attempted = attempted_in(tx, &session).await?;
    let mut intent = invoices::finalize_with(tx, &mut invoice, attempted.clone()).await?;
    let before = subscription.clone();
    subscription["status"] = json!(if is_trial { "trialing" } else { "active" });
    if (!is_trial || tx.behavior.trial_uses_once_coupon) && is_once(tx, discount.as_ref()).await? {
        subscription["discounts"] = json!([]);
    }
    subscriptions::save(tx, &before, &subscription).await?;
    match (&mut intent, attempted) {
        (Some(intent), _) => collection::pay(tx, intent, &mut invoice, &method).await?,
        (None, attempted) => {
            invoices::mark_paid(tx, &mut invoice, false).await?;
            if let Some(attempted) = attempted {
                intents::cancel(tx, &attempted.id, "automatic").await?;
            }
        }
    }
    subscriptions::watch_period(tx, &subscription).await?;
    let payment_status = if intent.is_some() { "paid" } else { "no_payment_required" };
    complete(tx, &mut session, &subscription, &invoice, payment_status).await?;
    Ok(CardOutcome::Complete(session))
}

/// Records a declined attempt on the session's PaymentIntent, which the invoice takes over later.
async fn record_decline(
    tx: &mut Tx,
    session: &mut Value,
    card: &Card,
    why: &ApiError,
) -> Result<(), ApiError> {
    let amount = number(session, "amount_total");
    if amount == 0 {
        // A trial stores a card and charges nothing.
        return Ok(());
    }
    let customer = match session["customer"].as_str() {
        Some(id) => customers::live(tx, id, "customer").await?,
        None => Value::Null,
    };
    let mut method = intents::card_document(tx, &customer, card);
    method["customer"] = Value::Null;
    tx.insert(&method).await?;
    let mut intent = intent_of_attempts(tx, session, amount).await?;
    intents::decline(tx, &mut intent, &method, why).await
}

/// The PaymentIntent of a session's declined attempts; the first attempt creates it.
async fn intent_of_attempts(
    tx: &mut Tx,
    session: &mut Value,
    amount: i64,
) -> Result<PaymentIntent, ApiError> {
    if let Some(intent) = attempted_in(tx, session).await? {
        return Ok(intent);
    }
    let mut intent = intents::new_intent(tx, amount, text(session, "currency"), session["customer"].as_str());
    intent.session = Some(text(session, "id").to_owned());
    let document = tx.create(&intent).await?;
    events::emit(tx, "payment_intent.created", &document, None).await?;
    session["_intent"] = json!(intent.id);
    tx.update(session).await?;
    Ok(intent)
}

/// The PaymentIntent of a session's declined attempts.
async fn attempted_in(tx: &mut Tx, session: &Value) -> Result<Option<PaymentIntent>, ApiError> {
    match session["_intent"].as_str() {
        Some(id) => Ok(tx.load(id).await?),
        None => Ok(None),
    }
}

/// Issues the boleto of an open session; answers the session and the payment intent with the voucher.
///
/// # Errors
/// 402 with the field's code when the form is wrong; 400 when the session is not open.
pub async fn issue_boleto(
    tx: &mut Tx,
    session_id: &str,
    payer: &Payer,
) -> Result<(Value, PaymentIntent), ApiError> {
    let mut session = open_session(tx, session_id, "boleto").await?;
    check_payer(payer)?;
    let customer = customer_of(tx, &mut session, &payer.name).await?;
    let method = intents::save_boleto(tx, &customer, &payer.name, &payer.tax_id, &payer.address).await?;
    let (discount, off) = take_coupon(tx, &session).await?;
    let mut subscription = subscriptions::of_session(tx, &session, &method, discount.as_ref());
    if is_once(tx, discount.as_ref()).await? {
        subscription["discounts"] = json!([]);
    }
    let mut invoice =
        drafts::draft(tx, &subscription, "subscription_create", discount.map(|doc| (doc, off))).await?;
    if number(&invoice, "amount_due") < *BOLETO_BOUNDS.start() {
        let message = "O seu crédito cobre quase tudo: pague com cartão.";
        return Err(ApiError::declined("amount_too_small", None, message));
    }
    subscription["latest_invoice"] = invoice["id"].clone();
    tx.insert(&subscription).await?;
    events::emit(tx, "payment_method.attached", &method, None).await?;
    events::emit(tx, "customer.subscription.created", &subscription, None).await?;
    let attempted = attempted_in(tx, &session).await?;
    let intent = invoices::finalize_with(tx, &mut invoice, attempted)
        .await?
        .ok_or_else(|| ApiError::state(None, "There is nothing to pay."))?;
    let intent = vouchers::issue(tx, intent, &method, &subscription, Some(session_id)).await?;
    subscriptions::watch_period(tx, &subscription).await?;
    complete(tx, &mut session, &subscription, &invoice, "unpaid").await?;
    Ok((session, intent))
}

fn check_payer(payer: &Payer) -> Result<(), ApiError> {
    let refuse = |field: &str, message: &str| {
        let mut error = ApiError::declined("parameter_invalid", None, message);
        error.error["param"] = json!(field);
        Err(error)
    };
    if !tax_id_is_valid(&payer.tax_id) {
        return refuse("tax_id", "O CPF ou CNPJ não é válido. Confira os números.");
    }
    if payer.name.split_whitespace().count() < 2 {
        return refuse("name", "Digite o nome completo de quem paga.");
    }
    let part = |name: &str| text(&payer.address, name).trim();
    if part("line1").is_empty() {
        return refuse("line1", "Digite o endereço.");
    }
    if part("postal_code").chars().filter(char::is_ascii_digit).count() != 8 {
        return refuse("postal_code", "O CEP tem 8 números.");
    }
    if part("city").is_empty() {
        return refuse("city", "Digite a cidade.");
    }
    if !STATES.contains(&part("state")) {
        return refuse("state", "Escolha o estado.");
    }
    Ok(())
}

/// The states of Brazil.
pub const STATES: [&str; 27] = [
    "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI",
    "PR", "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO",
];

async fn open_session(tx: &mut Tx, id: &str, method: &str) -> Reply {
    let session = tx
        .find_kind("checkout.session", id)
        .await?
        .ok_or_else(|| ApiError::not_found("checkout.session", id, "id"))?;
    test_clocks::enter_clock_of(tx, &session).await?;
    match text(&session, "status") {
        "open" => {}
        "complete" => {
            return Err(ApiError::state(
                Some("checkout_session_complete"),
                "Este pagamento já foi concluído.",
            ));
        }
        _ => {
            return Err(ApiError::state(
                Some("checkout_session_expired"),
                "Esta sessão de pagamento expirou.",
            ));
        }
    }
    let offered =
        session["payment_method_types"].as_array().is_some_and(|all| all.iter().any(|m| m == method));
    if !offered {
        return Err(ApiError::state(
            Some("payment_method_not_available"),
            "Forma de pagamento não disponível.",
        ));
    }
    Ok(session)
}

/// The session's customer, made now when the session came without one.
async fn customer_of(tx: &mut Tx, session: &mut Value, name: &str) -> Reply {
    let mut customer = if let Some(id) = session["customer"].as_str() {
        customers::live(tx, id, "customer").await?
    } else {
        let made = json!({"email": session["customer_email"], "name": name});
        customers::create(tx, &Params(made)).await?
    };
    session["customer"] = customer["id"].clone();
    if customer["name"].is_null() {
        customer["name"] = json!(name);
        tx.update(&customer).await?;
    }
    Ok(customer)
}

/// Redeems the session's coupon; returns the discount and its amount.
async fn take_coupon(tx: &mut Tx, session: &Value) -> Result<(Option<Value>, i64), ApiError> {
    let Some(id) = session["_coupon"].as_str() else { return Ok((None, 0)) };
    let code = &session["discounts"][0]["promotion_code"];
    let owner = DiscountOwner {
        customer: session["customer"].clone(),
        checkout_session: session["id"].clone(),
        subscription: Value::Null,
    };
    let doc = discounts::redeem(tx, id, code.clone(), owner).await?;
    Ok((Some(doc), number(session, "_discount")))
}

async fn is_once(tx: &mut Tx, discount: Option<&Value>) -> Result<bool, ApiError> {
    let Some(discount) = discount else { return Ok(false) };
    let coupon = tx.find(text(&discount["source"], "coupon")).await?;
    Ok(coupon.is_none_or(|coupon| coupon["duration"] == "once"))
}

async fn complete(
    tx: &mut Tx,
    session: &mut Value,
    subscription: &Value,
    invoice: &Value,
    payment_status: &str,
) -> Result<(), ApiError> {
    session["status"] = json!("complete");
    session["payment_status"] = json!(payment_status);
    session["subscription"] = subscription["id"].clone();
    session["invoice"] = invoice["id"].clone();
    let email = invoice["customer_email"].clone();
    session["customer_details"] = json!({"address": null, "business_name": null, "email": email,
        "individual_name": null, "name": invoice["customer_name"], "phone": invoice["customer_phone"],
        "tax_exempt": "none", "tax_ids": []});
    tx.update(session).await?;
    tx.timers_clear(text(session, "id")).await?;
    events::emit(tx, "checkout.session.completed", session, None).await?;
    Ok(())
}
