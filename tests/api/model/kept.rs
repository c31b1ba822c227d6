//! Reduced cases in which the product once differed from the model. Every run repeats each of them.
//! Random failures are printed in this form.

use e2e::model::{Method, Offer};

use super::case::{Act, Case, Disturbance, Passing, Round};

/// The fault that each case found, and the case.
pub fn cases() -> Vec<(&'static str, Case)> {
    vec![
        (
            "a boleto restored the trial after a full refund, and hid a suspended subscription from its cancellation; \
         a disputed subscription could change to a more expensive plan; a boleto was offered for an amount that \
         credit had paid",
            four_faults(),
        ),
        (
            "a card that was declined for a renewal with a pending voucher did not end access",
            refused_beside_a_voucher(),
        ),
    ]
}

fn four_faults() -> Case {
    let month = |plan| Offer { plan, interval: 0 };
    let buys = |plan, by| Act::Buy { offer: month(plan), coupon: false, by };
    let fair = |acts, passes| Round { disturbance: Disturbance::Undisturbed, acts, passes };
    let (card, slip) = (Method::Card, Method::Boleto);
    let quarter = Act::Buy { offer: Offer { plan: 0, interval: 1 }, coupon: false, by: slip };
    let change = |plan| Act::Change { to: month(plan) };
    Case {
        rounds: vec![
            fair([buys(1, card), buys(1, Method::BadCard), buys(1, card), buys(1, card)], Passing::Minutes),
            fair([Act::RequestRefund, Act::Nothing, Act::Dispute, change(0)], Passing::Minutes),
            fair([buys(0, slip), Act::Nothing, change(3), Act::Cancel], Passing::OverRenewal(1)),
            fair([Act::Nothing, buys(0, slip), Act::Decide { won: false }, buys(0, slip)], Passing::Minutes),
            fair([Act::Nothing, Act::Cancel, change(3), quarter], Passing::Minutes),
        ],
    }
}

fn refused_beside_a_voucher() -> Case {
    let alone = |act, disturbance, passes| Round {
        disturbance,
        acts: [act, Act::Nothing, Act::Nothing, Act::Nothing],
        passes,
    };
    let buys = Act::Buy { offer: Offer { plan: 2, interval: 0 }, coupon: false, by: Method::Boleto };
    Case {
        rounds: vec![
            alone(buys, Disturbance::Undisturbed, Passing::Minutes),
            alone(Act::PayBoleto, Disturbance::EventsLost, Passing::OverRenewal(0)),
            alone(Act::GiveCard { good: false }, Disturbance::Undisturbed, Passing::Days(2)),
        ],
    }
}
