//! Every assumption that the product makes about the payment provider.

use crate::billing::rehearsal::assumption::{Area, Assumption, Check, Source};
use crate::billing::rehearsal::{
    authentication, boleto, browser, dunning, plan_change, prices, refunds, requests, trial,
};

/// A check by calls.
macro_rules! calls {
    ($check:path) => {
        Check::Calls(|stage| Box::pin($check(stage)))
    };
}

/// A check by calls and a person in a browser.
macro_rules! in_browser {
    ($check:path) => {
        Check::Browser(|stage| Box::pin($check(stage)))
    };
}

/// The list, in the order in which it is reported.
pub static ASSUMPTIONS: &[Assumption] = &[
    Assumption {
        id: "percent-coupon-rounds-half-up",
        area: Area::Prices,
        title: "A percent coupon rounds half a centavo up",
        expects: "15% of R$ 49,90 take R$ 7,49 off, and 15% of R$ 50,10 take R$ 7,52 off.",
        why: "Every monthly price with a coupon of 15% falls on half a centavo. The catalogue push makes an amount \
              coupon for such a price, so the buyer pays what the page shows under every rounding; coupons pushed by \
              an earlier version follow the provider's rounding.",
        source: Source::Undocumented("Half up is the rule of the provider's tax rates."),
        check: calls!(prices::percent_rounds_half_up),
    },
    Assumption {
        id: "amount-coupon-is-exact",
        area: Area::Prices,
        title: "An amount coupon takes exactly its amount off",
        expects: "The session's amount_total is the price without the coupon's amount, before any payment.",
        why: "Discounts that are no whole centavo are pushed as amount coupons. Another total raises an alarm, and the \
              buyer sees the provider's total before paying.",
        source: Source::Page("https://docs.stripe.com/api/coupons/object"),
        check: calls!(prices::amount_is_exact),
    },
    Assumption {
        id: "checkout-offers-boleto",
        area: Area::Prices,
        title: "A checkout offers card and boleto where the product asks for both",
        expects: "The session's payment_method_types has card and boleto.",
        why: "allowed_payment_method_types is a filter: methods that are switched off in the dashboard are left out \
              without an error, and nobody can pay by boleto.",
        source: Source::Page("https://docs.stripe.com/payments/boleto"),
        check: calls!(prices::boleto_is_offered),
    },
    Assumption {
        id: "checkout-can-be-expired",
        area: Area::Prices,
        title: "An open checkout can be expired at once",
        expects: "The session's status is open, and expired after the call.",
        why: "The product expires a checkout that must not be paid any more: another plan was chosen, or the account \
              has a subscription by now.",
        source: Source::Page("https://docs.stripe.com/api/checkout/sessions/expire"),
        check: calls!(prices::session_expires),
    },
    Assumption {
        id: "checkout-card-on-subscription",
        area: Area::Prices,
        title: "Checkout stores the card on the subscription alone",
        expects: "After a purchase the subscription has a default payment method and the customer has none.",
        why: "The product compares the two to see that a person replaced the card. Where Checkout sets both, a \
              replaced card is found later, when they differ.",
        source: Source::Undocumented(
            "An engineer of the provider says so in a public issue (laravel/cashier-stripe 1007).",
        ),
        check: in_browser!(browser::checkout_card_is_the_subscriptions),
    },
    Assumption {
        id: "renewal-is-a-draft-for-an-hour",
        area: Area::Renewals,
        title: "The invoice of a renewal is a draft for about an hour",
        expects: "Half an hour after the period's end the invoice is a draft.",
        why: "Access must not end while the renewal waits to be charged. GARIMPO_RENEWAL_HOURS leaves time for it.",
        source: Source::Page("https://docs.stripe.com/billing/subscriptions/webhooks"),
        check: calls!(dunning::renewal_is_a_draft),
    },
    Assumption {
        id: "failed-renewal-stays-open",
        area: Area::Renewals,
        title: "A failed renewal leaves the invoice open and counts the attempt",
        expects: "After the first declined attempt the invoice is open and attempt_count is 1.",
        why: "A new card pays the open invoice. An invoice that is closed at once would end the subscription without a \
              way back.",
        source: Source::Page("https://docs.stripe.com/billing/subscriptions/overview"),
        check: calls!(dunning::failed_renewal_stays_open),
    },
    Assumption {
        id: "open-invoice-has-default-payment",
        area: Area::Renewals,
        title: "An open invoice has one default payment with its payment intent",
        expects: "The invoice's payments have one with is_default, status open and a payment intent.",
        why: "The payment intent of an invoice is found through it. Without it, a renewal that needs authentication \
              cannot be confirmed on our page.",
        source: Source::Library("InvoicePayment.is_default"),
        check: calls!(dunning::open_invoice_has_a_default_payment),
    },
    Assumption {
        id: "failed-attempt-is-a-charge",
        area: Area::Renewals,
        title: "A declined attempt makes a charge that failed",
        expects: "The payment intent has one charge, with status failed and paid false, and it is latest_charge.",
        why: "Refunds and disputes are read from the charge that succeeded. Reading the first or the newest charge \
              would miss them after a declined attempt.",
        source: Source::Library("PaymentIntent.latest_charge"),
        check: calls!(dunning::failed_attempt_is_a_charge),
    },
    Assumption {
        id: "subscription-card-before-customer-card",
        area: Area::Renewals,
        title: "The subscription's card is charged before the customer's default",
        expects: "The renewal charges the card that the subscription names, although the customer's default is another.",
        why: "A card that the portal stores on the customer alone pays nothing by itself. The product copies it to the \
              subscription.",
        source: Source::Page("https://docs.stripe.com/billing/revenue-recovery/smart-retries"),
        check: calls!(dunning::subscription_card_comes_first),
    },
    Assumption {
        id: "retries-use-one-payment-intent",
        area: Area::Renewals,
        title: "All attempts of an invoice use one payment intent",
        expects: "The charges of all attempts belong to one payment intent.",
        why: "A page that a person opened before a retry still confirms the right payment. Where a retry makes another \
              intent, the product reads it when the page is opened.",
        source: Source::Undocumented(
            "The default payment keeps its payment intent; nothing is said about retries.",
        ),
        check: calls!(dunning::retries_use_one_intent),
    },
    Assumption {
        id: "retries-keep-the-subscriptions-card",
        area: Area::Renewals,
        title: "Retries go on with the subscription's card",
        expects: "Every attempt charges the subscription's card, although the customer's default would pay.",
        why: "Waiting for the next retry helps nobody who changed the customer's default alone.",
        source: Source::Page("https://docs.stripe.com/billing/revenue-recovery/smart-retries"),
        check: calls!(dunning::retries_keep_the_card),
    },
    Assumption {
        id: "retries-after-3-5-7-days",
        area: Area::Renewals,
        title: "A failed payment is tried again after 3, 5 and 7 days",
        expects: "Three retries, 3, 5 and 7 days after the attempt before.",
        why: "The account is set as docs/operation.md asks. Access and mails follow every schedule; under another one \
              the dates that we announce to nobody but the operator are not those of the documents.",
        source: Source::AccountSetting("Billing, Revenue recovery, Retries: custom schedule"),
        check: calls!(dunning::retries_are_as_advised),
    },
    Assumption {
        id: "retries-end-in-cancellation",
        area: Area::Renewals,
        title: "The last failed retry cancels the subscription",
        expects: "After the last attempt the subscription is canceled.",
        why: "The account is set as docs/operation.md asks. A subscription that stays unpaid or past_due keeps its \
              place: the person pays the open invoice instead of buying anew.",
        source: Source::AccountSetting(
            "Billing, Revenue recovery, Subscription status: cancel the subscription",
        ),
        check: calls!(dunning::retries_end_in_cancellation),
    },
    Assumption {
        id: "pay-takes-another-card",
        area: Area::Renewals,
        title: "An open invoice can be paid at once with another card, exactly once",
        expects: "POST /v1/invoices/{id}/pay with the new card pays it and makes the subscription active; a second call \
                  is refused.",
        why: "A person who gives a new card gets access back at once and is charged once, whoever else pays the \
              invoice at that moment.",
        source: Source::Page("https://docs.stripe.com/api/invoices/pay"),
        check: calls!(dunning::pay_takes_another_card),
    },
    Assumption {
        id: "pay-counts-no-attempt",
        area: Area::Renewals,
        title: "A manual attempt does not change the count of attempts",
        expects: "attempt_count is still 1 after one automatic and one manual attempt.",
        why: "The dates of retries and of mails stay as they were when a new card is declined.",
        source: Source::Library("Invoice.attempt_count"),
        check: calls!(dunning::pay_counts_no_attempt),
    },
    Assumption {
        id: "decline-is-replayed-under-its-key",
        area: Area::Renewals,
        title: "A decline is returned again under its idempotency key",
        expects: "Two payments under one key are declined alike and make one charge at most.",
        why: "A person may try the same card again after talking to the bank. The key of a payment therefore carries \
              the number of the attempt.",
        source: Source::Page("https://docs.stripe.com/api/idempotent_requests"),
        check: calls!(dunning::decline_is_replayed),
    },
    Assumption {
        id: "portal-card-on-customer",
        area: Area::Renewals,
        title: "The portal stores a new card as the customer's default alone",
        expects: "After a new default card in the portal the subscription still names the card of before.",
        why: "The product copies the card to the subscription. Where the portal does it too, the copy changes nothing.",
        source: Source::Page("https://docs.stripe.com/customer-management/portal-deep-links"),
        check: in_browser!(browser::portal_card_is_the_customers),
    },
    Assumption {
        id: "portal-leaves-invoices-open",
        area: Area::Renewals,
        title: "The portal does not pay open invoices with a new card",
        expects: "An hour after the new card the open invoice is open.",
        why: "The product pays it. Where the portal pays it too, the product's own payment is refused, and there is one \
              charge.",
        source: Source::Undocumented("No page says that it pays, and other products pay themselves."),
        check: in_browser!(browser::portal_pays_nothing),
    },
    Assumption {
        id: "cancellation-stops-the-customers-collection",
        area: Area::Endings,
        title: "Canceling a subscription stops the collection of all of the customer's open invoices",
        expects: "The open invoice of the customer's other subscription has auto_advance false.",
        why: "Ending one subscription must not leave another one's renewal uncollected for ever: the product turns its \
              collection on again. Where only the canceled subscription's invoices stop, there is nothing to turn on.",
        source: Source::Pages([
            "https://docs.stripe.com/api/subscriptions/cancel",
            "https://docs.stripe.com/billing/subscriptions/cancel",
        ]),
        check: calls!(dunning::cancellation_stops_the_customer),
    },
    Assumption {
        id: "canceled-invoice-stays-payable",
        area: Area::Endings,
        title: "An open invoice can still be paid after its subscription was canceled",
        expects: "A payment of the open invoice of a canceled subscription succeeds.",
        why: "The product voids such invoices, because nobody may pay for a subscription that has ended.",
        source: Source::Page("https://docs.stripe.com/invoicing/overview"),
        check: calls!(dunning::canceled_invoice_stays_payable),
    },
    Assumption {
        id: "void-keeps-past-due",
        area: Area::Endings,
        title: "A subscription stays past_due when its open invoice is voided",
        expects: "The subscription is past_due after its only open invoice was voided.",
        why: "A voided renewal is no payment, so it gives no access. Where the provider makes the subscription active, \
              the product still gives access by paid invoices alone.",
        source: Source::Undocumented("The status follows the newest invoice; voided ones are not mentioned."),
        check: calls!(dunning::void_keeps_past_due),
    },
    Assumption {
        id: "authentication-waits-as-requires-action",
        area: Area::Authentication,
        title: "The payment intent of a renewal that needs authentication is requires_action",
        expects: "Two hours after the period's end the renewal's payment intent is requires_action.",
        why: "The product offers the confirmation for requires_action, and for requires_payment_method with the error \
              authentication_required as well.",
        source: Source::Pages([
            "https://docs.stripe.com/billing/subscriptions/webhooks",
            "https://docs.stripe.com/payments/save-and-reuse",
        ]),
        check: calls!(authentication::intent_requires_action),
    },
    Assumption {
        id: "authentication-leaves-past-due",
        area: Area::Authentication,
        title: "The subscription is past_due while a renewal waits for authentication",
        expects: "The subscription is past_due and its invoice open.",
        why: "Access follows the rule of a failed renewal meanwhile.",
        source: Source::Library("Subscription.status"),
        check: calls!(authentication::subscription_is_past_due),
    },
    Assumption {
        id: "authentication-sends-both-events",
        area: Area::Authentication,
        title: "An attempt that needs authentication sends two events",
        expects: "invoice.payment_action_required and invoice.payment_failed are sent for the attempt.",
        why: "Either event leads to one mail for the attempt. With one of them alone the mail is the same.",
        source: Source::Undocumented("Each event is documented by itself; nothing is said about both."),
        check: calls!(authentication::both_events_are_sent),
    },
    Assumption {
        id: "confirmation-secret-of-the-invoice",
        area: Area::Authentication,
        title: "An open invoice shows the client secret of its payment intent on request",
        expects: "confirmation_secret, expanded, is the client secret of the invoice's payment intent.",
        why: "Our page confirms the payment with it. Without it the page leads to the provider's own invoice page.",
        source: Source::Library("Invoice.confirmation_secret"),
        check: calls!(authentication::confirmation_secret_is_the_intents),
    },
    Assumption {
        id: "authentication-confirms-the-same-intent",
        area: Area::Authentication,
        title: "The payer confirms the payment intent of the failed attempt",
        expects: "After the authentication the invoice is paid and its first payment intent succeeded.",
        why: "Our page confirms that intent. A second one could charge twice.",
        source: Source::Page("https://docs.stripe.com/billing/subscriptions/webhooks"),
        check: in_browser!(authentication::payer_confirms_the_same_intent),
    },
    Assumption {
        id: "trial-end-is-charged",
        area: Area::Plans,
        title: "The end of a trial charges the card",
        expects: "Two hours after the trial the invoice is paid and the subscription active.",
        why: "GARIMPO_TRIAL_PURCHASE=at_trial_end leaves the first charge to the provider.",
        source: Source::Page("https://docs.stripe.com/billing/subscriptions/trials"),
        check: calls!(trial::trial_end_is_charged),
    },
    Assumption {
        id: "trial-keeps-the-once-coupon",
        area: Area::Plans,
        title: "A coupon for one charge outlives the trial",
        expects: "The first charge after the trial has the discount.",
        why: "With GARIMPO_TRIAL_PURCHASE=at_trial_end the page promises the discount for the first charge. Where the \
              empty invoice of the trial uses it up, the product has to give it anew.",
        source: Source::Undocumented(
            "The discount applies to the first invoice; the empty one is not mentioned.",
        ),
        check: calls!(trial::trial_keeps_the_coupon),
    },
    Assumption {
        id: "plan-change-charges-its-preview",
        area: Area::Plans,
        title: "A change of plan charges exactly what its preview showed",
        expects: "Total and amount due of the change's invoice are those of the preview with the same proration_date.",
        why: "The person agrees to the previewed amount. The product computes no proration of its own.",
        source: Source::Page("https://docs.stripe.com/api/invoices/create_preview"),
        check: calls!(plan_change::change_charges_its_preview),
    },
    Assumption {
        id: "refused-plan-change-changes-nothing",
        area: Area::Plans,
        title: "A change of plan whose charge is declined changes nothing",
        expects: "payment_behavior error_if_incomplete answers 402; price and invoices stay as they were.",
        why: "A person whose card is declined keeps the plan that is paid for.",
        source: Source::Page("https://docs.stripe.com/api/subscriptions/update"),
        check: calls!(plan_change::refused_change_changes_nothing),
    },
    Assumption {
        id: "boleto-waits-while-incomplete",
        area: Area::Boletos,
        title: "A subscription stays incomplete for as long as its first boleto can be paid",
        expects: "A day after the purchase the subscription is incomplete and the boleto waits.",
        why: "The documents give an incomplete subscription 23 hours, and a boleto three days. Where the subscription \
              ends first, a boleto paid later must still lead to access or to a refund.",
        source: Source::Undocumented("No page says how the 23 hours and the boleto go together."),
        check: calls!(boleto::incomplete_until_voucher_ends),
    },
    Assumption {
        id: "renewal-boleto-is-reissued",
        area: Area::Boletos,
        title: "An unpaid boleto of a renewal is followed by another one",
        expects: "Within 14 days after the first boleto of a renewal ended another one waits for payment.",
        why: "A person who forgot the first boleto pays the second. Where no other one comes, the user area leads to \
              the invoice's page.",
        source: Source::Undocumented("Retries are documented for cards."),
        check: calls!(boleto::renewal_voucher_is_reissued),
    },
    Assumption {
        id: "boleto-is-confirmed-a-business-day-later",
        area: Area::Boletos,
        title: "A paid boleto is confirmed up to one business day later, also after its last day",
        expects: "A boleto is confirmed at once (test mode, and the sandbox by default) or on the next business day, \
                  whether or not its end was reported before.",
        why: "The end of a boleto is never final: a payment that comes later gives access.",
        source: Source::Page("https://docs.stripe.com/payments/boleto"),
        check: Check::Never("test mode confirms boletos at once, and no call plays the bank's day"),
    },
    Assumption {
        id: "refunds-add-up",
        area: Area::Refunds,
        title: "A charge adds up what was refunded of it",
        expects: "amount_refunded is the sum of all refunds, and refunded is true after the whole amount alone.",
        why: "Access ends when the whole payment went back, not after a part of it.",
        source: Source::Library("Charge.amount_refunded"),
        check: calls!(refunds::refunds_add_up),
    },
    Assumption {
        id: "one-key-makes-one-refund",
        area: Area::Refunds,
        title: "One idempotency key makes one refund",
        expects: "Two equal refunds under one key return the same refund.",
        why: "A refund that is tried again after a lost answer must not pay twice.",
        source: Source::Page("https://docs.stripe.com/api/idempotent_requests"),
        check: calls!(refunds::one_key_makes_one_refund),
    },
    Assumption {
        id: "dispute-refuses-refunds",
        area: Area::Refunds,
        title: "A disputed charge is marked and cannot be refunded",
        expects: "disputed is true, and a refund is refused unless is_charge_refundable is true.",
        why: "Money must not go back twice, by the bank and by us.",
        source: Source::Page("https://docs.stripe.com/disputes/withdrawing"),
        check: calls!(refunds::dispute_refuses_refunds),
    },
    Assumption {
        id: "lost-dispute-is-lost",
        area: Area::Refunds,
        title: "A dispute that the merchant loses has the status lost",
        expects: "The evidence text losing_evidence closes the dispute as lost.",
        why: "Access of the disputed period ends, and returns when the dispute is won.",
        source: Source::Page("https://docs.stripe.com/disputes/how-disputes-work"),
        check: calls!(refunds::lost_dispute_is_lost),
    },
    Assumption {
        id: "key-gives-one-object",
        area: Area::Requests,
        title: "One idempotency key gives one object and refuses other parameters",
        expects: "Two equal calls under one key return one object; a call with other parameters is refused.",
        why: "Every call that creates or charges is repeated under its key after a lost answer.",
        source: Source::Page("https://docs.stripe.com/api/idempotent_requests"),
        check: calls!(requests::key_is_kept),
    },
    Assumption {
        id: "unknown-customer-has-an-empty-list",
        area: Area::Requests,
        title: "The lists of a customer that does not exist are empty",
        expects: "Subscriptions and invoices of an unknown customer are empty lists, not an error.",
        why: "An account whose customer the provider does not know is not taken for one without a subscription: paid \
              time is kept, and the operator is told. A refusal leads to the same.",
        source: Source::Undocumented("The page about lists does not mention unknown filters."),
        check: calls!(requests::unknown_customer_has_nothing),
    },
    Assumption {
        id: "deleted-customer-cannot-be-expanded",
        area: Area::Requests,
        title: "A list of what a deleted customer had cannot expand the customer",
        expects: "The product's list of subscriptions, with the customer's default payment method, is refused.",
        why: "A customer that somebody deleted in the dashboard must not stop the comparison of all others. Paid time is \
              kept and the operator is told, whatever the list answers.",
        source: Source::Undocumented(
            "The deleted customer has no such field; nothing is said about expanding it.",
        ),
        check: calls!(requests::deleted_customer_cannot_be_expanded),
    },
    Assumption {
        id: "deleted-customers-payments-can-be-read",
        area: Area::Requests,
        title: "The payments of a deleted customer can be read",
        expects: "The charge of a payment is listed by its payment intent after the customer was deleted.",
        why: "A refund or a lost dispute after the deletion ends access. Without the charge, only the refund's own row \
              and the bank's letter would show it.",
        source: Source::Undocumented(
            "Deleting a customer ends its subscriptions; payments are not mentioned.",
        ),
        check: calls!(requests::deleted_customers_payments_are_listed),
    },
    Assumption {
        id: "key-reads-its-account",
        area: Area::Requests,
        title: "The key can read its account",
        expects: "GET /v1/account returns the account of the key.",
        why: "The database belongs to one account, so that a key of another one is noticed. Where the key may not read \
              it, the id is taken from the refusal, and where that names none, a product marks the account.",
        source: Source::AccountSetting("the permissions of a restricted key"),
        check: calls!(requests::key_reads_its_account),
    },
    Assumption {
        id: "key-is-of-the-stored-account",
        area: Area::Requests,
        title: "The key is of the account that the database belongs to",
        expects: "The account of the key is the one that the database of these settings stored at its first use.",
        why: "A server with a key of another account does not start. To change it on purpose: garimpo admin provider \
              adopt.",
        source: Source::AccountSetting("the account of GARIMPO_STRIPE_SECRET_KEY"),
        check: calls!(requests::key_is_of_the_stored_account),
    },
    Assumption {
        id: "lists-leave-out-test-clocks",
        area: Area::Requests,
        title: "Lists leave out objects of test clocks unless they are filtered",
        expects: "The list of all subscriptions lacks the one of a test clock; that of its customer has it.",
        why: "A rehearsal on an account that also serves a test installation is not taken for lost customers by its \
              reconciliation.",
        source: Source::Page("https://docs.stripe.com/billing/testing/test-clocks"),
        check: calls!(requests::lists_leave_out_test_clocks),
    },
    Assumption {
        id: "events-have-test-clocks",
        area: Area::Requests,
        title: "The list of events has those of test clocks",
        expects: "GET /v1/events returns the events of a renewal under a test clock.",
        why: "The product reads accounts, not the list of events. The rehearsal needs the list to see which events an \
              attempt sends.",
        source: Source::Undocumented("The page about test clocks names lists, not events."),
        check: calls!(authentication::events_have_test_clocks),
    },
    Assumption {
        id: "search-finds-within-a-minute",
        area: Area::Requests,
        title: "Search finds a new object within a minute",
        expects: "An object is found by search less than a minute after it was created, in an outage within an hour.",
        why: "The product reads objects by their ids and by lists, never by search, so a late search harms nobody.",
        source: Source::Page("https://docs.stripe.com/search"),
        check: Check::Never(
            "search leaves out objects of test clocks, and the delay of one moment shows no limit",
        ),
    },
    Assumption {
        id: "webhooks-come-again-for-three-days",
        area: Area::Requests,
        title: "A webhook that is not answered comes again for up to three days",
        expects: "Events arrive in any order, more than once, and some never.",
        why: "Every event only leads to a reading of the account, and the daily reconciliation finds what no event told.",
        source: Source::Page("https://docs.stripe.com/webhooks"),
        check: Check::Never("a rehearsal has no public address that the provider could call"),
    },
    Assumption {
        id: "networks-renew-cards",
        area: Area::Requests,
        title: "Networks replace the data of renewed cards by themselves",
        expects: "payment_method.automatically_updated carries the new date of a card.",
        why: "Renewals go on without the person. Where a bank does not take part, the renewal fails and the person \
              gives a new card.",
        source: Source::Page("https://docs.stripe.com/payments/cards/overview"),
        check: Check::Never("test mode has no card that a network renews"),
    },
];
