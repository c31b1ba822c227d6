//! Assumptions about renewals: failed payments, cancellations and authentication.

use crate::billing::rehearsal::assumption::{Assumption, Check, Source, calls, in_browser};

pub static RENEWALS: &[Assumption] = &[
    Assumption {
        id: "renewal-is-a-draft-for-an-hour",
        title: "The invoice of a renewal is a draft for about an hour",
        expects: "Half an hour after the period's end the invoice is a draft.",
        why: "Access must not end while the renewal waits to be charged. GARIMPO_RENEWAL_HOURS leaves time for it.",
        source: Source::Page("https://docs.stripe.com/billing/subscriptions/webhooks"),
        check: calls!(|stage| stage.dunning().await?.failed.is_a_draft_first()),
    },
    Assumption {
        id: "failed-renewal-stays-open",
        title: "A failed renewal leaves the invoice open and counts the attempt",
        expects: "After the first declined attempt the invoice is open and attempt_count is 1.",
        why: "A new card pays the open invoice. An invoice that is closed at once would end the subscription without a \
              way back.",
        source: Source::Page("https://docs.stripe.com/billing/subscriptions/overview"),
        check: calls!(|stage| stage.dunning().await?.failed.stays_open()),
    },
    Assumption {
        id: "open-invoice-has-default-payment",
        title: "An open invoice has one default payment with its payment intent",
        expects: "The invoice's payments have one with is_default, status open and a payment intent.",
        why: "The payment intent of an invoice is found through it. Without it, a renewal that needs authentication \
              cannot be confirmed on our page.",
        source: Source::Library("InvoicePayment.is_default"),
        check: calls!(|stage| stage.dunning().await?.failed.has_a_default_payment()),
    },
    Assumption {
        id: "failed-attempt-is-a-charge",
        title: "A declined attempt makes a charge that failed",
        expects: "The payment intent has one charge, with status failed and paid false, and it is latest_charge.",
        why: "Refunds and disputes are read from the charge that succeeded. Reading the first or the newest charge \
              would miss them after a declined attempt.",
        source: Source::Library("PaymentIntent.latest_charge"),
        check: calls!(|stage| stage.dunning().await?.failed.has_a_failed_charge()),
    },
    Assumption {
        id: "subscription-card-before-customer-card",
        title: "The subscription's card is charged before the customer's default",
        expects: "The renewal charges the card that the subscription names, although the customer's default is another.",
        why: "A card that the portal stores on the customer alone pays nothing by itself. The product copies it to the \
              subscription.",
        source: Source::Page("https://docs.stripe.com/billing/revenue-recovery/smart-retries"),
        check: calls!(|stage| stage.dunning().await?.failed.charges_the_subscriptions_card()),
    },
    Assumption {
        id: "retries-use-one-payment-intent",
        title: "All attempts of an invoice use one payment intent",
        expects: "The charges of all attempts belong to one payment intent.",
        why: "A page that a person opened before a retry still confirms the right payment. Where a retry makes another \
              intent, the product reads it when the page is opened.",
        source: Source::Undocumented(
            "The default payment keeps its payment intent; nothing is said about retries.",
        ),
        check: calls!(|stage| stage.dunning().await?.retries()?.use_one_intent()),
    },
    Assumption {
        id: "retries-keep-the-subscriptions-card",
        title: "Retries go on with the subscription's card",
        expects: "Every attempt charges the subscription's card, although the customer's default would pay.",
        why: "Waiting for the next retry helps nobody who changed the customer's default alone.",
        source: Source::Page("https://docs.stripe.com/billing/revenue-recovery/smart-retries"),
        check: calls!(|stage| stage.dunning().await?.retries()?.keep_the_card()),
    },
    Assumption {
        id: "retries-after-3-5-7-days",
        title: "A failed payment is tried again after 3, 5 and 7 days",
        expects: "Three retries, 3, 5 and 7 days after the attempt before.",
        why: "The account is set as docs/operation.md asks. Access and mails follow every schedule; under another one \
              the dates that we announce to nobody but the operator are not those of the documents.",
        source: Source::AccountSetting("Billing, Revenue recovery, Retries: custom schedule"),
        check: calls!(|stage| stage.dunning().await?.retries()?.follow_the_advised_schedule()),
    },
    Assumption {
        id: "retries-end-in-cancellation",
        title: "The last failed retry cancels the subscription",
        expects: "After the last attempt the subscription is canceled.",
        why: "The account is set as docs/operation.md asks. A subscription that stays unpaid or past_due keeps its \
              place: the person pays the open invoice instead of buying anew.",
        source: Source::AccountSetting(
            "Billing, Revenue recovery, Subscription status: cancel the subscription",
        ),
        check: calls!(|stage| stage.dunning().await?.retries()?.end_in_cancellation()),
    },
    Assumption {
        id: "pay-takes-another-card",
        title: "An open invoice can be paid at once with another card, exactly once",
        expects: "POST /v1/invoices/{id}/pay with the new card pays it and makes the subscription active; a second call \
                  is refused.",
        why: "A person who gives a new card gets access back at once and is charged once, whoever else pays the \
              invoice at that moment.",
        source: Source::Page("https://docs.stripe.com/api/invoices/pay"),
        check: calls!(|stage| stage.dunning().await?.new_card()?.pays_once()),
    },
    Assumption {
        id: "pay-counts-no-attempt",
        title: "A manual attempt does not change the count of attempts",
        expects: "attempt_count is still 1 after one automatic and one manual attempt.",
        why: "The dates of retries and of mails stay as they were when a new card is declined.",
        source: Source::Library("Invoice.attempt_count"),
        check: calls!(|stage| stage.dunning().await?.new_card()?.counts_no_attempt()),
    },
    Assumption {
        id: "decline-is-replayed-under-its-key",
        title: "A decline is returned again under its idempotency key",
        expects: "Two payments under one key are declined alike and make one charge at most.",
        why: "A person may try the same card again after talking to the bank. The key of a payment therefore carries \
              the number of the attempt.",
        source: Source::Page("https://docs.stripe.com/api/idempotent_requests"),
        check: calls!(|stage| stage.dunning().await?.new_card()?.decline_is_replayed()),
    },
    Assumption {
        id: "portal-card-on-customer",
        title: "The portal stores a new card as the customer's default alone",
        expects: "After a new default card in the portal the subscription still names the card of before.",
        why: "The product copies the card to the subscription. Where the portal does it too, the copy changes nothing.",
        source: Source::Page("https://docs.stripe.com/customer-management/portal-deep-links"),
        check: in_browser!(|stage| stage.portal_card().await?.is_stored_on_the_customer_alone()),
    },
    Assumption {
        id: "portal-leaves-invoices-open",
        title: "The portal does not pay open invoices with a new card",
        expects: "An hour after the new card the open invoice is open.",
        why: "The product pays it. Where the portal pays it too, the product's own payment is refused, and there is one \
              charge.",
        source: Source::Undocumented("No page says that it pays, and other products pay themselves."),
        check: in_browser!(|stage| stage.portal_card().await?.leaves_the_invoice_open()),
    },
];

