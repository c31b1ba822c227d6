//! Checkout sessions as they are read, changed, listed and ended.

use serde_json::{Value, json};

use crate::objects::{CheckoutSession, SessionStatus};
use crate::provider::{ApiError, Reply, events, load};
use crate::state::{Document, Tx, text};

/// `customer_details` of a session.
pub fn customer_details(email: Option<&str>, name: Option<&str>, phone: Option<&str>) -> Value {
    json!({"address": null, "business_name": null, "email": email, "individual_name": null, "name": name,
        "phone": phone, "tax_exempt": "none", "tax_ids": []})
}

/// `POST /v1/checkout/sessions/{id}/expire`.
pub async fn expire(tx: &mut Tx, id: &str) -> Reply {
    let session: CheckoutSession = load(tx, id).await?;
    let message = format!(
        "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout \
        Session has a status of {}.",
        text(&session.document(), "status")
    );
    ensure!(session.status == SessionStatus::Open, ApiError::state(None, message));
    Ok(close(tx, session).await?.document())
}

/// Ends a session whose time is over.
pub async fn expire_by_time(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let is_open = |session: &CheckoutSession| session.status == SessionStatus::Open;
    if let Some(session) = tx.load(id).await?.filter(is_open) {
        close(tx, session).await?;
    }
    Ok(())
}

async fn close(tx: &mut Tx, mut session: CheckoutSession) -> Result<CheckoutSession, ApiError> {
    session.status = SessionStatus::Expired;
    session.client_secret = None;
    tx.update(&session).await?;
    tx.clear_timers(&session.id).await?;
    events::emit(tx, "checkout.session.expired", &session).await?;
    Ok(session)
}
