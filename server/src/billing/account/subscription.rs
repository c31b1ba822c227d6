//! A subscription as its account sees it, for GetSubscription and the user record.

use garimpo_domain::balance::credit;
use garimpo_domain::boleto::bar_code;
use garimpo_domain::trial::trial_ended_at;
use garimpo_domain::{BuyerHistory, Centavos, Timestamp, catalog};
use garimpo_proto::billing::v1 as pb;

use crate::billing::account::AccountView;
use crate::billing::account::payment_authentication::renewal_needs_authentication;
use crate::billing::catalog::wire;
use crate::billing::facts::account_credit::credit_to_end;
use crate::billing::facts::current_subscription::{
    buyer_history, charged_at, next_charge_of, waiting_boleto,
};
use crate::billing::facts::guarantee::guarantee_refund;
use crate::billing::facts::refund_request::latest_refund;
use crate::billing::guards::refusals::no_subscription;
use crate::error::Result;
use crate::rights::{account_state, current, rights_of};
use crate::store::{
    Account, Invoice, OrEmpty as _, Refund, Subscription, Text as _, customers, invoices, refunds,
    subscriptions, text_or_empty,
};
use crate::wire::timestamp;

/// The fields of the user record about an account's subscription.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubscriptionView {
    /// Plan id; `None` without a subscription, including the trial.
    pub plan: Option<String>,
    /// True while paid access runs, false after it ended or while it is suspended, `None` before a
    /// first payment.
    pub active: Option<bool>,
    /// Status by its wire name.
    pub status: Option<String>,
    /// Start of the paid period.
    pub start: Option<Timestamp>,
    /// End of the paid period.
    pub end: Option<Timestamp>,
}

/// When the paid time of a subscription ends or ended: with its period, or earlier after a refund.
fn access_ends_at(row: &Subscription) -> Option<Timestamp> {
    let ends = [row.paid_until?].into_iter().chain(row.ended_at).chain(row.returned_at);
    ends.min()
}

/// Days for which an account sees a boleto that expired unpaid.
const LAPSED_DAYS: i64 = 7;

/// The subscription of a boleto that recently expired unpaid.
fn lapsed(rows: &[Subscription], now: Timestamp) -> Option<&Subscription> {
    let lately = |row: &Subscription| row.ended_at.is_some_and(|ended| now < ended.plus_days(LAPSED_DAYS));
    let unpaid = |row: &Subscription| row.pays_by_boleto() && row.first_paid_at.is_none();
    rows.iter().rfind(|row| unpaid(row) && !row.is_replaced() && lately(row))
}

/// A boleto as a proto message.
pub(crate) fn boleto(invoice: &Invoice) -> pb::Boleto {
    let line = invoice.boleto_line.or_empty();
    pb::Boleto {
        line: line.to_owned(),
        amount_centavos: invoice.amount_due_centavos.get(),
        due_at: invoice.boleto_due_at.map(timestamp),
        voucher_url: invoice.boleto_url.or_empty().to_owned(),
        barcode: bar_code(line).unwrap_or_default(),
    }
}

/// The purchase of an expired boleto, by its invoice.
fn lapsed_purchase(row: &Subscription, invoices: &[Invoice]) -> pb::LapsedPurchase {
    let asked = invoices.iter().find(|invoice| invoice.subscription_id == row.id);
    pb::LapsedPurchase {
        id: row.id.to_string(),
        plan_id: row.plan_id.as_str().to_owned(),
        interval: wire::interval(row.plan_interval).into(),
        amount_centavos: asked.map_or(row.price_centavos, |invoice| invoice.total_centavos).get(),
    }
}

impl AccountView {
    /// Returns the fields of the user record about an account's subscription.
    pub async fn subscription_view(&self, account: &Account) -> Result<SubscriptionView> {
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let rights = rights_of(account, &rows, self.context.now(), &self.policy);
        let current = current(&rows);
        Ok(SubscriptionView {
            plan: current.map(|row| row.plan_id.as_str().to_owned()),
            active: rights.subscription_active,
            status: rights.status.map(|status| status.name().to_owned()),
            start: current.and_then(|row| row.paid_from),
            end: current.and_then(access_ends_at),
        })
    }

