//! Revenue figures of each month, computed from paid periods.
//!
//! A period counts from its first to its last day, whenever it was paid: a renewal paid two days
//! late leaves no gap. Its MRR is the regular price scaled to 30 days, before coupons and credit.
//! Months are those of São Paulo. The figures are explained to the operator in `docs/operator.md`.

use std::collections::BTreeMap;
use std::fmt;

use crate::instant::{Day, Timestamp};
use crate::money::Centavos;

/// Days that a month counts for.
const MONTH_DAYS: i64 = 30;

/// A price scaled to 30 days: price / days x 30, half up to the centavo.
pub const fn monthly_value(price: Centavos, days: u32) -> Centavos {
    let days = days as i64;
    Centavos::new((2 * price.get() * MONTH_DAYS + days).div_euclid(2 * days))
}

/// A calendar month of São Paulo; shown as `2026-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: i32,
    month: u8,
}

impl Month {
    /// Reads `2026-11`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let is_written_so = year.len() == 4 && month.len() == 2;
        let read = Self { year: year.parse().ok()?, month: month.parse().ok()? };
        (is_written_so && (1..=12).contains(&read.month) && read.year >= 1970).then_some(read)
    }

    /// The month of an instant.
    pub fn of(at: Timestamp) -> Self {
        let Day { year, month, .. } = at.day_in_sao_paulo();
        Self { year, month }
    }

    /// Its first instant.
    pub fn starts(self) -> Timestamp {
        let first = Day { year: self.year, month: self.month, day: 1 };
        first.starts_in_sao_paulo().unwrap_or(Timestamp::MIN)
    }

    /// The first instant after it.
    pub fn ends(self) -> Timestamp {
        self.plus(1).starts()
    }

    /// So many months later (earlier when negative).
    #[must_use]
    pub const fn plus(self, months: i32) -> Self {
        let number = self.number() + months;
        Self { year: number.div_euclid(12), month: number.rem_euclid(12) as u8 + 1 }
    }

    /// Months since January of the year 0.
    const fn number(self) -> i32 {
        self.year * 12 + self.month as i32 - 1
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// Why a subscriber stopped being one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Churn {
    /// Cancelled, by the subscriber or at the provider.
    Voluntary,
    /// The renewal was not paid.
    Unpaid,
    /// The money was given back.
    Refunded,
}

/// A span of time in which an account is a subscriber.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidSpan {
    /// Plan id.
    pub plan: String,
    /// Worth of 30 days.
    pub monthly: Centavos,
    /// Its first instant.
    pub from: Timestamp,
    /// The first instant after it; `None` while access goes on.
    pub until: Option<Timestamp>,
    /// Why it ends, where nothing follows it.
    pub end: Churn,
}

/// Money that came or went back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// Plan id.
    pub plan: String,
    /// When.
    pub at: Timestamp,
    /// How much.
    pub amount: Centavos,
}

/// The figures of one month, of one plan or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Figures {
    /// Worth in 30 days of the subscriptions at the month's end (or now, in the running one).
    pub mrr_centavos: i64,
    /// Subscribers as the month began.
    pub at_start: i64,
    /// First-time subscribers.
    pub new: i64,
    /// Subscribers who returned.
    pub reactivated: i64,
    /// Subscribers who changed to this plan minus those who left it; 0 over all plans.
    pub changed: i64,
    /// Subscribers who left by a cancellation.
    pub churned_voluntary: i64,
    /// Subscribers who left by not paying.
    pub churned_unpaid: i64,
    /// Subscribers who left with a refund.
    pub churned_refunded: i64,
    /// Subscribers at the month's end: start + new + reactivated + changed - churned.
    pub at_end: i64,
    /// Totals of the invoices paid in the month, after coupons; the credit of a downgrade counts
    /// negative.
    pub invoiced_centavos: i64,
    /// Refunds of the month.
    pub refunded_centavos: i64,
}

impl Figures {
    fn add(&mut self, other: &Self) {
        self.mrr_centavos += other.mrr_centavos;
        self.at_start += other.at_start;
        self.new += other.new;
        self.reactivated += other.reactivated;
        self.changed += other.changed;
        self.churned_voluntary += other.churned_voluntary;
        self.churned_unpaid += other.churned_unpaid;
        self.churned_refunded += other.churned_refunded;
        self.at_end += other.at_end;
        self.invoiced_centavos += other.invoiced_centavos;
        self.refunded_centavos += other.refunded_centavos;
    }
}

