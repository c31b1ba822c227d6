//! What a visitor does in the frame: pays a session with a card, or has a boleto issued.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::objects::{
    Address, BillingDetails, CheckoutSession, Discount, Invoice, PaymentIntent, PaymentMethod, PaymentStatus,
    SessionDiscount, SessionStatus, Subscription,
};
use crate::provider::amounts::BOLETO_BOUNDS;
use crate::provider::billing::subscription_creation::{activate, begin};
use crate::provider::billing::subscriptions;
use crate::provider::billing::subscriptions::Order;
use crate::provider::checkout::sessions::customer_details;
use crate::provider::money::boleto::is_valid_tax_id;
use crate::provider::money::cards::{Card, Challenge, MAX_NAME, Verdict, first_charge};
use crate::provider::money::{intents, payment_methods, vouchers};
use crate::provider::{ApiError, clock_time, customers, discounts, events, load};
use crate::state::{Cause, Tx, World, text};

/// The payer of a boleto, as the form sends it.
#[derive(Clone, Debug, Deserialize)]
pub struct Payer {
    /// CPF or CNPJ.
    pub tax_id: String,
    pub name: String,
    #[serde(flatten)]
    pub address: Address,
}

/// Pays an open session with a card in a transaction of its own. Returns the complete session;
/// `None` when the bank wants the holder's consent first, and nothing is stored yet.
///
/// # Errors
/// 402 when the card is declined: then the session stays open, and the failed attempt is stored.
/// 400 when the session is not open.
pub async fn pay_with_card(
    world: &World,
    session_id: &str,
    card: &Card,
    challenge: Challenge,
) -> Result<Option<CheckoutSession>, ApiError> {
    let mut tx = world.write(Cause::default()).await?;
    let outcome = pay(&mut tx, session_id, card, challenge).await;
    if outcome.as_ref().err().is_none_or(|why| why.status == 402) {
        world.commit(tx).await?;
    }
    outcome
}

async fn pay(
    tx: &mut Tx,
    session_id: &str,
    card: &Card,
    challenge: Challenge,
) -> Result<Option<CheckoutSession>, ApiError> {
    let mut session = open_session(tx, session_id, "card").await?;
    match first_charge(&card.number, challenge) {
        Verdict::Challenge => return Ok(None),
        Verdict::Declined(why) => {
            record_decline(tx, &mut session, card, &why).await?;
            return Err(why);
        }
        Verdict::Paid => {}
    }
    let customer = customer_of(tx, &mut session, &card.name).await?;
    let method = payment_methods::save_card(tx, &customer, card).await?;
    let discount = redeem_coupon(tx, &session).await?;
    let mut subscription = subscription_of(tx, &session, &method, discount.as_ref());
    let is_trial = subscription.trial_end.is_some();
    let off = session.private.discount;
    let first = discount.clone().filter(|_| !is_trial).map(|discount| (discount, off));
    let attempted = attempted_in(tx, &session).await?;
    let (mut invoice, intent) = begin(tx, &mut subscription, first, Some(&method), attempted.clone()).await?;
    let is_due = intent.is_some();
    let before = subscription.clone();
    if (!is_trial || tx.behavior.trial_uses_once_coupon) && is_once(tx, discount.as_ref()).await? {
        subscription.discounts = Vec::new();
    }
    activate(tx, &before, &mut subscription, &method, &mut invoice, intent).await?;
    if let Some(attempted) = attempted.filter(|_| !is_due) {
        intents::cancel(tx, &attempted.id, "automatic").await?;
    }
    let payment_status = if is_due { PaymentStatus::Paid } else { PaymentStatus::NoPaymentRequired };
    complete(tx, &mut session, &subscription, &invoice, payment_status).await?;
    Ok(Some(session))
}

