//! A small and pure second implementation of the rules of a subscription: a person's debts,
//! payments, refunds and rights after each event. It follows docs/requirements.md, not the
//! product's code.
//!
//! Instants are Unix seconds and arguments: the model has no clock. Money is centavos. The provider
//! charges an invoice an hour after its period began, then 3, 5 and 7 days later, as
//! `docs/operation.md` configures it.

mod acts;
mod time;

use garimpo_proto::billing::v1::PlanInterval;

pub const HOUR: i64 = 3_600;
pub const DAY: i64 = 24 * HOUR;
const SAO_PAULO: i64 = -3 * HOUR;
const TRIAL: i64 = 7 * DAY;
const GUARANTEE_DAYS: i64 = 7;
const VOUCHER_DAYS: i64 = 3;
const VOUCHER_GRACE: i64 = 3 * DAY;
const VOUCHERS: usize = 3;
const NEXT_VOUCHER: i64 = 3 * DAY;
const DRAFT: i64 = HOUR;
const RETRIES: [i64; 3] = [3 * DAY, 5 * DAY, 7 * DAY];
/// A smaller amount is not charged and moves to the next invoice.
const LEAST_CHARGE: i64 = 50;
const LEAST_BOLETO: i64 = 500;

/// The plans of the model, each with its documented prices by interval. Two of them cost the same.
pub const PLANS: [(&str, [i64; 4]); 5] = [
    ("top_afiliado", [9_790, 23_496, 39_160, 58_740]),
    ("elite_nivel_1", [19_790, 47_496, 79_160, 118_740]),
    ("elite_nivel_5", [29_790, 71_496, 119_160, 178_740]),
    ("elite_pro_1", [29_790, 71_496, 119_160, 178_740]),
    ("elite_pro_6", [104_790, 251_496, 419_160, 628_740]),
];
pub const INTERVALS: [(PlanInterval, &str, i64); 4] = [
    (PlanInterval::Monthly, "monthly", 30 * DAY),
    (PlanInterval::Quarterly, "trimestral", 90 * DAY),
    (PlanInterval::Semiannual, "semestral", 180 * DAY),
    (PlanInterval::Annual, "anual", 365 * DAY),
];

/// A plan for an interval, by the indexes in [`PLANS`] and [`INTERVALS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    pub plan: usize,
    pub interval: usize,
}

impl Offer {
    pub fn id(self) -> &'static str {
        PLANS[self.plan].0
    }
    pub fn price(self) -> i64 {
        PLANS[self.plan].1[self.interval]
    }
    pub fn length(self) -> i64 {
        INTERVALS[self.interval].2
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every charge succeeds.
    Card,
    /// Can be saved, and every later charge is declined.
    BadCard,
    Boleto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispute {
    None,
    Open,
    Won,
    Lost,
}

/// An invoice that was paid, in money or credit.
#[derive(Clone, Debug)]
pub struct Payment {
    subscription: usize,
    /// Whether it is a plan change, which may charge or give credit.
    by_change: bool,
    /// Total of the invoice.
    pub total: i64,
    /// The part that was charged: credit is used first.
    pub due: i64,
    /// The part that was refunded.
    pub back: i64,
    pub by_boleto: bool,
    pub dispute: Dispute,
    /// End of the period that the invoice paid for.
    until: i64,
}

/// An unpaid renewal.
#[derive(Clone, Debug)]
struct Owed {
    total: i64,
    due: i64,
    /// Credit used by the invoice, which is restored when the invoice is voided.
    used: i64,
    attempts: usize,
    /// Due date of the first boleto, while a boleto is pending.
    first_due: Option<i64>,
    next: Next,
}

#[derive(Clone, Copy, Debug)]
enum Next {
    /// The card is charged, or another boleto is issued.
    Attempt(i64),
    /// The pending boleto expires.
    Expiry(i64),
}

#[derive(Clone, Debug)]
struct Subscription {
    id: usize,
    offer: Offer,
    method: Method,
    /// Payment method of the last charge.
    paid_by_boleto: bool,
    from: i64,
    until: i64,
    /// The last debit of the current period and its time. A plan change gives its unused part back.
    debited: (i64, i64),
    cancels: bool,
    owed: Option<Owed>,
}

/// An unpaid first boleto.
#[derive(Clone, Debug)]
struct Waiting {
    /// The caller's key for the boleto.
    key: String,
    offer: Offer,
    issued: i64,
    due_at: i64,
    total: i64,
    due: i64,
    used: i64,
}

/// The amounts of a plan change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub unused: i64,
    pub charged: i64,
    pub due: i64,
    /// The customer's balance after the change; credit is negative.
    pub balance: i64,
    /// The end of the period after the change.
    pub until: i64,
}

