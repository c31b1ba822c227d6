//! A random case: a batch of accounts, each in a state, and the calls made for each at the same
//! moment.

use e2e::soak;
use rand::Rng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

/// Accounts of one batch. They share the product, the clock and the provider's behavior.
pub const ACCOUNTS: usize = 8;

/// How the provider responds to the calls of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    AtOnce,
    /// After 200 ms.
    Late,
    /// The provider executes calls and loses this many responses.
    Lost(u32),
}

/// State of an account before the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Two checkouts are open, nothing was paid.
    TwoCheckouts,
    /// A boleto waits for its payment, and another checkout is open.
    Boleto,
    /// Paid by card.
    Paid,
    /// Paid by boleto.
    PaidByBoleto,
    /// Paid by card and changed to a cheaper plan, which gave credit.
    Downgraded,
    /// Paid by card and changed to a more expensive plan, with a second payment.
    Upgraded,
    /// Paid by card, and cancelled at the end of its period.
    Cancelled,
    /// Paid by a card whose later charges are all declined.
    BadCard,
}

/// One call, or one event at the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    OpenCheckout,
    /// Pays one of the open checkouts by card.
    PayByCard(usize),
    PayBoleto,
    ChangeUp,
    ChangeDown,
    Cancel,
    Resume,
    Refund,
    Delete,
    ReplaceCard,
    /// The payer's bank opens a dispute about the first payment.
    Dispute,
    /// The provider's dashboard refunds the first payment.
    RefundAtDashboard,
}

impl Act {
    /// Whether it is a call that reaches the pause point of a subscribed account.
    pub fn pauses(self) -> bool {
        matches!(
            self,
            Self::ChangeUp | Self::ChangeDown | Self::Cancel | Self::Resume | Self::Refund | Self::Delete
        )
    }

    /// Whether the provider causes the act, without a call to the product.
    pub fn is_outside(self) -> bool {
        matches!(self, Self::Dispute | Self::RefundAtDashboard)
    }
}

#[derive(Clone, Debug)]
pub struct Case {
    pub state: State,
    pub acts: Vec<Act>,
}

/// When a batch happens, and what the clock does meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Minutes after the purchases, within the guarantee.
    Fresh,
    /// Eight days later, after the guarantee.
    AfterGuarantee,
    /// The clock passes the end of the month during the calls, so renewals are charged.
    Renewal,
}

#[derive(Clone, Debug)]
pub struct Batch {
    pub answers: Answers,
    pub time: Time,
    pub cases: Vec<Case>,
    /// Whether the banks decide the disputes in our favour.
    pub disputes_are_won: bool,
}

impl Batch {
    /// The batch of a seed and a number.
    pub fn of_seed(seed: u64, number: u64) -> Self {
        let mut random = soak::random(seed, number);
        let answers = match random.random_range(0..4) {
            0 | 1 => Answers::AtOnce,
            2 => Answers::Late,
            _ => Answers::Lost(random.random_range(1..=4)),
        };
        let time = match random.random_range(0..8) {
            0 => Time::AfterGuarantee,
            1 => Time::Renewal,
            _ => Time::Fresh,
        };
        let cases = (0..ACCOUNTS).map(|_| Case::drawn(&mut random)).collect();
        let disputes_are_won = random.random_bool(0.5);
        Self { answers, time, cases, disputes_are_won }
    }
}

impl Case {
    fn drawn(random: &mut StdRng) -> Self {
        const STATES: [State; 10] = [
            State::TwoCheckouts,
            State::Boleto,
            State::Paid,
            State::Paid,
            State::Paid,
            State::PaidByBoleto,
            State::Downgraded,
            State::Upgraded,
            State::Cancelled,
            State::BadCard,
        ];
        let state = *STATES.choose(random).expect("there are some");
        let mut possible = possible(state);
        let count = if random.random_bool(0.3) { 3 } else { 2 };
        let mut acts = vec![];
        while acts.len() < count {
            let at = random.random_range(0..possible.len());
            let act = possible[at];
            acts.push(act);
            // Sometimes the same call twice at once.
            if !random.random_bool(0.15) || act == Act::Dispute {
                possible.remove(at);
            }
            // A preview voids the earlier one, so only one change is prepared.
            if matches!(act, Act::ChangeUp | Act::ChangeDown) {
                possible.retain(|other| *other == act || !matches!(other, Act::ChangeUp | Act::ChangeDown));
            }
        }
        Self { state, acts }
    }
}

fn possible(state: State) -> Vec<Act> {
    use Act::{
        Cancel, ChangeDown, ChangeUp, Delete, Dispute, OpenCheckout, PayBoleto, PayByCard, Refund,
        RefundAtDashboard, ReplaceCard, Resume,
    };
    match state {
        State::TwoCheckouts => vec![PayByCard(0), PayByCard(1), OpenCheckout, Delete],
        State::Boleto => vec![PayBoleto, PayByCard(1), OpenCheckout, Delete],
        State::PaidByBoleto => {
            vec![ChangeDown, Cancel, Resume, Refund, Delete, ReplaceCard, OpenCheckout]
        }
        State::Paid | State::Downgraded | State::Upgraded | State::Cancelled | State::BadCard => vec![
            ChangeUp,
            ChangeDown,
            ChangeDown,
            Cancel,
            Resume,
            Refund,
            Refund,
            Delete,
            ReplaceCard,
            OpenCheckout,
            Dispute,
            RefundAtDashboard,
        ],
    }
}