/// The subscription of a session.
fn subscription_of(
    tx: &Tx,
    session: &CheckoutSession,
    method: &PaymentMethod,
    discount: Option<&Discount>,
) -> Subscription {
    let recurring = session.private.line_items.iter().filter(|line| line.price["type"] == "recurring");
    let order = Order {
        customer: session.customer.clone().unwrap_or_default(),
        currency: session.currency.clone(),
        items: recurring.map(|line| (line.price.clone(), line.quantity)).collect(),
        payment_method: method.id.clone(),
        payment_method_types: session.payment_method_types.clone(),
        discount: discount.cloned(),
        trial_end: session.private.trial_end,
        metadata: session.private.subscription_metadata.clone(),
        boleto_days: session.private.boleto_days,
        return_url: session.return_url.clone(),
    };
    subscriptions::of_order(tx, order)
}

/// Records a declined attempt on the session's PaymentIntent, which the invoice takes over later.
async fn record_decline(
    tx: &mut Tx,
    session: &mut CheckoutSession,
    card: &Card,
    why: &ApiError,
) -> Result<(), ApiError> {
    if session.amount_total == 0 {
        // A trial stores a card and charges nothing.
        return Ok(());
    }
    let customer = match &session.customer {
        Some(id) => customers::live(tx, id, "customer").await?,
        None => Value::Null,
    };
    let method = PaymentMethod { customer: None, ..payment_methods::of_card(tx, &customer, card) };
    tx.insert(&method).await?;
    let mut intent = intent_of_attempts(tx, session).await?;
    intents::decline(tx, &mut intent, &method, why).await
}

/// The PaymentIntent of a session's declined attempts. The first attempt creates it.
async fn intent_of_attempts(tx: &mut Tx, session: &mut CheckoutSession) -> Result<PaymentIntent, ApiError> {
    if let Some(intent) = attempted_in(tx, session).await? {
        return Ok(intent);
    }
    let mut intent =
        intents::new_intent(tx, session.amount_total, &session.currency, session.customer.clone());
    intent.private.session = Some(session.id.clone());
    events::insert(tx, "payment_intent.created", &intent).await?;
    session.private.intent = Some(intent.id.clone());
    tx.update(session).await?;
    Ok(intent)
}

async fn attempted_in(tx: &mut Tx, session: &CheckoutSession) -> Result<Option<PaymentIntent>, ApiError> {
    Ok(tx.load(session.private.intent.as_deref().unwrap_or_default()).await?)
}

/// Issues the boleto of an open session. Returns the session and the PaymentIntent with the
/// voucher.
///
/// # Errors
/// 402 with the field's code when the form is wrong; 400 when the session is not open.
pub async fn issue_boleto(
    tx: &mut Tx,
    session_id: &str,
    mut payer: Payer,
) -> Result<(CheckoutSession, PaymentIntent), ApiError> {
    let mut session = open_session(tx, session_id, "boleto").await?;
    payer.name = payer.name.trim().chars().take(MAX_NAME).collect();
    check_payer(&payer)?;
    let customer = customer_of(tx, &mut session, &payer.name).await?;
    let details = BillingDetails {
        address: Some(Address { country: Some("BR".into()), ..payer.address }),
        email: customer["email"].as_str().map(str::to_owned),
        name: Some(payer.name),
        phone: None,
        tax_id: Some(payer.tax_id),
    };
    let method = payment_methods::save_boleto(tx, &customer, details).await?;
    let discount = redeem_coupon(tx, &session).await?;
    let mut subscription = subscription_of(tx, &session, &method, discount.as_ref());
    if is_once(tx, discount.as_ref()).await? {
        subscription.discounts = Vec::new();
    }
    let discount = discount.map(|discount| (discount, session.private.discount));
    let attempted = attempted_in(tx, &session).await?;
    let (invoice, intent) = begin(tx, &mut subscription, discount, Some(&method), attempted).await?;
    let message = "O seu crédito cobre quase tudo: pague com cartão.";
    let is_enough = invoice.amount_due >= *BOLETO_BOUNDS.start();
    ensure!(is_enough, ApiError::declined("amount_too_small", None, message));
    let intent = intent.ok_or_else(|| ApiError::state(None, "There is nothing to pay."))?;
    let intent = vouchers::issue(tx, intent, &method, &subscription, Some(session_id)).await?;
    complete(tx, &mut session, &subscription, &invoice, PaymentStatus::Unpaid).await?;
    Ok((session, intent))
}

