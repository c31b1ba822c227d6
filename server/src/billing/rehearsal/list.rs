//! Every assumption that the product makes about the payment provider, with its check.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::billing::rehearsal::assumption::{Assumption, Check};
use crate::billing::rehearsal::checks::{checkout_sessions, requests};

/// Assumptions of an area, in the order in which they are reported.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Area {
    #[cfg_attr(not(test), expect(dead_code, reason = "a test holds the page of docs/ to it"))]
    pub(super) title: String,
    #[serde(rename = "assumption")]
    pub(super) assumptions: Vec<Assumption>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Areas {
    area: Vec<Area>,
}

static AREAS: LazyLock<Areas> =
    LazyLock::new(|| toml::from_str(include_str!("assumptions.toml")).expect("the file has this shape"));

/// The areas, in the order in which they are reported.
pub(super) fn areas() -> &'static [Area] {
    &AREAS.area
}

/// Every assumption, in the order in which it is reported.
pub fn assumptions() -> impl Iterator<Item = &'static Assumption> {
    areas().iter().flat_map(|area| &area.assumptions)
}

/// The check of an assumption.
pub(super) fn check_of(assumption: &Assumption) -> Check<'_> {
    if let Some(why) = &assumption.never {
        return Check::Never(why);
    }
    let check = CHECKS.iter().find(|(id, _)| *id == assumption.id);
    check.expect("a test finds the check of every assumption").1
}

/// A table of checks by the id of their assumption, on a stage.
macro_rules! checks {
    ($($by:ident $id:literal => |$stage:ident| $outcome:expr;)*) => {
        &[$(($id, Check::$by(|$stage| Box::pin(async move { Ok($outcome) })))),*]
    };
}

