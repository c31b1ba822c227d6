//! Every assumption that the product makes about the payment provider.

mod purchases;
mod renewals;
mod requests;

use crate::billing::rehearsal::assumption::Assumption;

/// The assumptions by area, with the title of each area, in the order in which they are reported.
pub static AREAS: [(&str, &[Assumption]); 8] = [
    ("Prices, coupons and checkouts", purchases::PRICES),
    ("Renewals and failed payments", renewals::RENEWALS),
    ("Cancellations and voided invoices", renewals::ENDINGS),
    ("Payments that need authentication", renewals::AUTHENTICATION),
    ("Trials and changes of plan", purchases::PLANS),
    ("Boletos", purchases::BOLETOS),
    ("Refunds and disputes", purchases::REFUNDS),
    ("Requests, lists and events", requests::REQUESTS),
];

/// Every assumption, in the order in which it is reported.
pub fn assumptions() -> impl Iterator<Item = &'static Assumption> {
    AREAS.iter().flat_map(|(_, assumptions)| *assumptions)
}