/// Everything that the account's owner sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Plan, interval, status and `active` of the shown subscription.
    pub subscription: Option<(&'static str, PlanInterval, &'static str, Option<bool>)>,
    /// End of the paid period, and whether the subscription ends then.
    pub ends: Option<(i64, bool)>,
    /// Plan whose limits apply, and the status.
    pub rights: (&'static str, &'static str),
    pub credit: i64,
}

/// A refusal, by its reason.
pub type Refused = &'static str;

/// One account and its money.
#[derive(Clone, Debug)]
pub struct Account {
    created: i64,
    running: Option<Subscription>,
    waiting: Vec<Waiting>,
    /// Paid subscriptions that have ended.
    over: Vec<Subscription>,
    subscriptions: usize,
    first_paid_at: Option<i64>,
    /// Amount of a refund under the guarantee, and whether it is by Pix.
    refunded: Option<(i64, bool)>,
    pub payments: Vec<Payment>,
    /// Refunds to cards. A lost dispute is not a refund.
    pub back_by_card: i64,
    /// Refunds by Pix, which the operator makes.
    pub back_by_pix: i64,
    /// The customer's balance at the provider; credit is negative.
    pub balance: i64,
}

impl Account {
    pub fn new(created: i64) -> Self {
        Self {
            created,
            running: None,
            waiting: vec![],
            over: vec![],
            subscriptions: 0,
            first_paid_at: None,
            refunded: None,
            payments: vec![],
            back_by_card: 0,
            back_by_pix: 0,
            balance: 0,
        }
    }

    /// The end of the current or last paid period.
    pub fn period_end(&self) -> Option<i64> {
        self.running.as_ref().map(|own| own.until)
    }

    /// Applies the balance to an invoice; returns the charged amount and the change of the balance.
    fn settle(&mut self, total: i64) -> (i64, i64) {
        let (due, balance) = settled(total, self.balance);
        let used = balance - self.balance;
        self.balance = balance;
        (due, used)
    }

    /// Restores the balance of a voided invoice.
    fn voids(&mut self, used: i64) {
        self.balance -= used;
    }

    fn has_access(&self, own: &Subscription, now: i64) -> bool {
        self.status(own, now) != "suspended"
    }

    fn status(&self, own: &Subscription, now: i64) -> &'static str {
        let is_disputed = self.covering(own).any(|paid| paid.dispute == Dispute::Open);
        let due = own.owed.as_ref().map(|owed| owed.first_due);
        match due {
            _ if is_disputed => "suspended",
            _ if now < own.until => "active",
            None => "active",
            Some(Some(due)) if now < due => "active",
            Some(Some(due)) if now < due + VOUCHER_GRACE => "past_due",
            _ => "suspended",
        }
    }

    pub fn view(&self, now: i64) -> View {
        let own = self.running.as_ref();
        let seen = own.map(|own| (own.offer, self.status(own, now)));
        let live = seen.filter(|(_, status)| *status != "suspended");
        let waiting = self.waiting.last().map(|waiting| (waiting.offer, "awaiting_payment"));
        let over = self.over.last().map(|own| (own.offer, "canceled"));
        let shown = live.or(waiting).or(seen).or(over);
        let in_trial = self.payments.is_empty() && now < self.created + TRIAL;
        let status = shown.map(|(_, status)| status);
        let plan = match live {
            Some((offer, _)) => offer.id(),
            None if in_trial => "profissional",
            None => "free",
        };
        let without = if in_trial { "trialing" } else { "free" };
        let ends = own.filter(|_| live.is_some()).map(|own| (own.until, own.cancels));
        View {
            subscription: shown.map(|(offer, status)| {
                let active = (status != "awaiting_payment").then_some(live.is_some());
                (offer.id(), INTERVALS[offer.interval].0, status, active)
            }),
            ends,
            rights: (plan, status.unwrap_or(without)),
            credit: (-self.balance).max(0),
        }
    }
}

fn covers(paid: &Payment, own: &Subscription) -> bool {
    paid.subscription == own.id && paid.until > own.from
}

/// The charged part of a total, and the balance after it: credit is used first, and an amount below
/// the minimum moves to the next invoice.
fn settled(total: i64, balance: i64) -> (i64, i64) {
    let sum = total + balance;
    if sum < LEAST_CHARGE { (0, sum) } else { (sum, 0) }
}

/// The share of an amount for some seconds of a period, rounded half up to the centavo.
fn share(amount: i64, seconds: i64, whole: i64) -> i64 {
    let exact = 2 * i128::from(amount) * i128::from(seconds) + i128::from(whole);
    i64::try_from(exact.div_euclid(2 * i128::from(whole))).expect("centavos")
}

/// 40% off, the discount of BF40.
pub fn forty_off(price: i64) -> i64 {
    price - (price * 40 + 50) / 100
}

/// The last second of the day in São Paulo.
pub fn end_of_day(at: i64) -> i64 {
    (at + SAO_PAULO).div_euclid(DAY) * DAY + DAY - 1 - SAO_PAULO
}
