//! Stores plan, price and period of each paid invoice, so that the revenue of a past month does not
//! change when plan or price change.

use crate::billing::facts::projection::{Projection, ProviderState, is_payment};
use crate::store::{PaidPeriod, Result, Tx, paid_periods};
use garimpo_domain::Timestamp;

/// Stores the period of each paid invoice without one.
pub(crate) async fn record(tx: &mut Tx, observed: &ProviderState, projection: &Projection) -> Result<()> {
    for invoice in &projection.invoices {
        let subscription = projection.subscription(&invoice.subscription_id);
        let fact = observed.state.invoices.iter().find(|fact| fact.id == invoice.id && is_payment(fact));
        let (Some(subscription), Some(fact)) = (subscription, fact) else { continue };
        let own = fact
            .period()
            .map(|(from, until)| (Timestamp::from_unix_seconds(from), Timestamp::from_unix_seconds(until)));
        let Some((from, until)) = own.or(subscription.paid_from.zip(subscription.paid_until)) else {
            continue;
        };
        let row = PaidPeriod {
            invoice_id: invoice.id.clone(),
            uid: invoice.uid.clone(),
            subscription_id: invoice.subscription_id.clone(),
            plan_id: subscription.plan_id,
            plan_interval: subscription.plan_interval,
            price_centavos: subscription.price_centavos,
            from,
            until,
        };
        paid_periods::insert(tx, &row).await?;
    }
    Ok(())
}
