//! Assumptions about requests, lists and events.

use crate::billing::rehearsal::assumption::{Assumption, Check, Source, calls};
use crate::billing::rehearsal::checks::requests;

pub static REQUESTS: &[Assumption] = &[
    Assumption {
        id: "key-gives-one-object",
        title: "One idempotency key gives one object and refuses other parameters",
        expects: "Two equal calls under one key return one object; a call with other parameters is refused.",
        why: "Every call that creates or charges is repeated under its key after a lost response.",
        source: Source::Page("https://docs.stripe.com/api/idempotent_requests"),
        check: calls!(|stage| requests::key_is_kept(&stage.tools).await?),
    },
    Assumption {
        id: "unknown-customer-has-an-empty-list",
        title: "The lists of a customer that does not exist are empty",
        expects: "Subscriptions and invoices of an unknown customer are empty lists, not an error.",
        why: "An account whose customer the provider does not know is not taken for one without a subscription: paid \
              time is kept, and the case is reported to the operator. A refusal has the same effect.",
        source: Source::Undocumented("The page about lists does not mention unknown filters."),
        check: calls!(|stage| requests::unknown_customer_has_nothing(&stage.tools).await?),
    },
    Assumption {
        id: "deleted-customer-cannot-be-expanded",
        title: "A list of what a deleted customer had cannot expand the customer",
        expects: "The product's list of subscriptions, with the customer's default payment method, is refused.",
        why: "A customer that somebody deleted in the dashboard must not stop the comparison of all others. Paid time is \
              kept and the case is reported to the operator, whatever the list returns.",
        source: Source::Undocumented(
            "The deleted customer has no such field; nothing is said about expanding it.",
        ),
        check: calls!(|stage| requests::deleted_customer_cannot_be_expanded(&stage.tools).await?),
    },
    Assumption {
        id: "deleted-customers-payments-can-be-read",
        title: "The payments of a deleted customer can be read",
        expects: "The charge of a payment is listed by its payment intent after the customer was deleted.",
        why: "A refund or a lost dispute after the deletion ends access. Without the charge, only the refund's own row \
              and the bank's letter would show it.",
        source: Source::Undocumented(
            "Deleting a customer ends its subscriptions; payments are not mentioned.",
        ),
        check: calls!(|stage| requests::deleted_customers_payments_are_listed(&stage.tools).await?),
    },
    Assumption {
        id: "key-reads-its-account",
        title: "The key can read its account",
        expects: "GET /v1/account returns the account of the key.",
        why: "The database belongs to one account, so that a key of another one is noticed. Where the key may not read \
              it, the id is taken from the refusal, and where that names none, a product marks the account.",
        source: Source::AccountSetting("the permissions of a restricted key"),
        check: calls!(|stage| requests::key_reads_its_account(&stage.tools).await?),
    },
    Assumption {
        id: "key-is-of-the-stored-account",
        title: "The key is of the account that the database belongs to",
        expects: "The account of the key is the one that the database of these settings stored at its first use.",
        why: "A server with a key of another account does not start. To change it on purpose: garimpo admin provider \
              adopt.",
        source: Source::AccountSetting("the account of GARIMPO_STRIPE_SECRET_KEY"),
        check: calls!(|stage| requests::key_is_of_the_stored_account(&stage.tools).await?),
    },
    Assumption {
        id: "lists-leave-out-test-clocks",
        title: "Lists leave out objects of test clocks unless they are filtered",
        expects: "The list of all subscriptions lacks the one of a test clock; that of its customer has it.",
        why: "A rehearsal on an account that also serves a test installation is not taken for lost customers by its \
              reconciliation.",
        source: Source::Page("https://docs.stripe.com/billing/testing/test-clocks"),
        check: calls!(|stage| requests::lists_leave_out_test_clocks(&stage.tools).await?),
    },
    Assumption {
        id: "events-have-test-clocks",
        title: "The list of events has those of test clocks",
        expects: "GET /v1/events returns the events of a renewal under a test clock.",
        why: "The product reads accounts, not the list of events. The rehearsal needs the list to see which events an \
              attempt sends.",
        source: Source::Undocumented("The page about test clocks names lists, not events."),
        check: calls!(|stage| stage.authentication().await?.lists_events_of_test_clocks()),
    },
    Assumption {
        id: "search-finds-within-a-minute",
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
        title: "A webhook without a response is sent again for up to three days",
        expects: "Events arrive in any order, more than once, and some never.",
        why: "Every event only starts a sync of the account, and the daily reconciliation finds changes without an event.",
        source: Source::Page("https://docs.stripe.com/webhooks"),
        check: Check::Never("a rehearsal has no public address that the provider could call"),
    },
    Assumption {
        id: "networks-renew-cards",
        title: "Networks replace the data of renewed cards by themselves",
        expects: "payment_method.automatically_updated carries the new date of a card.",
        why: "Renewals go on without the person. Where a bank does not take part, the renewal fails and the person \
              gives a new card.",
        source: Source::Page("https://docs.stripe.com/payments/cards/overview"),
        check: Check::Never("test mode has no card that a network renews"),
    },
];
