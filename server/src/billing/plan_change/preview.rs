//! The provider's preview of a plan change, valid for ten minutes under a token.

use garimpo_domain::provider_status::SubscriptionStatus;
use std::sync::Arc;

use garimpo_domain::balance::{credit, next_charge};
use garimpo_domain::checkout::PaymentMethod;
use garimpo_domain::{Centavos, Interval, PlanId, Timestamp, catalog};
use garimpo_proto::billing::v1 as pb;

use crate::auth::token_hash;
use crate::billing::catalog::wire;
use crate::billing::facts::current_subscription;
use crate::billing::guards::refusals::{change_in_progress, no_subscription};
use crate::billing::plan_change::PlanChanges;
use crate::billing::plan_change::change::claim_cutoff;
use crate::caller::not_yours;
use crate::error::{Error, ErrorReason, Result};
use crate::providers::stripe::{self, PlanChangeOrder, present};
use crate::store::{
    Account, PlanChange, PlanChangeState, PushedPrice, Subscription, accounts, plan_changes, subscriptions,
    transaction,
};
use crate::wire::timestamp;

/// Minutes for which a preview can be confirmed.
const HOLDS_MINUTES: i64 = 10;

impl PlanChanges {
    /// Serves PreviewPlanChange for the caller's own account.
    ///
    /// # Errors
    /// NO_SUBSCRIPTION, UNKNOWN_PLAN, PLAN_NOT_FOR_SALE, UNKNOWN_INTERVAL, INVALID_ARGUMENT,
    /// CHANGE_IN_PROGRESS, PROVIDER_UNAVAILABLE.
    pub(crate) async fn preview(
        &self,
        account: &Account,
        request: &pb::PreviewPlanChangeRequest,
    ) -> Result<pb::PreviewPlanChangeResponse> {
        let (plan, interval) = parsed(request)?;
        self.end_waiting_change(&account.uid).await?;
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let row = self.require_running(&rows)?;
        let fact = self.active_at_provider(row).await?;
        let item = fact.item().ok_or_else(no_subscription)?;
        let from = bought(item).unwrap_or((row.plan_id, row.plan_interval));
        if from == (plan, interval) {
            return Err(Error::refused(ErrorReason::InvalidArgument, "it is the current plan")
                .with_field("plan_id", "it is the present one"));
        }
        let list = catalog().plan(plan).list_price(interval).ok_or_else(not_for_sale)?;
        let wanted = self.catalog_push.pushed_price(plan, interval, list.price).await?;
        let now = self.context.now();
        let order = PlanChangeOrder {
            subscription: &fact.id,
            item: &item.id,
            price: &wanted.price_id,
            proration_date: now.as_unix_seconds(),
        };
        let invoice = match self.stripe.preview_plan_change(&order).await {
            Err(error) if error.misses_catalog() => {
                return Err(self.repairs.handle_lost_catalog(None, &error).await?);
            }
            answer => answer?,
        };
        let change = PlanChange {
            id: self.context.ids.id("plc_"),
            uid: account.uid.clone(),
            request_id: None,
            subscription_id: fact.id.clone(),
            item_id: item.id.clone(),
            from_price_id: item.price.id.clone(),
            from_period_start_at: Timestamp::from_unix_seconds(item.current_period_start),
            from_period_end_at: Timestamp::from_unix_seconds(item.current_period_end),
            from_balance_centavos: Centavos::new(invoice.starting_balance),
            from_cancels: fact.cancels(),
            plan_id: plan,
            plan_interval: interval,
            price_id: wanted.price_id.clone(),
            renews_again: fact.cancels() && interval != from.1,
            counts_from_at: Timestamp::from_unix_seconds(order.proration_date),
            total_centavos: Centavos::new(invoice.total),
            due_centavos: Centavos::new(invoice.amount_due),
            state: PlanChangeState::Previewed,
            attempt: 1,
            decline_code: None,
            invoice_id: None,
            charged_centavos: None,
            created_at: now,
            expires_at: now.plus_minutes(HOLDS_MINUTES),
            confirm_until: None,
        };
        let answer = shown(&change, &fact, from, &wanted, &invoice);
        let token = self.context.ids.secret("gpc_");
        self.store_preview(change, &token).await?;
        Ok(pb::PreviewPlanChangeResponse { preview_token: token, ..answer })
    }

