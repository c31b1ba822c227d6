//! The pages, requested as by a browser. The product's tests submit the forms in a real
//! browser.

use serde_json::{Value, json};

use crate::support::{World, client, id};

async fn open(world: &World, path: &str) -> (u16, String, String) {
    let answer = client().get(format!("{}{path}", world.url)).send().await.unwrap();
    let status = answer.status().as_u16();
    let policy =
        answer.headers().get("content-security-policy").map(|value| value.to_str().unwrap().to_owned());
    (status, policy.unwrap_or_default(), answer.text().await.unwrap())
}

#[tokio::test]
async fn the_embedded_page_shows_the_order_and_the_test_notice() {
    let world = World::start().await;
    world.post("/v1/coupons", "id=novo10&name=10%25+de+desconto&percent_off=10&duration=once").await;
    let session = world.session().await;
    let secret = session["client_secret"].as_str().unwrap();

    let (status, policy, page) = open(&world, &format!("/v3/embedded/{secret}")).await;
    let (_, _, script) = open(&world, "/v3/").await;
    let (_, _, unknown) = open(&world, "/v3/embedded/cs_test_x_secret_y").await;

    assert_eq!(status, 200);
    for text in [
        "Elite Nível 2",
        "R$ 196,11",
        "Cupom 10% de desconto",
        "-R$ 21,79",
        "a cada 30 dias",
        "Ambiente de testes",
        "Número do cartão",
        "Validade",
        "CVC",
        "Nome no cartão",
        ">Assinar<",
        ">Gerar boleto<",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(policy.contains("default-src 'none'") && policy.contains("http://127.0.0.1:*"));
    assert!(!page.contains("<script>") && !page.contains("style="));
    assert!(script.contains("Stripe.version = 'endive'"));
    assert!(unknown.contains("não encontrada"));
}

#[tokio::test]
async fn the_embedded_form_shows_a_decline_and_then_completes_the_session() {
    let world = World::start().await;
    let session = world.session().await;
    let path = format!("/v3/embedded/{}/card", session["client_secret"].as_str().unwrap());
    let card = |number: &str, more: Value| {
        let mut form = json!({"number": number, "expiry": "12 / 34", "cvc": "123", "name": "Ana Souza"});
        form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        form
    };

    let declined = world.json("POST", &path, card("4000 0000 0000 9995", json!({}))).await.1;
    let asked = world.json("POST", &path, card("4000 0027 6000 3184", json!({}))).await.1;
    let paid =
        world.json("POST", &path, card("4000 0027 6000 3184", json!({"challenge": "authorize"}))).await.1;
    let (_, _, after) = open(&world, path.trim_end_matches("/card")).await;

    assert_eq!(
        declined["error"]["message"],
        "O cartão foi recusado por saldo insuficiente. Use outro cartão."
    );
    assert_eq!(asked["status"], "requires_action");
    assert_eq!((paid["status"].as_str(), paid["payment_status"].as_str()), (Some("complete"), Some("paid")));
    assert!(after.contains("já foi enviado"));
}

#[tokio::test]
async fn the_boleto_page_shows_the_bar_code_and_simulates_the_payment() {
    let world = World::start().await;
    let session = world.session().await;
    let (_, issued) = world.issue_boleto(&session).await;
    let url = issued["boleto"]["hosted_voucher_url"].as_str().unwrap().to_owned();
    let path = url.strip_prefix(&world.url).unwrap();

    let (_, policy, page) = open(&world, path).await;
    let paid = client().post(format!("{url}/pay")).send().await.unwrap().text().await.unwrap();

    assert!(policy.contains("frame-ancestors 'none'"));
    for text in [
        "SEM VALOR",
        "R$ 196,11",
        "Simular pagamento",
        "<svg class=\"bars\"",
        "Ambiente de testes",
        "href=\"http://127.0.0.1:8080/area-usuario\">Voltar ao site",
        "Vencimento",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(paid.contains("Boleto pago"));
    assert_eq!(world.reread(&session, "").await["payment_status"], "paid");
}

#[tokio::test]
async fn the_portal_cancels_resumes_and_replaces_the_card() {
    let world = World::start().await;
    // This portal stores a card everywhere and pays open invoices with it.
    let portal = json!({"portal_card": "customer_and_subscriptions", "portal_pays_open_invoices": true});
    world.json("PUT", "/_test/behavior", portal).await;
    let session = world.session().await;
    world.pay_by_card(&session, "4000000000000341").await;
    world.advance_days(31).await;
    let session = world.reread(&session, "").await;
    let (customer, subscription) =
        (session["customer"].as_str().unwrap(), session["subscription"].as_str().unwrap());
    let form = format!("customer={customer}&return_url=http%3A%2F%2F127.0.0.1%3A8080%2Farea-usuario");
    let portal = world.post("/v1/billing_portal/sessions", &form).await["url"].as_str().unwrap().to_owned();
    let send = |path: String, body: &'static str| client().post(format!("{portal}{path}")).body(body).send();

    let late = client().get(&portal).send().await.unwrap().text().await.unwrap();
    let wrong = send("/card".into(), "number=4242424242424241&expiry=12/34&cvc=123&name=Ana").await.unwrap();
    let wrong = wrong.text().await.unwrap();
    let declined =
        send("/card".into(), "number=4000000000000002&expiry=12/34&cvc=123&name=Ana").await.unwrap();
    let declined = declined.text().await.unwrap();
    let refused =
        send("/card".into(), "number=4000000000000341&expiry=12/34&cvc=123&name=Ana").await.unwrap();
    let refused = refused.text().await.unwrap();
    send("/card".into(), "number=4242424242424242&expiry=12/34&cvc=123&name=Ana").await.unwrap();
    let cured = world.get(&format!("/v1/subscriptions/{subscription}?expand[]=latest_invoice")).await;
    send(format!("/subscriptions/{subscription}/cancel"), "").await.unwrap();
    let leaving = world.get(&format!("/v1/subscriptions/{subscription}")).await;
    let undone =
        send(format!("/subscriptions/{subscription}/resume"), "").await.unwrap().text().await.unwrap();

    assert!(late.contains("Pagamento em atraso") && late.contains("Ambiente de testes"));
    assert!(wrong.contains("O número do cartão não é válido"));
    assert!(!declined.contains("Alteração salva") && declined.contains("role=\"alert\""), "{declined}");
    assert!(refused.contains("Alteração salva, mas o cartão recusou a fatura em aberto."), "{refused}");
    assert_eq!(
        (cured["status"].as_str(), cured["latest_invoice"]["status"].as_str()),
        (Some("active"), Some("paid"))
    );
    assert_eq!(leaving["cancel_at_period_end"], true);
    assert!(undone.contains("Alteração salva") && undone.contains("Renova em"));
    assert!(undone.contains("http://127.0.0.1:8080/area-usuario"));
}

#[tokio::test]
async fn pages_escape_outside_input() {
    let world = World::start().await;
    let evil = "<script>alert(1)</script>";
    let letter = json!({"key": "k", "to": evil, "subject": evil, "text": evil, "html": evil});
    world.json("POST", "/mail", letter).await;
    world.call("POST", "/v1/products", "name=%3Cscript%3Ealert(1)%3C%2Fscript%3E", None).await;
    let session = world.session().await;
    let body = json!({"boleto": {"tax_id": "529.982.247-25", "name": format!("{evil} Souza")}});
    let issued = world.json("POST", &format!("/_test/checkout/{}", id(&session)), body).await.1;
    let voucher = issued["boleto"]["hosted_voucher_url"].as_str().unwrap();

    for path in ["/", "/mail", "/mail/1", voucher.strip_prefix(&world.url).unwrap()] {
        let (status, policy, page) = open(&world, path).await;

        assert_eq!(status, 200, "{path}");
        assert!(!page.contains(evil), "{path}");
        assert!(policy.contains("script-src 'self'"), "{path}");
    }
    assert_eq!(open(&world, "/mail/99").await.0, 404);
    assert_eq!(open(&world, "/boleto/nada").await.0, 404);
}

#[tokio::test]
async fn an_unknown_address_gets_a_page_with_a_link_to_the_start() {
    let world = World::start().await;

    let (status, policy, page) = open(&world, "/nao-existe").await;
    let (icon, _, drawing) = open(&world, "/favicon.ico").await;

    assert_eq!((status, icon), (404, 200));
    assert!(page.contains("Página não encontrada") && page.contains("href=\"/\""), "{page}");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(drawing.contains("<svg"));
}
