//! Lists what a sync would change for an account. Changes nothing.

use std::collections::BTreeMap;

use garimpo_domain::{SubscriptionId, Uid};
use serde::Serialize;
use serde_json::Value;

use crate::billing::facts::projection::{Projection, ProviderState, StoredState, project};
use crate::billing::reconciliation::Reconciler;
use crate::billing::sync::refresh::MAX_ATTEMPTS;
use crate::error::Result;
use crate::providers::stripe;
use crate::store::{Absence, Checkout, CheckoutState, Text as _, customers, subscriptions};

/// Columns that differ between syncs without a change: URLs that the provider regenerates, and an
/// instant of ours.
const VOLATILE_COLUMNS: [&str; 3] = ["receipt_url", "boleto_url", "returned_at_us"];

/// A column whose stored value differs from the value that a sync would store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub uid: Uid,
    /// Id of the subscription, invoice or checkout.
    pub object: String,
    /// Column; `*` for a missing row.
    pub field: String,
    /// Stored value.
    pub ours: Value,
    /// Value that a sync would store.
    pub provider: Value,
}

/// Result of comparing an account with the provider.
#[derive(Debug, Default)]
pub struct Compared {
    pub differences: Vec<Difference>,
    /// Why the account's purchase is missing at the provider.
    pub lost: Option<Absence>,
    /// Whether the account's customer is deleted at the provider.
    pub is_customer_deleted: bool,
}

impl Reconciler {
    /// Compares an account with the provider. Changes nothing.
    ///
    /// # Errors
    /// PROVIDER_UNAVAILABLE if the provider cannot be read, UNAVAILABLE if the database fails.
    pub async fn compare(&self, uid: &Uid) -> Result<Compared> {
        for _ in 0..MAX_ATTEMPTS {
            let Some(customer) = customers::by_uid(&self.context.store, uid).await? else {
                return Ok(Compared::default());
            };
            let Some(customer_id) = &customer.customer_id else { return Ok(Compared::default()) };
            let before = StoredState::read(&self.context.store, uid).await?;
            let observed = self.sync.read_provider(&before, Some(customer_id)).await?;
            let known = StoredState::read(&self.context.store, uid).await?;
            let after = customers::by_uid(&self.context.store, uid).await?;
            // If a sync has stored its result meanwhile, these rows are newer than this read.
            if after.is_some_and(|after| after.ticket_applied == customer.ticket_applied) {
                let mut found = self.compared(&known, &observed);
                found.differences.extend(self.credit_left(uid, &observed).await?);
                return Ok(found);
            }
        }
        // Each superseding sync began its read after this call, so its result is current.
        Ok(Compared::default())
    }

    /// Credit at the provider from plan changes of a returned subscription, which should have
    /// ended.
    async fn credit_left(&self, uid: &Uid, observed: &ProviderState) -> Result<Vec<Difference>> {
        let balance =
            observed.state.subscriptions.iter().find_map(stripe::Subscription::balance).unwrap_or_default();
        if balance >= 0 {
            return Ok(Vec::new());
        }
        let returned = subscriptions::returned_with_credit(&self.context.store, uid).await?;
        let difference = |object: SubscriptionId| Difference {
            uid: uid.clone(),
            object: object.into_string(),
            field: "credit_of_returned_subscription".to_owned(),
            ours: 0.into(),
            provider: (-balance).into(),
        };
        Ok(returned.into_iter().map(difference).collect())
    }

    fn compared(&self, known: &StoredState, observed: &ProviderState) -> Compared {
        let projection = project(known, observed, self.context.now(), &self.policy);
        let (ours, theirs) = (stored(known), projected(known, &projection));
        let mut found = Vec::new();
        for (object, columns) in theirs {
            let Some(stored) = ours.get(&object) else {
                found.push(Difference {
                    uid: known.uid.clone(),
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
                uid: known.uid.clone(),
                object: object.clone(),
                ours: stored.get(&field).cloned().unwrap_or_default(),
                field,
                provider,
            }));
        }
        Compared {
            differences: found,
            lost: projection.lost,
            is_customer_deleted: observed.absence == Some(Absence::Deleted),
        }
    }
}

type Columns = BTreeMap<String, Value>;

/// The stored rows by id.
fn stored(known: &StoredState) -> BTreeMap<String, Columns> {
    let subscriptions = known.subscriptions.iter().map(|row| (row.id.to_string(), columns(row)));
    let invoices = known.invoices.iter().map(|row| (row.id.to_string(), columns(row)));
    let checkouts = known.checkouts.iter().map(|row| (row.id.to_string(), checkout_columns(&state_of(row))));
    subscriptions.chain(invoices).chain(checkouts).collect()
}

/// The rows that a sync would write, by id. A subscription missing at the provider only stops being
/// live.
fn projected(known: &StoredState, projection: &Projection) -> BTreeMap<String, Columns> {
    let gone = known.subscriptions.iter().filter(|row| projection.subscription(&row.id).is_none());
    let gone = gone.map(|row| (row.id.to_string(), Columns::from([("live".to_owned(), false.into())])));
    let subscriptions = projection.subscriptions.iter().map(|row| (row.id.to_string(), columns(row)));
    let invoices = projection.invoices.iter().map(|row| (row.id.to_string(), columns(row)));
    let checkouts = projection.checkouts.iter().map(|state| (state.id.to_string(), checkout_columns(state)));
    gone.chain(subscriptions).chain(invoices).chain(checkouts).collect()
}

/// The stored state of a checkout.
fn state_of(row: &Checkout) -> CheckoutState {
    CheckoutState {
        id: row.id.clone(),
        status: row.status,
        payment_status: row.payment_status,
        settled: row.settled,
        subscription_id: row.subscription_id.clone(),
        amount_total_centavos: Some(row.first_payment_centavos),
    }
}

fn checkout_columns(state: &CheckoutState) -> Columns {
    let mut columns = Columns::from([
        ("status".to_owned(), state.status.text().into()),
        ("payment_status".to_owned(), state.payment_status.text().into()),
        ("settled".to_owned(), state.settled.into()),
        ("subscription_id".to_owned(), state.subscription_id.as_deref().into()),
    ]);
    if let Some(amount) = state.amount_total_centavos {
        columns.insert("first_payment_centavos".to_owned(), amount.get().into());
    }
    columns
}

/// The columns of a row by name.
fn columns(row: &impl Serialize) -> Columns {
    let Ok(Value::Object(columns)) = serde_json::to_value(row) else { return Columns::new() };
    columns.into_iter().filter(|(name, _)| !VOLATILE_COLUMNS.contains(&name.as_str())).collect()
}