fn check_payer(payer: &Payer) -> Result<(), ApiError> {
    let part = |part: Option<&String>| part.map(|part| part.trim().to_owned()).unwrap_or_default();
    let address = &payer.address;
    let postal_code = part(address.postal_code.as_ref());
    let wrong = if !is_valid_tax_id(&payer.tax_id) {
        ("tax_id", "O CPF ou CNPJ não é válido. Confira os números.")
    } else if payer.name.split_whitespace().count() < 2 {
        ("name", "Digite o nome completo de quem paga.")
    } else if part(address.line1.as_ref()).is_empty() {
        ("line1", "Digite o endereço.")
    } else if postal_code.chars().filter(char::is_ascii_digit).count() != 8 {
        ("postal_code", "O CEP tem 8 números.")
    } else if part(address.city.as_ref()).is_empty() {
        ("city", "Digite a cidade.")
    } else if !STATES.contains(&part(address.state.as_ref()).as_str()) {
        ("state", "Escolha o estado.")
    } else {
        return Ok(());
    };
    let mut error = ApiError::declined("parameter_invalid", None, wrong.1);
    error.error["param"] = json!(wrong.0);
    Err(error)
}

/// The states of Brazil.
pub const STATES: [&str; 27] = [
    "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI",
    "PR", "RJ", "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO",
];

async fn open_session(tx: &mut Tx, id: &str, method: &str) -> Result<CheckoutSession, ApiError> {
    let session: CheckoutSession = load(tx, id).await?;
    clock_time::enter_clock_of(tx, session.customer.as_deref()).await?;
    let (code, message) = match session.status {
        SessionStatus::Open if session.payment_method_types.iter().any(|offered| offered == method) => {
            return Ok(session);
        }
        SessionStatus::Open => ("payment_method_not_available", "Forma de pagamento não disponível."),
        SessionStatus::Complete => ("checkout_session_complete", "Este pagamento já foi concluído."),
        SessionStatus::Expired => ("checkout_session_expired", "Esta sessão de pagamento expirou."),
    };
    Err(ApiError::state(Some(code), message))
}

/// The session's customer, created now if the session has none.
async fn customer_of(tx: &mut Tx, session: &mut CheckoutSession, name: &str) -> Result<Value, ApiError> {
    let mut customer = if let Some(id) = &session.customer {
        customers::live(tx, id, "customer").await?
    } else {
        let fields = json!({"email": session.customer_email, "name": name});
        customers::create(tx, &fields.into()).await?
    };
    session.customer = Some(text(&customer, "id").to_owned());
    if customer["name"].is_null() {
        customer["name"] = json!(name);
        tx.update(&customer).await?;
    }
    Ok(customer)
}

async fn redeem_coupon(tx: &mut Tx, session: &CheckoutSession) -> Result<Option<Discount>, ApiError> {
    let Some(SessionDiscount { coupon, .. }) = session.discounts.first() else { return Ok(None) };
    let owner = json!({"customer": session.customer, "checkout_session": session.id});
    discounts::redeem(tx, coupon, owner).await.map(Some)
}

/// Whether the coupon of a discount has the duration `once`, or is deleted.
async fn is_once(tx: &mut Tx, discount: Option<&Discount>) -> Result<bool, ApiError> {
    let Some(discount) = discount else { return Ok(false) };
    let coupon = tx.find(&discount.source.coupon).await?;
    Ok(coupon.is_none_or(|coupon| coupon["duration"] == "once"))
}

async fn complete(
    tx: &mut Tx,
    session: &mut CheckoutSession,
    subscription: &Subscription,
    invoice: &Invoice,
    payment_status: PaymentStatus,
) -> Result<(), ApiError> {
    session.status = SessionStatus::Complete;
    session.payment_status = payment_status;
    session.subscription = Some(subscription.id.clone());
    session.invoice = Some(invoice.id.clone());
    session.customer_details = customer_details(
        invoice.customer_email.as_deref(),
        invoice.customer_name.as_deref(),
        invoice.customer_phone.as_deref(),
    );
    tx.update(session).await?;
    tx.clear_timers(&session.id).await?;
    Ok(events::emit(tx, "checkout.session.completed", session).await?)
}
