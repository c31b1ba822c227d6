//! What the provider holds of an account beside what we stored: what an apply would change, without changing it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::Billing;
use super::apply::TRIES;
use super::projection::{Known, Observed, Projection, project};
use crate::error::Error;
use crate::store::checkouts::Checkout;
use crate::store::invoices::Invoice;
use crate::store::subscriptions::Subscription;

/// Columns that differ from reading to reading: addresses that the provider makes anew, and an instant of ours.
const PASSING: [&str; 3] = ["receipt_url", "boleto_url", "returned_at_us"];

/// One column in which our row is not what the provider's state makes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Account.
    pub uid: String,
    /// Id of the subscription, invoice or checkout.
    pub object: String,
    /// Column; `*` for a row that we do not have.
    pub field: String,
    /// What is stored.
    pub ours: Value,
    /// What an apply would store.
    pub provider: Value,
}

impl Billing {
    /// Compares an account with the provider; nothing is written.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE when it cannot be read; the store's own.
    pub async fn differences(&self, uid: &str) -> Result<Vec<Difference>, Error> {
        for _ in 0..TRIES {
            let Some(customer) = self.store.customer_by_uid(uid).await? else { return Ok(Vec::new()) };
            let Some(customer_id) = &customer.customer_id else { return Ok(Vec::new()) };
            let checkouts = self.store.checkouts_unsettled(uid).await?;
            let known_invoices = self.store.invoices_by_uid(uid).await?;
            let refunds = self.store.refunds_by_uid(uid).await?;
            let observed = self.observe(uid, customer_id, &checkouts, &known_invoices, &refunds).await?;
            let subscriptions = self.store.subscriptions_by_uid(uid).await?;
            let invoices = self.store.invoices_by_uid(uid).await?;
            let refunds = self.store.refunds_by_uid(uid).await?;
            let after = self.store.customer_by_uid(uid).await?;
            // What was applied meanwhile makes these rows newer than the reading.
            if after.is_some_and(|after| after.ticket_applied == customer.ticket_applied) {
                let known = Known {
                    uid,
                    subscriptions: &subscriptions,
                    invoices: &invoices,
                    checkouts: &checkouts,
                    refunds: &refunds,
                };
                return self.compared(&known, &observed);
            }
        }
        // Each of those that came between has read the provider after this call began.
        Ok(Vec::new())
    }

    fn compared(&self, known: &Known<'_>, observed: &Observed) -> Result<Vec<Difference>, Error> {
        let projection = project(known, observed, self.now(), &self.settings.policy)?;
        let (ours, theirs) = (stored(known), projected(known, &projection));
        let mut found = Vec::new();
        for (object, columns) in theirs {
            let Some(stored) = ours.get(&object) else {
                found.push(Difference {
                    uid: known.uid.to_owned(),
                    object,
                    field: "*".to_owned(),
                    ours: Value::Null,
                    provider: columns
                        .get("status")
                        .or(columns.get("provider_status"))
                        .cloned()
                        .unwrap_or_default(),
                });
                continue;
            };
            let differing = columns.into_iter().filter(|(field, value)| stored.get(field) != Some(value));
            found.extend(differing.map(|(field, provider)| Difference {
                uid: known.uid.to_owned(),
                object: object.clone(),
                ours: stored.get(&field).cloned().unwrap_or_default(),
                field,
                provider,
            }));
        }
        Ok(found)
    }
}

type Columns = BTreeMap<String, Value>;

/// Our rows by id.
fn stored(known: &Known<'_>) -> BTreeMap<String, Columns> {
    let subscriptions = known.subscriptions.iter().map(|row| (row.id.clone(), columns(row)));
    let invoices = known.invoices.iter().map(|row| (row.id.clone(), columns(row)));
    let checkouts = known.checkouts.iter().map(|row| (row.id.clone(), checkout_columns(row)));
    subscriptions.chain(invoices).chain(checkouts).collect()
}

/// The rows that an apply would write, by id. A subscription that the provider has no more only loses its place.
fn projected(known: &Known<'_>, projection: &Projection) -> BTreeMap<String, Columns> {
    let gone =
        known.subscriptions.iter().filter(|row| !projection.subscriptions.iter().any(|new| new.id == row.id));
    let gone = gone.map(|row| (row.id.clone(), Columns::from([("live".to_owned(), false.into())])));
    let subscriptions = projection.subscriptions.iter().map(|row| (row.id.clone(), columns(row)));
    let invoices = projection.invoices.iter().map(|row| (row.id.clone(), columns(row)));
    let checkouts = projection.checkouts.iter().map(|state| {
        let mut columns = Columns::from([
            ("status".to_owned(), state.status.clone().into()),
            ("payment_status".to_owned(), state.payment_status.clone().into()),
            ("settled".to_owned(), state.settled.into()),
            ("subscription_id".to_owned(), state.subscription_id.clone().into()),
        ]);
        if let Some(amount) = state.amount_total_centavos {
            columns.insert("first_payment_centavos".to_owned(), amount.into());
        }
        (state.id.clone(), columns)
    });
    gone.chain(subscriptions).chain(invoices).chain(checkouts).collect()
}

fn checkout_columns(row: &Checkout) -> Columns {
    Columns::from([
        ("status".to_owned(), row.status.clone().into()),
        ("payment_status".to_owned(), row.payment_status.clone().into()),
        ("settled".to_owned(), row.settled.into()),
        ("subscription_id".to_owned(), row.subscription_id.clone().into()),
        ("first_payment_centavos".to_owned(), row.first_payment_centavos.into()),
    ])
}

/// A row of ours that can be compared column by column.
trait Row: Serialize {}
impl Row for Subscription {}
impl Row for Invoice {}

fn columns(row: &impl Row) -> Columns {
    let Ok(Value::Object(columns)) = serde_json::to_value(row) else { return Columns::new() };
    columns.into_iter().filter(|(name, _)| !PASSING.contains(&name.as_str())).collect()
}
