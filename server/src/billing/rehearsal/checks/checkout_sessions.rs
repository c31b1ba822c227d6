//! Checkout sessions by the product's own call: their amounts with a coupon, and their payment
//! methods. They are not paid.

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{MONTHLY, MONTHLY_ODD, Result, SceneError, Tools, expected};
use crate::providers::stripe::rehearsal::MARK;
use crate::providers::stripe::{CheckoutOrder, CheckoutSession, Price, StripeError};
use garimpo_domain::Centavos;
use garimpo_domain::coupons::Discount;
use garimpo_domain::provider_status::CheckoutSessionStatus;

const PERCENT: u8 = 15;
const OFF: i64 = 749;

/// Opens a session as the product does, and expires it.
async fn open(tools: &Tools, price: &Price, coupon: Option<&str>, boleto: bool) -> Result<CheckoutSession> {
    let order = CheckoutOrder {
        customer: &tools.prices().await?.shopper.id,
        price: &price.id,
        coupon,
        boleto,
        trial_end: None,
        return_url: "https://example.com/",
        metadata: vec![(MARK, tools.run.clone())],
    };
    let session = tools.stripe.create_checkout(&order, &tools.key()).await?;
    tools.stripe.expire_checkout(&session.id).await?;
    Ok(session)
}

/// The discount of a coupon on a price of this amount.
async fn discount(tools: &Tools, price: &Price, amount: i64, coupon: &str) -> Result<i64> {
    let total = open(tools, price, Some(coupon), false).await?.amount_total;
    Ok(amount - expected(total, "a new session has no amount_total")?)
}

async fn coupon(tools: &Tools, discount: Discount) -> Result<String> {
    Ok(tools.stripe.create_rehearsal_coupon(discount, &tools.run, &tools.key()).await?)
}

pub async fn percent_rounds_half_up(tools: &Tools) -> Result<Outcome> {
    let prices = tools.prices().await?;
    let coupon = coupon(tools, Discount::Percent(PERCENT)).await?;
    // Exactly 748.5 and 751.5 centavos.
    let seen = (
        discount(tools, &prices.monthly, MONTHLY, &coupon).await?,
        discount(tools, &prices.monthly_odd, MONTHLY_ODD, &coupon).await?,
    );
    let rule = match seen {
        (748, 752) => "half to even",
        (748, 751) => "down",
        _ => "no rule that we know",
    };
    let report = format!("748.5 and 751.5 centavos became {} and {} ({rule})", seen.0, seen.1);
    Ok(Outcome::of(seen == (749, 752), report))
}

pub async fn amount_is_exact(tools: &Tools) -> Result<Outcome> {
    let coupon = coupon(tools, Discount::Amount(Centavos::new(OFF))).await?;
    let seen = discount(tools, &tools.prices().await?.monthly, MONTHLY, &coupon).await?;
    Ok(Outcome::of(seen == OFF, format!("a coupon of {OFF} centavos took {seen} off")))
}

pub async fn boleto_is_offered(tools: &Tools) -> Result<Outcome> {
    let session = match open(tools, &tools.prices().await?.monthly, None, true).await {
        Err(SceneError::Provider(StripeError::Refused { status: 400, code, message, .. })) => {
            return Ok(Outcome::differs(format!("the session was refused: {code} {message}")));
        }
        session => session?,
    };
    let offered = tools.stripe.get_checkout(&session.id).await?.payment_method_types;
    let holds = ["card", "boleto"].iter().all(|wanted| offered.iter().any(|method| method == wanted));
    Ok(Outcome::of(holds, format!("the session offers {offered:?}")))
}

pub async fn session_expires(tools: &Tools) -> Result<Outcome> {
    let session = open(tools, &tools.prices().await?.monthly, None, false).await?;
    let (before, after) = (session.status, tools.stripe.get_checkout(&session.id).await?.status);
    let seen = format!("a new session is {before}, after its expiry {after}");
    Ok(Outcome::of(before == CheckoutSessionStatus::Open && after == CheckoutSessionStatus::Expired, seen))
}
