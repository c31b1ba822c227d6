//! Figures by month: reads paid periods by account, and counts them with `garimpo_domain::revenue`.

use garimpo_domain::revenue::{Churn, Figures, Month, Movement, PaidSpan, Revenue, monthly_value};
use garimpo_domain::{InvoiceId, Timestamp, Uid};
use serde::Serialize;

use super::Operator;
use crate::store::{PeriodSeen, Result, SignUps, lookups, paid_periods};

/// Periods per query.
const PAGE: i64 = 5_000;
/// Plan of the row of all plans.
const ALL: &str = "all";

/// One month of one plan, or of all plans together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RevenueRow {
    /// `2026-11`.
    pub month: String,
    /// Plan id, or `all`.
    pub plan: String,
    #[serde(flatten)]
    pub figures: Figures,
    /// Sign-ups of the month, in the row of all plans only.
    pub sign_ups: Option<i64>,
    /// Sign-ups of these that have paid by now.
    pub sign_ups_paid: Option<i64>,
}

impl RevenueRow {
    fn of(month: Month, plan: &str, figures: Figures, sign_ups: Option<SignUps>) -> Self {
        Self {
            month: month.to_string(),
            plan: plan.to_owned(),
            figures,
            sign_ups: sign_ups.map(|seen| seen.sign_ups),
            sign_ups_paid: sign_ups.map(|seen| seen.paid),
        }
    }

    /// Percentage of the month's sign-ups that have paid; `None` without sign-ups or for one plan.
    pub fn trial_to_paid_percent(&self) -> Option<i64> {
        let (all, paid) = (self.sign_ups?, self.sign_ups_paid?);
        (all > 0).then(|| (200 * paid + all) / (2 * all))
    }
}

impl Operator {
    /// Every month from `first` to `last`: the row of all plans, then each plan with figures.
    pub async fn revenue(&self, first: Month, last: Month) -> Result<Vec<RevenueRow>> {
        let mut revenue = Revenue::new(first, last, self.now());
        self.count_accounts(&mut revenue).await?;
        let by_plan: Vec<_> = revenue.rows().collect();
        let mut rows = Vec::new();
        for (month, total) in revenue.totals() {
            let sign_ups = lookups::sign_ups(&self.context.store, month.starts(), month.ends()).await?;
            rows.push(RevenueRow::of(month, ALL, total, Some(sign_ups)));
            let of_month = by_plan.iter().filter(|(of, ..)| *of == month);
            rows.extend(of_month.map(|(month, plan, figures)| RevenueRow::of(*month, plan, *figures, None)));
        }
        Ok(rows)
    }

    async fn count_accounts(&self, revenue: &mut Revenue) -> Result<()> {
        let mut account: Vec<PeriodSeen> = Vec::new();
        let mut after = (Uid::new(""), Timestamp::MIN, InvoiceId::new(""));
        loop {
            let page = paid_periods::page(&self.context.store, (&after.0, after.1, &after.2), PAGE).await?;
            let Some(last) = page.last() else { break };
            after = (last.paid.uid.clone(), last.paid.from, last.paid.invoice_id.clone());
            for period in page {
                if account.first().is_some_and(|first| first.paid.uid != period.paid.uid) {
                    count(revenue, &account);
                    account.clear();
                }
                account.push(period);
            }
        }
        count(revenue, &account);
        Ok(())
    }
}

/// Adds one account's spans and payments. Duplicate payments are refunded and are no revenue.
fn count(revenue: &mut Revenue, periods: &[PeriodSeen]) {
    revenue.account(&spans(periods));
    for period in periods.iter().filter(|period| !period.duplicate) {
        let movement = |at, amount| Movement { plan: period.paid.plan_id.as_str().to_owned(), at, amount };
        revenue.invoiced(&movement(period.paid_at, period.total_centavos));
        if let Some(at) = period.refunded_at {
            revenue.refunded(&movement(at, period.refunded_centavos));
        }
    }
}

/// The spans in which an account was a subscriber, in order. A later period replaces the rest of an
/// earlier one, and the last period of a live subscription is open-ended.
fn spans(periods: &[PeriodSeen]) -> Vec<PaidSpan> {
    let mut spans: Vec<PaidSpan> = Vec::new();
    let periods: Vec<_> = periods.iter().filter(|period| !period.duplicate).collect();
    for (at, period) in periods.iter().enumerate() {
        let from = period.paid.from;
        let goes_on = period.live
            && !periods[at + 1..].iter().any(|next| next.paid.subscription_id == period.paid.subscription_id);
        let ends = [Some(period.paid.until), period.ended_at, period.returned_at];
        let until = ends.into_iter().flatten().min().filter(|_| !goes_on);
        if until.is_some_and(|until| until <= from) {
            continue;
        }
        if let Some(last) = spans.last_mut() {
            last.until = Some(last.until.map_or(from, |until| until.min(from)));
        }
        let days = period.paid.plan_interval.days();
        spans.push(PaidSpan {
            plan: period.paid.plan_id.as_str().to_owned(),
            monthly: monthly_value(period.paid.price_centavos, days),
            from,
            until,
            end: end(period),
        });
    }
    // A span that begins at the same instant as the next one is empty.
    spans.retain(|span| span.until.is_none_or(|until| span.from < until));
    spans
}

/// Why an account ceased to be a subscriber after a period.
fn end(period: &PeriodSeen) -> Churn {
    match period.ended_at {
        _ if period.returned_at.is_some() => Churn::Refunded,
        Some(_) if period.refunded_at.is_some() => Churn::Refunded,
        Some(ended_at) if period.cancel_at_period_end || ended_at < period.paid.until => Churn::Voluntary,
        _ if period.cancel_at_period_end || period.deleted => Churn::Voluntary,
        _ => Churn::Unpaid,
    }
}