pub static ENDINGS: &[Assumption] = &[
    Assumption {
        id: "cancellation-stops-the-customers-collection",
        title: "Canceling a subscription stops the collection of all of the customer's open invoices",
        expects: "The open invoice of the customer's other subscription has auto_advance false.",
        why: "Ending one subscription must not leave another one's renewal uncollected for ever: the product turns its \
              collection on again. Where only the canceled subscription's invoices stop, there is nothing to turn on.",
        source: Source::Pages([
            "https://docs.stripe.com/api/subscriptions/cancel",
            "https://docs.stripe.com/billing/subscriptions/cancel",
        ]),
        check: calls!(|stage| stage.dunning().await?.stopped()?.stops_the_customers_collection()),
    },
    Assumption {
        id: "canceled-invoice-stays-payable",
        title: "An open invoice can still be paid after its subscription was canceled",
        expects: "A payment of the open invoice of a canceled subscription succeeds.",
        why: "The product voids such invoices, because nobody may pay for a subscription that has ended.",
        source: Source::Page("https://docs.stripe.com/invoicing/overview"),
        check: calls!(|stage| stage.dunning().await?.new_card()?.is_taken_after_cancellation()),
    },
    Assumption {
        id: "void-keeps-past-due",
        title: "A subscription stays past_due when its open invoice is voided",
        expects: "The subscription is past_due after its only open invoice was voided.",
        why: "A voided renewal is no payment, so it gives no access. Where the provider makes the subscription active, \
              the product still gives access by paid invoices alone.",
        source: Source::Undocumented("The status follows the newest invoice; voided ones are not mentioned."),
        check: calls!(|stage| stage.dunning().await?.stopped()?.keeps_past_due_after_void()),
    },
];

pub static AUTHENTICATION: &[Assumption] = &[
    Assumption {
        id: "authentication-waits-as-requires-action",
        title: "The payment intent of a renewal that needs authentication is requires_action",
        expects: "Two hours after the period's end the renewal's payment intent is requires_action.",
        why: "The product offers the confirmation for requires_action, and for requires_payment_method with the error \
              authentication_required as well.",
        source: Source::Pages([
            "https://docs.stripe.com/billing/subscriptions/webhooks",
            "https://docs.stripe.com/payments/save-and-reuse",
        ]),
        check: calls!(|stage| stage.authentication().await?.intent_requires_action()),
    },
    Assumption {
        id: "authentication-leaves-past-due",
        title: "The subscription is past_due while a renewal waits for authentication",
        expects: "The subscription is past_due and its invoice open.",
        why: "Access follows the rule of a failed renewal meanwhile.",
        source: Source::Library("Subscription.status"),
        check: calls!(|stage| stage.authentication().await?.subscription_is_past_due()),
    },
    Assumption {
        id: "authentication-sends-both-events",
        title: "An attempt that needs authentication sends two events",
        expects: "invoice.payment_action_required and invoice.payment_failed are sent for the attempt.",
        why: "Either event leads to one mail for the attempt. With one of them alone the mail is the same.",
        source: Source::Undocumented("Each event is documented by itself; nothing is said about both."),
        check: calls!(|stage| stage.authentication().await?.sends_both_events()),
    },
    Assumption {
        id: "confirmation-secret-of-the-invoice",
        title: "An open invoice shows the client secret of its payment intent on request",
        expects: "confirmation_secret, expanded, is the client secret of the invoice's payment intent.",
        why: "Our page confirms the payment with it. Without it the page leads to the provider's own invoice page.",
        source: Source::Library("Invoice.confirmation_secret"),
        check: calls!(|stage| stage.authentication().await?.confirmation_secret_is_of_the_intent()),
    },
    Assumption {
        id: "authentication-confirms-the-same-intent",
        title: "The payer confirms the payment intent of the failed attempt",
        expects: "After the authentication the invoice is paid and its first payment intent succeeded.",
        why: "Our page confirms that intent. A second one could charge twice.",
        source: Source::Page("https://docs.stripe.com/billing/subscriptions/webhooks"),
        check: in_browser!(|stage| stage
            .authentication()
            .await?
            .confirms_the_same_intent(&stage.tools)
            .await?),
    },
];
