//! The log's pages, and the receipt.

use serde_json::json;

use crate::support::{World, client};

async fn open(world: &World, path: &str) -> (u16, String) {
    let answer = client().get(format!("{}{path}", world.url)).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn the_log_shows_each_call_with_request_and_response_and_no_secrets() {
    let world = World::start().await;
    let session = world.session().await;
    world.call("POST", "/v1/customers", "email=sem-arroba&metadata[uid]=u7", Some("chave-7")).await;
    world.json("POST", "/_test/faults", json!({"path": "/v1/coupons", "drop": true, "times": 1})).await;
    let url = format!("{}/v1/coupons", world.url);
    let broken = client().post(&url).header("authorization", "Bearer sk_test_garimpo").body("id=x").send();
    assert!(broken.await.is_err());

    let (status, all) = open(&world, "/log").await;
    let (_, failures) = open(&world, "/log?falhas=1").await;
    let (_, prices) = open(&world, "/log?busca=/prices").await;

    assert_eq!(status, 200);
    let secret = session["client_secret"].as_str().unwrap();
    assert!(!all.contains(secret) && all.contains("client_secret"));
    for text in
        ["<b>POST</b> /v1/customers", "chave-7", "email_invalid", "u7", "sem resposta", "Idempotency-Key"]
    {
        assert!(failures.contains(text), "{text}");
    }
    assert!(!failures.contains("/v1/prices"));
    assert!(prices.contains("/v1/prices") && !prices.contains("/v1/customers"));
    assert!(all.find("/v1/coupons").unwrap() < all.find("/v1/products").unwrap(), "newest first");
    assert_eq!(open(&world, "/log/req_nada").await.0, 404);
}

#[tokio::test]
async fn a_failed_delivery_is_shown_and_a_delivery_can_be_resent() {
    let world = World::start().await;
    world.hooks.answer_with(503);
    world.post("/v1/customers", "email=a@b.c").await;
    world.advance_days(0).await;
    let (_, failed) = open(&world, "/log/deliveries?falhas=1").await;
    world.hooks.answer_with(200);
    world.hooks.wait_for("customer.created", 1).await;
    world.all_delivered().await;
    let (_, after) = open(&world, "/log/deliveries?busca=customer").await;
    let resend = after.split("action=\"").nth(2).unwrap().split('"').next().unwrap();

    client().post(format!("{}{resend}", world.url)).send().await.unwrap();
    world.hooks.wait_for("customer.created", 2).await;
    world.all_delivered().await;
    let (_, quiet) = open(&world, "/log/deliveries?falhas=1").await;

    for text in ["customer.created", "falhou", "503", "Próxima tentativa", "Reenviar", "we_garimpo"] {
        assert!(failed.contains(text), "{text}");
    }
    assert!(after.contains("entregue"));
    assert!(quiet.contains("Nada por aqui"));
    assert_eq!(
        client().post(format!("{}/log/deliveries/99/resend", world.url)).send().await.unwrap().status(),
        404
    );
}

#[tokio::test]
async fn the_receipt_shows_items_discount_payment_method_and_total() {
    let world = World::start().await;
    let session = world.session().await;
    world.pay_by_card(&session, "4242424242424242").await;
    let bought = world.reread(&session, "expand[]=invoice").await;
    let invoice = &bought["invoice"];
    let url = invoice["hosted_invoice_url"].as_str().unwrap();
    let (status, page) = open(&world, url.strip_prefix(&world.url).unwrap()).await;

    let waiting = world.session_with("&client_reference_id=x").await;
    world.issue_boleto(&waiting).await;
    let waiting = world.reread(&waiting, "expand[]=invoice").await;
    let open_url = waiting["invoice"]["hosted_invoice_url"].as_str().unwrap();
    let (_, open_page) = open(&world, open_url.strip_prefix(&world.url).unwrap()).await;
    let pdf = client().get(invoice["invoice_pdf"].as_str().unwrap()).send().await.unwrap();

    assert_eq!(status, 200);
    for text in [
        invoice["number"].as_str().unwrap(),
        "Elite Nível 2",
        "a cada 30 dias",
        "R$ 217,90",
        "-R$ 21,79",
        "R$ 196,11",
        "Cartão Visa final 4242",
        "Total pago",
        "Paga em",
        "Ambiente de testes",
        "ana@example.com",
        "data-print",
    ] {
        assert!(page.contains(text), "{text}");
    }
    for text in ["Total a pagar", "Ver boleto", "Boleto", "Em aberto"] {
        assert!(open_page.contains(text), "{text}");
    }
    assert!(pdf.text().await.unwrap().contains("Recibo"));
}
