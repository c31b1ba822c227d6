//! The list of invoices, as the user area reads it.

use e2e::{App, Person};
use garimpo_proto::billing::v1::ListInvoicesRequest;
use tonic_types::StatusExt as _;

#[tokio::test]
async fn invoices_are_listed_in_pages_with_receipts_that_open() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;
    provider.advances_days(31).await;
    ana.becomes_active().await;

    let mut billing = ana.billing().await;
    let ask = |page_size, page_token: &str| {
        ana.authorized(ListInvoicesRequest { page_size, page_token: page_token.into() })
    };
    let first = billing.list_invoices(ask(1, "")).await.expect("a page").into_inner();
    let second = billing.list_invoices(ask(1, &first.next_page_token)).await.expect("a page").into_inner();
    assert_eq!((first.invoices.len(), second.invoices.len()), (1, 1));
    assert_eq!(second.next_page_token, "");
    assert_eq!(
        (first.invoices[0].reason.as_str(), second.invoices[0].reason.as_str()),
        ("renewal", "purchase")
    );
    let receipt = reqwest::get(&second.invoices[0].receipt_url).await.expect("it opens");
    assert!(receipt.text().await.expect("a page").contains("97,90"));

    let wrong = billing.list_invoices(ask(1, "x")).await.expect_err("not one of ours");
    assert_eq!(wrong.get_details_error_info().expect("a reason").reason, "INVALID_ARGUMENT");
}