    /// The subscription that can be changed: paid, within the paid period, and not disputed.
    pub(crate) fn require_running<'r>(&self, rows: &'r [Subscription]) -> Result<&'r Subscription> {
        let now = self.context.now();
        let running = current_subscription::running(rows, now, &self.policy);
        // After the paid period it runs by grace alone, and the provider's current period is
        // unpaid.
        let is_paid = |row: &&Subscription| {
            row.disputed_at.is_none() && row.paid_until.is_some_and(|until| now < until)
        };
        running.filter(is_paid).ok_or_else(no_subscription)
    }

    /// The subscription at the provider. It must be active there.
    pub(crate) async fn active_at_provider(&self, row: &Subscription) -> Result<stripe::Subscription> {
        let fact = present(self.stripe.get_subscription(&row.id).await)?;
        if let Some(fact) = fact.filter(|fact| fact.status == SubscriptionStatus::Active) {
            return Ok(fact);
        }
        // Our row is older than a change at the provider.
        Err(self.repairs.unchangeable_error(&row.uid).await?)
    }

    async fn store_preview(&self, change: PlanChange, token: &str) -> Result<()> {
        let (change, hash) = (Arc::new(change), token_hash(token));
        let claims = claim_cutoff(self.context.now());
        transaction!(self.context.store, (change), |tx| {
            accounts::lock(tx, &change.uid).await?.ok_or_else(not_yours)?;
            // The preview may have been read before or after the claimed change was
            // applied.
            if plan_changes::claimed(&mut *tx, &change.uid, claims).await?.is_some() {
                return Err(change_in_progress("a confirmed plan change is not finished yet"));
            }
            Ok(plan_changes::insert(tx, change, &hash).await?)
        })
    }
}

fn parsed(request: &pb::PreviewPlanChangeRequest) -> Result<(PlanId, Interval)> {
    let plan = PlanId::parse(&request.plan_id).ok_or_else(|| wire::unknown_plan("plan_id"))?;
    if !catalog().plan(plan).is_for_sale() {
        return Err(not_for_sale());
    }
    let interval = wire::interval_of(request.interval()).ok_or_else(|| {
        Error::refused(ErrorReason::UnknownInterval, "no such interval").with_field("interval", "unknown")
    })?;
    Ok((plan, interval))
}

/// The plan and interval of an item, by its price's metadata.
fn bought(item: &stripe::SubscriptionItem) -> Option<(PlanId, Interval)> {
    let key = |name: &str| item.price.metadata.get(name);
    Some((PlanId::parse(key("plan")?)?, Interval::parse(key("interval")?)?))
}

fn shown(
    change: &PlanChange,
    fact: &stripe::Subscription,
    from: (PlanId, Interval),
    wanted: &PushedPrice,
    invoice: &stripe::Invoice,
) -> pb::PreviewPlanChangeResponse {
    let lines = invoice.lines().map(|line| {
        let is_new = line.price == Some(wanted.price_id.as_str());
        let (plan, interval) = if is_new { (wanted.plan_id, wanted.plan_interval) } else { from };
        pb::PlanChangeLine {
            plan_id: plan.as_str().to_owned(),
            interval: wire::interval(interval).into(),
            amount_centavos: line.centavos,
            starts_at: Some(at(line.period.0)),
            ends_at: Some(at(line.period.1)),
        }
    });
    let lines: Vec<_> = lines.collect();
    // With the same interval the period keeps its end. With another one a period begins now, and
    // the next payment is at its end.
    let new_end = invoice
        .period()
        .map(|(_, end)| Timestamp::from_unix_seconds(end))
        .filter(|_| wanted.plan_interval != from.1);
    let end = new_end.unwrap_or(change.from_period_end_at);
    let settlement = invoice.settlement();
    let ends = change.from_cancels && wanted.plan_interval == from.1;
    let (balance, by_boleto) =
        (Centavos::new(invoice.ending_balance()), fact.method() == Some(PaymentMethod::Boleto));
    let next = next_charge((!ends).then_some(end), wanted.price_centavos, balance, by_boleto);
    pb::PreviewPlanChangeResponse {
        amount_due_centavos: settlement.due.get(),
        preview_token: String::new(),
        next_payment_at: Some(timestamp(end)),
        // A cancelled subscription is not charged again, unless the change begins a new period,
        // which renews.
        next_payment_centavos: if ends { 0 } else { wanted.price_centavos.get() },
        next_charge_centavos: next.map(|next| next.settlement.due.get()),
        lines,
        credit_used_centavos: settlement.credit_used.get(),
        earlier_centavos: settlement.earlier.get(),
        carried_centavos: settlement.carried.get(),
        credit_after_centavos: credit(balance).get(),
        payment_method: fact.method().map(|method| method.name().to_owned()).unwrap_or_default(),
        plan_id: change.plan_id.as_str().to_owned(),
        interval: wire::interval(wanted.plan_interval).into(),
        expires_at: Some(timestamp(change.expires_at)),
    }
}

fn at(unix_seconds: i64) -> prost_types::Timestamp {
    timestamp(Timestamp::from_unix_seconds(unix_seconds))
}

fn not_for_sale() -> Error {
    Error::refused(ErrorReason::PlanNotForSale, "the plan is not sold")
}
