//! A random case as a value that can be reduced and stored: rounds of faults, one action per
//! person, and time.

use e2e::model::{Method, Offer};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// People of one run. They share only the product and the clock.
pub const PEOPLE: usize = 4;

/// The rounds of a run.
#[derive(Clone, Debug)]
pub struct Case {
    pub rounds: Vec<Round>,
}

#[derive(Clone, Debug)]
pub struct Round {
    pub disturbance: Disturbance,
    /// One action per person, all at the same time.
    pub acts: [Act; PEOPLE],
    pub passes: Passing,
}

/// An action of a person, or an event of their payment. The model returns the expected result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Nothing,
    Buy {
        offer: Offer,
        coupon: bool,
        by: Method,
    },
    /// The bank declines the first charge.
    BuyDeclined {
        offer: Offer,
    },
    /// Two checkouts paid at the same moment.
    BuyTwice {
        offers: [Offer; 2],
    },
    PayBoleto,
    GiveCard {
        good: bool,
    },
    Change {
        to: Offer,
    },
    Cancel,
    Resume,
    RequestRefund,
    /// The provider's dashboard refunds the newest payment: all of it or R$ 10,00.
    Refund {
        whole: bool,
    },
    Dispute,
    Decide {
        won: bool,
    },
}

/// A disturbance during a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    Undisturbed,
    /// Every event of the round is dropped.
    EventsLost,
    EventsDoubled,
    EventsShuffled,
    /// Every event is delivered after the round.
    EventsHeld,
    /// kill -9 of the server, this long after the actions began.
    Killed {
        after_ms: u64,
    },
    /// The server crashes at this passage of a crash point.
    Dies {
        point: &'static str,
        pass: u32,
    },
    /// The provider executes calls and loses this many responses.
    AnswersLost {
        times: u32,
    },
    /// The provider fails this many times.
    Failing {
        times: u32,
    },
}

/// How long a round lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    Minutes,
    Days(u16),
    /// To half an hour after the end of a person's period, when the renewal's invoice is a draft.
    IntoRenewal(usize),
    /// To two hours after it, when the invoice has been charged.
    OverRenewal(usize),
}

impl Case {
    /// The case of a seed.
    pub fn of_seed(seed: u64, rounds: usize) -> Self {
        Self::tree(seed, rounds).current()
    }

    /// The same with its smaller versions.
    pub fn tree(seed: u64, rounds: usize) -> impl ValueTree<Value = Self> {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        // A buyer has more possible actions, so the first round buys.
        let begin = (prop::array::uniform4(buy()), passing()).prop_map(|(acts, passes)| Round {
            disturbance: Disturbance::Undisturbed,
            acts,
            passes,
        });
        let cases = (begin, prop::collection::vec(round(), rounds - 1))
            .prop_map(|(begin, rest)| Self { rounds: [vec![begin], rest].concat() });
        cases.new_tree(&mut TestRunner::new_with_rng(Config::default(), rng)).expect("no case is refused")
    }
}

fn round() -> impl Strategy<Value = Round> {
    (disturbance(), prop::array::uniform4(act()), passing()).prop_map(|(disturbance, acts, passes)| Round {
        disturbance,
        acts,
        passes,
    })
}

fn offer() -> impl Strategy<Value = Offer> {
    // Short periods have more renewals in the same time.
    (0..5_usize, prop_oneof![5 => Just(0_usize), 1 => Just(1), 1 => Just(2), 1 => Just(3)])
        .prop_map(|(plan, interval)| Offer { plan, interval })
}

fn buy() -> impl Strategy<Value = Act> {
    let by = prop_oneof![3 => Just(Method::Card), 2 => Just(Method::BadCard), 2 => Just(Method::Boleto)];
    (offer(), any::<bool>(), by).prop_map(|(offer, coupon, by)| Act::Buy { offer, coupon, by })
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => Just(Act::Nothing),
        8 => buy(),
        1 => offer().prop_map(|offer| Act::BuyDeclined { offer }),
        1 => (offer(), offer()).prop_map(|(one, other)| Act::BuyTwice { offers: [one, other] }),
        5 => Just(Act::PayBoleto),
        3 => any::<bool>().prop_map(|good| Act::GiveCard { good }),
        7 => offer().prop_map(|to| Act::Change { to }),
        2 => Just(Act::Cancel),
        1 => Just(Act::Resume),
        1 => Just(Act::RequestRefund),
        1 => any::<bool>().prop_map(|whole| Act::Refund { whole }),
        2 => Just(Act::Dispute),
        2 => any::<bool>().prop_map(|won| Act::Decide { won }),
    ]
}

const POINTS: [&str; 5] =
    ["intent.stored", "provider.answered", "event.stored", "projection.committed", "job.delivered"];

fn disturbance() -> impl Strategy<Value = Disturbance> {
    prop_oneof![
        6 => Just(Disturbance::Undisturbed),
        1 => Just(Disturbance::EventsLost),
        1 => Just(Disturbance::EventsDoubled),
        1 => Just(Disturbance::EventsShuffled),
        1 => Just(Disturbance::EventsHeld),
        2 => (0..400_u64).prop_map(|after_ms| Disturbance::Killed { after_ms }),
        2 => (prop::sample::select(&POINTS[..]), 1..6_u32)
            .prop_map(|(point, pass)| Disturbance::Dies { point, pass }),
        1 => (1..4_u32).prop_map(|times| Disturbance::AnswersLost { times }),
        1 => (1..8_u32).prop_map(|times| Disturbance::Failing { times }),
    ]
}

fn passing() -> impl Strategy<Value = Passing> {
    prop_oneof![
        3 => Just(Passing::Minutes),
        3 => prop::sample::select(vec![1_u16, 2, 4, 9, 16, 31]).prop_map(Passing::Days),
        2 => (0..PEOPLE).prop_map(Passing::IntoRenewal),
        3 => (0..PEOPLE).prop_map(Passing::OverRenewal),
    ]
}
