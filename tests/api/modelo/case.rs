//! A random case as a value that can be reduced and stored: rounds of faults, one action per
//! person, and time.

use e2e::model::{Method, Offer};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// People of one world; they share the product and the clock, and nothing else.
pub const PEOPLE: usize = 4;

/// Everything that happens in a world.
#[derive(Clone, Debug)]
pub struct Case {
    pub rounds: Vec<Round>,
}

#[derive(Clone, Debug)]
pub struct Round {
    pub weather: Weather,
    /// One of each person, all at the same time.
    pub acts: [Act; PEOPLE],
    pub passes: Passing,
}

/// What somebody tries, or what happens to their payment; the model says what comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Nothing,
    Buy {
        offer: Offer,
        coupon: bool,
        by: Method,
    },
    /// The bank refuses the first charge.
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
    AskBack,
    /// The provider's dashboard gives the newest payment back, all or ten reais of it.
    Refund {
        whole: bool,
    },
    Dispute,
    Decide {
        won: bool,
    },
}

/// What goes wrong during a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    Fair,
    /// Every event of the round is lost for good.
    EventsLost,
    EventsDoubled,
    EventsShuffled,
    /// Every event comes after the round.
    EventsHeld,
    /// kill -9 of the server so long after the acts began.
    Killed {
        after_ms: u64,
    },
    /// The server dies as it passes a crash point so often.
    Dies {
        point: &'static str,
        pass: u32,
    },
    /// The provider acts so often without answering.
    AnswersLost {
        times: u32,
    },
    /// The provider fails so often.
    Failing {
        times: u32,
    },
}

/// How long a round lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    Minutes,
    Days(u16),
    /// To half an hour after the end of somebody's period: its invoice is a draft.
    IntoRenewal(usize),
    /// To two hours after it: the invoice was charged.
    OverRenewal(usize),
}

impl Case {
    /// The case that a seed makes.
    pub fn of_seed(seed: u64, rounds: usize) -> Self {
        Self::tree(seed, rounds).current()
    }

    /// The same with its smaller versions.
    pub fn tree(seed: u64, rounds: usize) -> impl ValueTree<Value = Self> {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        // Who has bought has more to do: the first round is for that.
        let begin = (prop::array::uniform4(buy()), passing()).prop_map(|(acts, passes)| Round {
            weather: Weather::Fair,
            acts,
            passes,
        });
        let cases = (begin, prop::collection::vec(round(), rounds - 1))
            .prop_map(|(begin, rest)| Self { rounds: [vec![begin], rest].concat() });
        cases.new_tree(&mut TestRunner::new_with_rng(Config::default(), rng)).expect("no case is refused")
    }
}

fn round() -> impl Strategy<Value = Round> {
    (weather(), prop::array::uniform4(act()), passing()).prop_map(|(weather, acts, passes)| Round {
        weather,
        acts,
        passes,
    })
}

fn offer() -> impl Strategy<Value = Offer> {
    // Short periods live more in the same time.
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
        1 => Just(Act::AskBack),
        1 => any::<bool>().prop_map(|whole| Act::Refund { whole }),
        2 => Just(Act::Dispute),
        2 => any::<bool>().prop_map(|won| Act::Decide { won }),
    ]
}

const POINTS: [&str; 5] =
    ["intent.stored", "provider.answered", "event.stored", "projection.committed", "job.delivered"];

fn weather() -> impl Strategy<Value = Weather> {
    prop_oneof![
        6 => Just(Weather::Fair),
        1 => Just(Weather::EventsLost),
        1 => Just(Weather::EventsDoubled),
        1 => Just(Weather::EventsShuffled),
        1 => Just(Weather::EventsHeld),
        2 => (0..400_u64).prop_map(|after_ms| Weather::Killed { after_ms }),
        2 => (prop::sample::select(&POINTS[..]), 1..6_u32)
            .prop_map(|(point, pass)| Weather::Dies { point, pass }),
        1 => (1..4_u32).prop_map(|times| Weather::AnswersLost { times }),
        1 => (1..8_u32).prop_map(|times| Weather::Failing { times }),
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
