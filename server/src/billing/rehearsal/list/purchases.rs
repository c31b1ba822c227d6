//! Assumptions about purchases: prices, trials, changes of plan, boletos and refunds.

use crate::billing::rehearsal::assumption::{Assumption, Check, Source, calls, in_browser};
use crate::billing::rehearsal::checks::prices;

pub static PRICES: &[Assumption] = &[
    Assumption {
        id: "percent-coupon-rounds-half-up",
        title: "A percent coupon rounds half a centavo up",
        expects: "15% of R$ 49,90 take R$ 7,49 off, and 15% of R$ 50,10 take R$ 7,52 off.",
        why: "Every monthly price with a coupon of 15% falls on half a centavo. The catalogue push makes an amount \
              coupon for such a price, so the buyer pays what the page shows under every rounding; coupons pushed by \
              an earlier version follow the provider's rounding.",
        source: Source::Undocumented("Half up is the rule of the provider's tax rates."),
        check: calls!(|stage| prices::percent_rounds_half_up(&stage.tools).await?),
    },
    Assumption {
        id: "amount-coupon-is-exact",
        title: "An amount coupon takes exactly its amount off",
        expects: "The session's amount_total is the price without the coupon's amount, before any payment.",
        why: "Discounts that are no whole centavo are pushed as amount coupons. Another total raises an alarm, and the \
              buyer sees the provider's total before paying.",
        source: Source::Page("https://docs.stripe.com/api/coupons/object"),
        check: calls!(|stage| prices::amount_is_exact(&stage.tools).await?),
    },
    Assumption {
        id: "checkout-offers-boleto",
        title: "A checkout offers card and boleto where the product asks for both",
        expects: "The session's payment_method_types has card and boleto.",
        why: "allowed_payment_method_types is a filter: methods that are switched off in the dashboard are left out \
              without an error, and nobody can pay by boleto.",
        source: Source::Page("https://docs.stripe.com/payments/boleto"),
        check: calls!(|stage| prices::boleto_is_offered(&stage.tools).await?),
    },
    Assumption {
        id: "checkout-can-be-expired",
        title: "An open checkout can be expired at once",
        expects: "The session's status is open, and expired after the call.",
        why: "The product expires a checkout that must not be paid any more: another plan was chosen, or the account \
              has a subscription by now.",
        source: Source::Page("https://docs.stripe.com/api/checkout/sessions/expire"),
        check: calls!(|stage| prices::session_expires(&stage.tools).await?),
    },
    Assumption {
        id: "checkout-card-on-subscription",
        title: "Checkout stores the card on the subscription alone",
        expects: "After a purchase the subscription has a default payment method and the customer has none.",
        why: "The product compares the two to see that a person replaced the card. Where Checkout sets both, a \
              replaced card is found later, when they differ.",
        source: Source::Undocumented(
            "An engineer of the provider says so in a public issue (laravel/cashier-stripe 1007).",
        ),
        check: in_browser!(|stage| stage.purchase().await?.stores_the_card_on_the_subscription()),
    },
];

pub static PLANS: &[Assumption] = &[
    Assumption {
        id: "trial-end-is-charged",
        title: "The end of a trial charges the card",
        expects: "Two hours after the trial the invoice is paid and the subscription active.",
        why: "GARIMPO_TRIAL_PURCHASE=at_trial_end leaves the first charge to the provider.",
        source: Source::Page("https://docs.stripe.com/billing/subscriptions/trials"),
        check: calls!(|stage| stage.trial().await?.end_is_charged()),
    },
    Assumption {
        id: "trial-keeps-the-once-coupon",
        title: "A coupon for one charge outlives the trial",
        expects: "The first charge after the trial has the discount.",
        why: "With GARIMPO_TRIAL_PURCHASE=at_trial_end the page promises the discount for the first charge. Where the \
              empty invoice of the trial uses it up, the product has to give it anew.",
        source: Source::Undocumented(
            "The discount applies to the first invoice; the empty one is not mentioned.",
        ),
        check: calls!(|stage| stage.trial().await?.keeps_the_coupon()),
    },
    Assumption {
        id: "plan-change-charges-its-preview",
        title: "A change of plan charges exactly what its preview showed",
        expects: "Total and amount due of the change's invoice are those of the preview with the same proration_date.",
        why: "The person agrees to the previewed amount. The product computes no proration of its own.",
        source: Source::Page("https://docs.stripe.com/api/invoices/create_preview"),
        check: calls!(|stage| stage.plan_change().await?.charges_its_preview()),
    },
    Assumption {
        id: "refused-plan-change-changes-nothing",
        title: "A change of plan whose charge is declined changes nothing",
        expects: "payment_behavior error_if_incomplete returns 402; price and invoices stay as they were.",
        why: "A person whose card is declined keeps the plan that is paid for.",
        source: Source::Page("https://docs.stripe.com/api/subscriptions/update"),
        check: calls!(|stage| stage.plan_change().await?.changes_nothing_if_refused()),
    },
];