/// The check of each assumption that a rehearsal can check.
pub(super) static CHECKS: &[(&str, Check<'static>)] = checks! {
    // Prices, coupons and checkouts.
    Calls "percent-coupon-rounds-half-up" => |stage| checkout_sessions::percent_rounds_half_up(&stage.tools).await?;
    Calls "amount-coupon-is-exact" => |stage| checkout_sessions::amount_is_exact(&stage.tools).await?;
    Calls "checkout-offers-boleto" => |stage| checkout_sessions::boleto_is_offered(&stage.tools).await?;
    Calls "checkout-can-be-expired" => |stage| checkout_sessions::session_expires(&stage.tools).await?;
    Browser "checkout-card-on-subscription" =>
        |stage| stage.purchase().await?.stores_the_card_on_the_subscription();
    // Renewals and failed payments.
    Calls "renewal-is-a-draft-for-an-hour" => |stage| stage.dunning().await?.failed.starts_as_a_draft();
    Calls "failed-renewal-stays-open" => |stage| stage.dunning().await?.failed.stays_open();
    Calls "open-invoice-has-default-payment" =>
        |stage| stage.dunning().await?.failed.keeps_a_default_payment();
    Calls "failed-attempt-is-a-charge" => |stage| stage.dunning().await?.failed.adds_a_failed_charge();
    Calls "subscription-card-before-customer-card" =>
        |stage| stage.dunning().await?.failed.charges_the_subscriptions_card();
    Calls "retries-use-one-payment-intent" => |stage| stage.dunning().await?.retries()?.use_one_intent();
    Calls "retries-keep-the-subscriptions-card" => |stage| stage.dunning().await?.retries()?.keep_the_card();
    Calls "retries-after-3-5-7-days" =>
        |stage| stage.dunning().await?.retries()?.follow_the_advised_schedule();
    Calls "retries-end-in-cancellation" => |stage| stage.dunning().await?.retries()?.end_in_cancellation();
    Calls "pay-takes-another-card" => |stage| stage.dunning().await?.new_card()?.pays_once();
    Calls "pay-counts-no-attempt" => |stage| stage.dunning().await?.new_card()?.counts_no_attempt();
    Calls "decline-is-replayed-under-its-key" =>
        |stage| stage.dunning().await?.new_card()?.decline_is_replayed();
    Browser "portal-card-on-customer" =>
        |stage| stage.portal_card().await?.stores_the_card_on_the_customer_alone();
    Browser "portal-leaves-invoices-open" => |stage| stage.portal_card().await?.leaves_the_invoice_open();
    // Cancellations and voided invoices.
    Calls "cancellation-stops-the-customers-collection" =>
        |stage| stage.dunning().await?.stopped()?.stops_the_customers_collection();
    Calls "canceled-invoice-stays-payable" =>
        |stage| stage.dunning().await?.new_card()?.pays_after_cancellation();
    Calls "void-keeps-past-due" => |stage| stage.dunning().await?.stopped()?.keeps_past_due_after_void();
    // Payments that need authentication.
    Calls "authentication-waits-as-requires-action" =>
        |stage| stage.authentication().await?.intent_requires_action();
    Calls "authentication-leaves-past-due" =>
        |stage| stage.authentication().await?.subscription_is_past_due();
    Calls "authentication-sends-both-events" => |stage| stage.authentication().await?.sends_both_events();
    Calls "confirmation-secret-of-the-invoice" =>
        |stage| stage.authentication().await?.confirmation_secret_is_of_the_intent();
    Browser "authentication-confirms-the-same-intent" =>
        |stage| stage.authentication().await?.confirms_the_same_intent(&stage.tools).await?;
    // Trials and changes of plan.
    Calls "trial-end-is-charged" => |stage| stage.trial().await?.end_is_charged();
    Calls "trial-keeps-the-once-coupon" => |stage| stage.trial().await?.keeps_the_coupon();
    Calls "plan-change-charges-its-preview" => |stage| stage.plan_change().await?.charges_its_preview();
    Calls "refused-plan-change-changes-nothing" =>
        |stage| stage.plan_change().await?.changes_nothing_if_refused();
    // Boletos.
    Calls "boleto-waits-while-incomplete" =>
        |stage| stage.first_boleto().await?.leaves_the_subscription_incomplete();
    Calls "renewal-boleto-is-reissued" => |stage| {
        let boletos = stage.renewal_boletos().await?;
        boletos.check_reissue(boletos.is_reissued || stage.dunning().await?.retries()?.exist())
    };
    // Refunds and disputes.
    Calls "refunds-add-up" => |stage| stage.refunded().await?.adds_up();
    Calls "one-key-makes-one-refund" => |stage| stage.refunded().await?.refunds_once_per_key();
    Calls "dispute-refuses-refunds" => |stage| stage.disputed().await?.refuses_refunds();
    Calls "lost-dispute-is-lost" => |stage| stage.disputed().await?.closes_as_lost();
    // Requests, lists and events.
    Calls "key-gives-one-object" => |stage| requests::key_is_kept(&stage.tools).await?;
    Calls "unknown-customer-has-an-empty-list" =>
        |stage| requests::unknown_customer_has_nothing(&stage.tools).await?;
    Calls "deleted-customer-cannot-be-expanded" =>
        |stage| requests::deleted_customer_cannot_be_expanded(&stage.tools).await?;
    Calls "deleted-customers-payments-can-be-read" =>
        |stage| requests::deleted_customers_payments_are_listed(&stage.tools).await?;
    Calls "purchase-is-listed-in-two-calls" =>
        |stage| requests::purchase_is_listed_in_two_calls(&stage.tools).await?;
    Calls "key-reads-its-account" => |stage| requests::key_reads_its_account(&stage.tools).await?;
    Calls "key-is-of-the-stored-account" =>
        |stage| requests::key_is_of_the_stored_account(&stage.tools).await?;
    Calls "lists-leave-out-test-clocks" => |stage| requests::lists_leave_out_test_clocks(&stage.tools).await?;
    Calls "events-have-test-clocks" => |stage| stage.authentication().await?.lists_events_of_test_clocks();
};
