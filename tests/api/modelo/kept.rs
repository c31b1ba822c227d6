//! Cases in which the product once did something else than the model says, as small as they would get: each is lived in
//! every run. What chance finds is printed in this form.

use e2e::model::{Method, Offer};

use super::case::{Act, Case, Passing, Round, Weather};

/// Why each is kept, and what happens in it.
pub fn cases() -> Vec<(&'static str, Case)> {
    vec![(
        "a boleto brought the trial back to who had been given all back, and hid a suspended subscription from its \
         cancellation; a disputed one could be made dearer; a boleto was offered for what credit had paid",
        four_faults(),
    )]
}

fn four_faults() -> Case {
    let month = |plan| Offer { plan, interval: 0 };
    let buys = |plan, by| Act::Buy { offer: month(plan), coupon: false, by };
    let fair = |acts, passes| Round { weather: Weather::Fair, acts, passes };
    let (card, slip) = (Method::Card, Method::Boleto);
    let quarter = Act::Buy { offer: Offer { plan: 0, interval: 1 }, coupon: false, by: slip };
    let change = |plan| Act::Change { to: month(plan) };
    Case {
        rounds: vec![
            fair([buys(1, card), buys(1, Method::BadCard), buys(1, card), buys(1, card)], Passing::Minutes),
            fair([Act::AskBack, Act::Nothing, Act::Dispute, change(0)], Passing::Minutes),
            fair([buys(0, slip), Act::Nothing, change(3), Act::Cancel], Passing::OverRenewal(1)),
            fair([Act::Nothing, buys(0, slip), Act::Decide { won: false }, buys(0, slip)], Passing::Minutes),
            fair([Act::Nothing, Act::Cancel, change(3), quarter], Passing::Minutes),
        ],
    }
}
