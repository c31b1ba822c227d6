//! A second, small and pure implementation of the rules of a subscription: a person's debts,
//! payments, refunds and rights after each event. It follows the requirements, not the product.
//!
//! Instants are Unix seconds and arguments: the model has no clock. Money is centavos. The provider
//! charges an invoice an hour after its period began, then 3, 5 and 7 days later, as
//! `docs/operation.md` asks the operator to set.

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
/// Less than this is not charged: it waits for the next invoice.
const LEAST_CHARGE: i64 = 50;
const LEAST_BOLETO: i64 = 500;

/// Plans that a life is bought in, each with its price by interval as the price list gives them;
/// two of them cost the same.
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

/// A plan for an interval, by their places in [`PLANS`] and [`INTERVALS`].
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
    /// Every charge passes.
    Card,
    /// Attaches, and every later charge is refused.
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
    /// Whether a change of plan was charged, or gave credit.
    by_change: bool,
    /// What it came to.
    pub total: i64,
    /// What of it was money: credit is used first.
    pub due: i64,
    /// What of the money went back.
    pub back: i64,
    pub by_boleto: bool,
    pub dispute: Dispute,
    /// The end of the time that it opened.
    until: i64,
}

/// A renewal whose money did not come.
#[derive(Clone, Debug)]
struct Owed {
    total: i64,
    due: i64,
    /// What it took from the balance; given back when nobody owes it any more.
    used: i64,
    attempts: usize,
    /// The end of the first voucher's day, while it is a voucher that is waited for.
    first_due: Option<i64>,
    next: Next,
}

#[derive(Clone, Copy, Debug)]
enum Next {
    /// The card is charged, or another voucher issued.
    Attempt(i64),
    /// The voucher that waits expires.
    Expiry(i64),
}

#[derive(Clone, Debug)]
struct Subscription {
    id: usize,
    offer: Offer,
    method: Method,
    /// What the last money came by.
    paid_by_boleto: bool,
    from: i64,
    until: i64,
    /// What was last debited for the present period, from when on: a change gives its unused part
    /// back.
    debited: (i64, i64),
    cancels: bool,
    owed: Option<Owed>,
}

/// A first boleto that nobody has paid yet.
#[derive(Clone, Debug)]
struct Waiting {
    /// What the caller names it by.
    key: String,
    offer: Offer,
    issued: i64,
    due_at: i64,
    total: i64,
    due: i64,
    used: i64,
}

/// What a change of plan comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub unused: i64,
    pub charged: i64,
    pub due: i64,
    /// The customer's balance after it; credit is negative.
    pub balance: i64,
    /// The end of the period after it.
    pub until: i64,
}

/// What somebody sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Plan, interval, status and `active` of the subscription that speaks for the account.
    pub subscription: Option<(&'static str, PlanInterval, &'static str, Option<bool>)>,
    /// End of the paid period and whether it ends then, while it runs.
    pub ends: Option<(i64, bool)>,
    /// Plan whose limits hold, and the status beside it.
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
    /// Those that were paid and are over.
    over: Vec<Subscription>,
    subscriptions: usize,
    first_paid_at: Option<i64>,
    /// What a refund under the guarantee came to, and whether any of it came by Pix.
    refunded: Option<(i64, bool)>,
    pub payments: Vec<Payment>,
    /// What the provider gave back to cards; what a bank took back by a dispute is no refund.
    pub back_by_card: i64,
    /// What the operator gives back by Pix.
    pub back_by_pix: i64,
    /// What the provider keeps between invoices; credit is negative.
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

    /// The end of the paid period that runs or ran out last.
    pub fn period_end(&self) -> Option<i64> {
        self.running.as_ref().map(|own| own.until)
    }

    /// What an invoice takes from the balance, and what of it is money.
    fn settle(&mut self, total: i64) -> (i64, i64) {
        let (due, balance) = settled(total, self.balance);
        let used = balance - self.balance;
        self.balance = balance;
        (due, used)
    }

    /// Nobody owes it any more.
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

/// What of a total is money now, and the balance after it: credit first, and what is too little
/// waits.
fn settled(total: i64, balance: i64) -> (i64, i64) {
    let sum = total + balance;
    if sum < LEAST_CHARGE { (0, sum) } else { (sum, 0) }
}

/// The share of an amount for some seconds of a whole, rounded half up to the centavo.
fn share(amount: i64, seconds: i64, whole: i64) -> i64 {
    let exact = 2 * i128::from(amount) * i128::from(seconds) + i128::from(whole);
    i64::try_from(exact.div_euclid(2 * i128::from(whole))).expect("centavos")
}

/// 40 % off, as the code of Black Friday gives.
pub fn forty_off(price: i64) -> i64 {
    price - (price * 40 + 50) / 100
}

/// The last second of the day in São Paulo.
pub fn end_of_day(at: i64) -> i64 {
    (at + SAO_PAULO).div_euclid(DAY) * DAY + DAY - 1 - SAO_PAULO
}