/// Figures of some months in a row, filled account by account.
#[derive(Clone, Debug)]
pub struct Revenue {
    months: Vec<Month>,
    now: Timestamp,
    by_plan: BTreeMap<(Month, String), Figures>,
}

impl Revenue {
    /// Counts from `first` to `last`, both included, as of `now`.
    pub fn new(first: Month, last: Month, now: Timestamp) -> Self {
        let months = (0..=last.number() - first.number()).map(|at| first.plus(at)).collect();
        Self { months, now, by_plan: BTreeMap::new() }
    }

    /// Adds the life of one account: its spans, ordered and without overlap.
    pub fn account(&mut self, spans: &[PaidSpan]) {
        let mut before: Option<&PaidSpan> = None;
        for (at, span) in spans.iter().enumerate() {
            match before {
                None => self.at(span.from, &span.plan, |figures| figures.new += 1),
                Some(last) if last.until != Some(span.from) => {
                    self.at(span.from, &span.plan, |figures| figures.reactivated += 1);
                }
                // The renewal of a plan leaves and enters it, which cancels out.
                Some(last) => {
                    self.at(span.from, &last.plan, |figures| figures.changed -= 1);
                    self.at(span.from, &span.plan, |figures| figures.changed += 1);
                }
            }
            if let Some(until) =
                span.until.filter(|until| spans.get(at + 1).is_none_or(|next| next.from != *until))
            {
                self.at(until, &span.plan, |figures| match span.end {
                    Churn::Voluntary => figures.churned_voluntary += 1,
                    Churn::Unpaid => figures.churned_unpaid += 1,
                    Churn::Refunded => figures.churned_refunded += 1,
                });
            }
            self.stands(span);
            before = Some(span);
        }
    }

    /// Adds money that came.
    pub fn invoiced(&mut self, movement: &Movement) {
        self.at(movement.at, &movement.plan, |figures| figures.invoiced_centavos += movement.amount.get());
    }

    /// Adds money that went back.
    pub fn refunded(&mut self, movement: &Movement) {
        self.at(movement.at, &movement.plan, |figures| figures.refunded_centavos += movement.amount.get());
    }

    /// Every month in order, each with its plans in the order of their ids.
    pub fn rows(&self) -> impl Iterator<Item = (Month, &str, Figures)> {
        self.by_plan.iter().map(|((month, plan), figures)| (*month, plan.as_str(), *figures))
    }

    /// All plans of each month together, months without any included.
    pub fn totals(&self) -> impl Iterator<Item = (Month, Figures)> {
        self.months.iter().map(|month| {
            let mut total = Figures::default();
            let of_month = self.by_plan.iter().filter(|((of, _), _)| of == month);
            of_month.for_each(|(_, figures)| total.add(figures));
            (*month, total)
        })
    }

    /// Counts the subscribers at the start and the end of each month.
    fn stands(&mut self, span: &PaidSpan) {
        let stands_at = |at: Timestamp| span.from < at && span.until.is_none_or(|until| at <= until);
        for at in 0..self.months.len() {
            let month = self.months[at];
            let end = month.ends().min(self.now.plus_micros(1));
            let (at_start, at_end) = (stands_at(month.starts()), month.starts() < end && stands_at(end));
            if at_start || at_end {
                let figures = self.by_plan.entry((month, span.plan.clone())).or_default();
                figures.at_start += i64::from(at_start);
                figures.at_end += i64::from(at_end);
                figures.mrr_centavos += if at_end { span.monthly.get() } else { 0 };
            }
        }
    }

    /// Changes the figures of an instant's month, when it is one of those counted and has come.
    fn at(&mut self, at: Timestamp, plan: &str, change: impl FnOnce(&mut Figures)) {
        let month = Month::of(at);
        let is_counted = self.months.first().is_some_and(|first| *first <= month)
            && self.months.last().is_some_and(|last| month <= *last);
        if is_counted && at <= self.now {
            change(self.by_plan.entry((month, plan.to_owned())).or_default());
        }
    }
}

#[cfg(test)]
mod tests;