    /// Serves GetSubscription.
    pub(crate) async fn get_subscription(&self, account: &Account) -> Result<pb::GetSubscriptionResponse> {
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let invoices = invoices::by_uid(&self.context.store, &account.uid).await?;
        let current = current(&rows);
        let now = self.context.now();
        let refunds = refunds::by_uid(&self.context.store, &account.uid).await?;
        let balance = self.balance(account, &rows, &invoices, &refunds).await?;
        let lapsed = if current.is_some() { None } else { lapsed(&rows, now) };
        let trial_end = trial_ended_at(account.created_at, account_state(account).trial);
        // An account that has paid is no longer in the trial, even if the payment was refunded.
        let paid_at = rows.iter().filter_map(|row| row.first_paid_at).min();
        Ok(pb::GetSubscriptionResponse {
            lapsed_purchase: lapsed.map(|row| lapsed_purchase(row, &invoices)),
            subscription: current.map(|row| pb::Subscription {
                next_payment_centavos: next_charge_of(row, balance, now)
                    .map(|next| next.settlement.due.get()),
                ..self.subscription(account, row, &rows, &invoices)
            }),
            refund: latest_refund(&refunds, now),
            trial_ends_at: Some(timestamp(paid_at.map_or(trial_end, |at| at.min(trial_end)))),
            server_time: Some(timestamp(now)),
            boleto: waiting_boleto(&invoices, &rows, now).map(boleto),
            credit_centavos: credit(balance).get(),
            carried_centavos: balance.max(Centavos::ZERO).get(),
            first_charge_at: charged_at(self.trial_purchase, account, &rows, self.context.now())
                .map(timestamp),
            guarantee_used: buyer_history(account, &rows) == BuyerHistory::PaidBefore,
            plan_change_confirmation: self.plan_change_confirmation(&account.uid, &invoices).await?,
            campaign_ends_at: if paid_at.is_none() { self.campaign_end_before(trial_end) } else { None },
        })
    }

    /// When a campaign that runs now ends, if that is before `trial_end` and the trial runs.
    fn campaign_end_before(&self, trial_end: Timestamp) -> Option<prost_types::Timestamp> {
        let (now, campaign) = (self.context.now(), &catalog().campaign);
        let switch = self.campaign;
        let ends_at = campaign.is_on(now, switch).then(|| campaign.changes_at(now, switch)).flatten();
        ends_at.filter(|at| now < trial_end && *at < trial_end).map(timestamp)
    }

    /// The account's balance at the provider without the credit of refunded payments. That credit
    /// ends at the provider only when the refund's job runs.
    async fn balance(
        &self,
        account: &Account,
        rows: &[Subscription],
        invoices: &[Invoice],
        refunds: &[Refund],
    ) -> Result<Centavos> {
        let customer = customers::by_uid(&self.context.store, &account.uid).await?;
        let balance = customer.map_or(Centavos::ZERO, |customer| customer.balance_centavos);
        if rows.iter().all(|row| row.returned_at.is_none()) {
            return Ok(balance);
        }
        let refunded = subscriptions::returned_with_credit(&self.context.store, &account.uid).await?;
        let ending: Centavos = refunded.iter().map(|id| credit_to_end(id, invoices, refunds)).sum();
        Ok(balance + ending.min(credit(balance)))
    }

    /// An account's subscription as its owner sees it.
    ///
    /// # Errors
    /// NO_SUBSCRIPTION without one, UNAVAILABLE if the database fails.
    pub(crate) async fn require_subscription(&self, account: &Account) -> Result<pb::Subscription> {
        self.get_subscription(account).await?.subscription.ok_or_else(no_subscription)
    }

    fn subscription(
        &self,
        account: &Account,
        row: &Subscription,
        rows: &[Subscription],
        invoices: &[Invoice],
    ) -> pb::Subscription {
        let now = self.context.now();
        let rights = rights_of(account, rows, now, &self.policy);
        let back =
            guarantee_refund(account, rows, invoices, now).filter(|back| back.subscription.id == row.id);
        pb::Subscription {
            plan_id: row.plan_id.as_str().to_owned(),
            plan_name: catalog().plan(row.plan_id).name.clone(),
            interval: wire::interval(row.plan_interval).into(),
            status: rights.subscription_status.map(|status| status.name().to_owned()).unwrap_or_default(),
            active: rights.subscription_active,
            starts_at: row.paid_from.map(timestamp),
            ends_at: access_ends_at(row).map(timestamp),
            cancel_at_period_end: row.cancel_at_period_end,
            price_centavos: row.price_centavos.get(),
            payment_method: text_or_empty(row.payment_method).to_owned(),
            refundable_until: back.as_ref().map(|back| timestamp(back.until)),
            refundable_centavos: back.as_ref().map(|back| back.centavos().get()),
            refund_method: back.as_ref().map(|back| back.method().text().to_owned()),
            refund_pix_centavos: back.as_ref().map_or(0, |back| back.pix_centavos().get()),
            needs_authentication: renewal_needs_authentication(row, invoices),
            suspended_reason: rights.suspended.map(|reason| reason.name().to_owned()),
            next_payment_centavos: None,
        }
    }
}