pub static BOLETOS: &[Assumption] = &[
    Assumption {
        id: "boleto-waits-while-incomplete",
        title: "A subscription stays incomplete for as long as its first boleto can be paid",
        expects: "A day after the purchase the subscription is incomplete and the boleto waits.",
        why: "The documents give an incomplete subscription 23 hours, and a boleto three days. Where the subscription \
              ends first, a boleto paid later must still lead to access or to a refund.",
        source: Source::Undocumented("No page says how the 23 hours and the boleto go together."),
        check: calls!(|stage| stage.first_boleto().await?.leaves_the_subscription_incomplete()),
    },
    Assumption {
        id: "renewal-boleto-is-reissued",
        title: "An unpaid boleto of a renewal is followed by another one",
        expects: "Within 14 days after the first boleto of a renewal ended another one waits for payment.",
        why: "A person who forgot the first boleto pays the second. Where no other one comes, the user area leads to \
              the invoice's page.",
        source: Source::Undocumented("Retries are documented for cards."),
        check: calls!(|stage| {
            let boletos = stage.renewal_boletos().await?;
            boletos.are_reissued(boletos.is_reissued || stage.dunning().await?.retries()?.exist())
        }),
    },
    Assumption {
        id: "boleto-is-confirmed-a-business-day-later",
        title: "A paid boleto is confirmed up to one business day later, also after its last day",
        expects: "A boleto is confirmed at once (test mode, and the sandbox by default) or on the next business day, \
                  whether or not its end was reported before.",
        why: "The end of a boleto is never final: a payment that comes later gives access.",
        source: Source::Page("https://docs.stripe.com/payments/boleto"),
        check: Check::Never("test mode confirms boletos at once, and no call plays the bank's day"),
    },
];

pub static REFUNDS: &[Assumption] = &[
    Assumption {
        id: "refunds-add-up",
        title: "A charge adds up what was refunded of it",
        expects: "amount_refunded is the sum of all refunds, and refunded is true after the whole amount alone.",
        why: "Access ends when the whole payment went back, not after a part of it.",
        source: Source::Library("Charge.amount_refunded"),
        check: calls!(|stage| stage.refunded().await?.adds_up()),
    },
    Assumption {
        id: "one-key-makes-one-refund",
        title: "One idempotency key makes one refund",
        expects: "Two equal refunds under one key return the same refund.",
        why: "A refund that is repeated after a lost response must not pay twice.",
        source: Source::Page("https://docs.stripe.com/api/idempotent_requests"),
        check: calls!(|stage| stage.refunded().await?.is_one_per_key()),
    },
    Assumption {
        id: "dispute-refuses-refunds",
        title: "A disputed charge is marked and cannot be refunded",
        expects: "disputed is true, and a refund is refused unless is_charge_refundable is true.",
        why: "Money must not go back twice, by the bank and by us.",
        source: Source::Page("https://docs.stripe.com/disputes/withdrawing"),
        check: calls!(|stage| stage.disputed().await?.refuses_refunds()),
    },
    Assumption {
        id: "lost-dispute-is-lost",
        title: "A dispute that the merchant loses has the status lost",
        expects: "The evidence text losing_evidence closes the dispute as lost.",
        why: "Access of the disputed period ends, and returns when the dispute is won.",
        source: Source::Page("https://docs.stripe.com/disputes/how-disputes-work"),
        check: calls!(|stage| stage.disputed().await?.is_lost()),
    },
];
