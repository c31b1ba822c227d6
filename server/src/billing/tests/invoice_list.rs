//! The list of invoices.

use garimpo_domain::Centavos;
use garimpo_proto::billing::v1::{ListInvoicesResponse, PlanInterval};
use garimpo_proto::errors::v1::ErrorReason;

use crate::billing::account::invoices::refunded_so_far;
use crate::store::{Invoice, invoices, refunds};
use crate::tests::server::{fields, reason};
use crate::tests::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn invoices_are_listed_from_newest_to_oldest_in_pages() {
    let (world, ana) = World::new().await.with_ana().await;
    assert_eq!(world.invoices_of(&ana, 0, "").await.expect("a page"), ListInvoicesResponse::default());
    world.subscribes(&ana, "top_afiliado", "month").await;
    for _ in 0..2 {
        world.advances_days(31).await;
    }

    let all = world.invoices_of(&ana, 0, "").await.expect("a page");
    assert_eq!((all.invoices.len(), all.next_page_token.as_str()), (3, ""));
    let reasons: Vec<&str> = all.invoices.iter().map(|invoice| invoice.reason.as_str()).collect();
    assert_eq!(reasons, ["renewal", "renewal", "purchase"]);
    for invoice in &all.invoices {
        assert_eq!((invoice.total_centavos, invoice.amount_due_centavos), (9_790, 9_790));
        assert_eq!((invoice.status.as_str(), invoice.payment_method.as_str()), ("paid", "card"));
        assert_eq!((invoice.plan_id.as_str(), invoice.interval()), ("top_afiliado", PlanInterval::Monthly));
        assert!(invoice.paid_at.is_some() && invoice.receipt_url.starts_with("http"), "{invoice:?}");
        assert_eq!((invoice.refunded_centavos, &invoice.boleto), (0, &None));
    }
    let numbers: Vec<&str> = all.invoices.iter().filter_map(|invoice| invoice.number.get(8..)).collect();
    assert_eq!(numbers, ["-0003", "-0002", "-0001"], "the numbers of the receipts");
    assert!(
        all.invoices.is_sorted_by_key(|invoice| {
            std::cmp::Reverse(invoice.created_at.expect("an instant").seconds)
        })
    );

    let mut walked = Vec::new();
    let mut token = String::new();
    loop {
        let page = world.invoices_of(&ana, 1, &token).await.expect("a page");
        assert_eq!(page.invoices.len(), 1);
        walked.extend(page.invoices);
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(walked, all.invoices);
    for (size, token, field) in [(0, "x", "page_token"), (-1, "", "page_size")] {
        let refused = world.invoices_of(&ana, size, token).await.expect_err("it refuses");
        assert_eq!(reason(&refused), ErrorReason::InvalidArgument);
        assert_eq!(fields(&refused), [field]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_invoice_of_an_open_boleto_has_its_payment_line_and_a_draft_is_not_listed() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let slip = world.orders_by_boleto(&ana, "top_afiliado", "month").await;

    let waiting = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((waiting.status.as_str(), waiting.payment_method.as_str()), ("open", "boleto"));
    let boleto = waiting.boleto.expect("it waits");
    assert_eq!((boleto.line.len(), boleto.barcode.len(), boleto.amount_centavos), (47, 44, 9_790));

    world.pays_boleto(&slip).await;
    world.rest().await;
    let paid = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((paid.status.as_str(), paid.boleto), ("paid", None));
    // Half an hour into the next period the renewal is still a draft.
    let end = world.account_of(&ana).await.subscription.expect("one").ends_at.expect("paid").seconds;
    world.goes_to(end + 1_800).await;
    assert_eq!(world.provider_list("/v1/invoices?status=draft").await.len(), 1);
    assert_eq!(world.invoices_of(&ana, 0, "").await.expect("a page").invoices.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_refund_is_displayed_on_the_invoice_before_the_next_sync() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
    world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    let store = world.app.store();
    let refunds = refunds::by_uid(store, &ana.uid).await.expect("read");
    let synced = invoices::by_uid(store, &ana.uid).await.expect("read").remove(0);
    let unsynced = Invoice { refunded_centavos: Centavos::ZERO, ..synced.clone() };
    assert_eq!(refunded_so_far(&unsynced, &refunds), Centavos::new(19_790));
    assert_eq!(refunded_so_far(&synced, &refunds), Centavos::new(19_790), "counted once");
    assert_eq!(refunded_so_far(&unsynced, &[]), Centavos::ZERO);
}
