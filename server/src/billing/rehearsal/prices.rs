//! Checkout sessions by the product's own call: what they cost with a coupon, and what they offer. Nobody pays them.

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::stage::{MONTHLY, MONTHLY_ODD, SceneError, Stage};
use crate::providers::stripe::rehearsal::MARK;
use crate::providers::stripe::{CheckoutOrder, CheckoutSession, StripeError};

const PERCENT: u8 = 15;
const OFF: i64 = 749;

/// Opens a session as the product does, and closes it.
async fn open(
    stage: &Stage,
    price: &str,
    coupon: Option<&str>,
    boleto: bool,
) -> Result<CheckoutSession, SceneError> {
    let order = CheckoutOrder {
        customer: &stage.prices().await?.shopper.id,
        price,
        coupon,
        boleto,
        trial_end: None,
        return_url: "https://example.com/",
        metadata: vec![(MARK, stage.run.clone())],
    };
    let session = stage.stripe.checkout_create(&order, &stage.key()).await?;
    stage.stripe.checkout_expire(&session.id).await?;
    Ok(session)
}

/// What a coupon takes off a price.
async fn discount(stage: &Stage, price: &str, amount: i64, coupon: &str) -> Result<i64, SceneError> {
    let session = open(stage, price, Some(coupon), false).await?;
    let total = session.amount_total;
    total
        .map(|total| amount - total)
        .ok_or_else(|| SceneError::Unexpected("a new session has no amount_total".into()))
}

/// Half a centavo of a percent coupon is rounded up.
pub(super) async fn percent_rounds_half_up(stage: &Stage) -> Result<Outcome, SceneError> {
    let prices = stage.prices().await?;
    let coupon = stage.stripe.rehearsal_percent_coupon(PERCENT, &stage.run, &stage.key()).await?;
    // Exactly 748.5 and 751.5 centavos.
    let seen = (
        discount(stage, &prices.monthly.id, MONTHLY, &coupon).await?,
        discount(stage, &prices.monthly_odd.id, MONTHLY_ODD, &coupon).await?,
    );
    Ok(Outcome::of(seen == (749, 752), || {
        let rule = match seen {
            (748, 752) => "half to even",
            (748, 751) => "down",
            _ => "no rule that we know",
        };
        format!("748.5 and 751.5 centavos became {} and {} ({rule})", seen.0, seen.1)
    }))
}

/// An amount coupon takes its amount off.
pub(super) async fn amount_is_exact(stage: &Stage) -> Result<Outcome, SceneError> {
    let price = &stage.prices().await?.monthly.id;
    let coupon = stage.stripe.rehearsal_amount_coupon(OFF, &stage.run, &stage.key()).await?;
    let seen = discount(stage, price, MONTHLY, &coupon).await?;
    Ok(Outcome::of(seen == OFF, || format!("a coupon of {OFF} centavos took {seen} off")))
}

/// The account offers boleto where the product asks for it.
pub(super) async fn boleto_is_offered(stage: &Stage) -> Result<Outcome, SceneError> {
    let price = &stage.prices().await?.monthly.id;
    let session = match open(stage, price, None, true).await {
        Ok(session) => session,
        Err(SceneError::Provider(StripeError::Refused { status: 400, code, message, .. })) => {
            return Ok(Outcome::Differs { seen: format!("the session was refused: {code} {message}") });
        }
        Err(error) => return Err(error),
    };
    let offered = stage.stripe.session_observe(&session.id).await?.payment_method_types;
    let holds = ["card", "boleto"].iter().all(|wanted| offered.iter().any(|method| method == wanted));
    Ok(Outcome::of(holds, || format!("the session offers {offered:?}")))
}

/// A session that was expired cannot be paid any more.
pub(super) async fn session_expires(stage: &Stage) -> Result<Outcome, SceneError> {
    let session = open(stage, &stage.prices().await?.monthly.id, None, false).await?;
    let after = stage.stripe.session_observe(&session.id).await?;
    Ok(Outcome::of(session.status == "open" && after.status == "expired", || {
        format!("a new session is {}, after its expiry {}", session.status, after.status)
    }))
}
