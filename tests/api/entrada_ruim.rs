//! Bad input gets the documented error, and never a panic (the fixture fails on one in the log).

use e2e::{App, Person};
use serde_json::{Value, json};

#[tokio::test]
async fn corpo_que_nao_e_json_ou_tem_tipos_errados_recebe_400_nomeando_o_campo() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let token = ana.id_token.clone().unwrap();
    for path in ["/api/users", "/api/auth/set-cookie", "/create-embedded-checkout-session"] {
        for body in
            ["{", "", "[]", "null", "\"texto\"", "{\"uid\": 1, \"email\": [], \"planName\": {}}", "\u{0}"]
        {
            let request =
                ana.request("POST", path).bearer_auth(&token).header("content-type", "application/json");
            let refused = e2e::visitor::answer(request.body(body)).await;
            assert_eq!(
                (refused.status, refused.code()),
                (400, "INVALID_ARGUMENT"),
                "{path} {body:?} {refused:?}"
            );
            assert!(refused.body["error"].is_string());
        }
    }
    let body = json!({ "email": ana.email, "interval": "month" });
    let missing = ana.calls("POST", "/create-embedded-checkout-session", Some(body)).await;
    assert_eq!(missing.status, 400);
    assert!(missing.body["error"].as_str().unwrap().contains("planName"), "{missing:?}");
}

#[tokio::test]
async fn corpo_de_um_mebibyte_e_recusado_por_tamanho() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let large = json!({ "uid": ana.uid, "email": ana.email, "displayName": "a".repeat(1 << 20) });

    let refused = ana.calls("POST", "/api/users", Some(large)).await;
    let event = app.visitor().request("POST", "/webhooks/stripe").header("stripe-signature", "t=1,v1=00");
    let event = e2e::visitor::answer(event.body(vec![b'a'; (1 << 20) + 1])).await;

    assert_eq!((refused.status, refused.code()), (413, "PAYLOAD_TOO_LARGE"));
    assert_eq!((event.status, event.code()), (413, "PAYLOAD_TOO_LARGE"));
}

#[tokio::test]
async fn tipo_de_midia_metodo_e_caminho_errados_tem_json_documentado() {
    let app = App::start().await;
    let visitor = app.visitor();

    let form =
        visitor.request("POST", "/api/users").header("content-type", "application/x-www-form-urlencoded");
    let form = e2e::visitor::answer(form.body("uid=1")).await;
    let method = visitor.calls("DELETE", "/api/auth/check-cookie", None).await;
    let unknown = visitor.calls("GET", "/api/nao-existe", None).await;

    assert_eq!((form.status, form.code()), (415, "UNSUPPORTED_MEDIA_TYPE"));
    assert_eq!((method.status, method.code()), (405, "METHOD_NOT_ALLOWED"));
    assert_eq!((unknown.status, unknown.code()), (404, "NOT_FOUND"));
}

#[tokio::test]
async fn token_e_cookie_estranhos_valem_por_nenhum() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let path = format!("/api/users/{}", ana.uid);
    let long = "x".repeat(4_000);
    for token in ["gi_", "gs_", "gv_nada", "eyJhbGciOiJub25lIn0.e30.", "çã", long.as_str()] {
        let header = reqwest::header::HeaderValue::from_bytes(format!("Bearer {token}").as_bytes()).unwrap();
        let refused = e2e::visitor::answer(ana.request("GET", &path).header("authorization", header)).await;
        assert_eq!((refused.status, refused.code()), (401, "UNAUTHENTICATED"), "{token}");
        let refused = ana
            .request("GET", &path)
            .header("cookie", format!("garimpo_session={}", token.replace('ç', "c").replace('ã', "a")));
        assert_eq!(e2e::visitor::answer(refused).await.status, 401, "{token}");
    }
}

#[tokio::test]
async fn cabecalhos_internos_vindos_de_fora_nao_valem() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let request = app
        .visitor()
        .request("GET", &format!("/api/users/{}", ana.uid))
        .header("x-garimpo-uid", &ana.uid)
        .header("x-garimpo-fleet-secret", "")
        .header("x-garimpo-client-address", "10.0.0.1");
    let refused = e2e::visitor::answer(request).await;

    assert_eq!((refused.status, refused.code()), (401, "UNAUTHENTICATED"));
}

#[tokio::test]
async fn quadros_grpc_quebrados_recebem_status_grpc_e_nunca_html() {
    let app = App::start().await;
    let bodies: [&[u8]; 4] = [b"", b"\x00", b"\x00\x00\x00\x00\x05ab", b"\x00\x00\x00\x00\x02\xff\xff"];
    for path in ["/garimpo.auth.v1.AuthService/SignUp", "/garimpo.nada.v1.Nada/Nada", "/"] {
        for body in bodies {
            let request =
                app.visitor().request("POST", path).header("content-type", "application/grpc-web+proto");
            let response = request.body(body).send().await.expect("an answer");
            let kind = response.headers()["content-type"].to_str().unwrap().to_string();
            assert!(kind.starts_with("application/grpc"), "{path} {body:?}: {kind}");
        }
    }
}

#[tokio::test]
async fn entitlements_e_webhooks_nao_existem_na_porta_publica() {
    let app = App::start().await;
    for service in ["EntitlementService/GetEntitlements", "WebhookService/ReceiveEvent"] {
        let path = format!("/garimpo.billing.v1.{service}");
        let answer = e2e::grpc_web::call::<(), ()>(app.url(), &path, &(), &[]).await;
        assert_eq!(answer.grpc_status, (tonic::Code::Unimplemented as i32).to_string(), "{service}");
    }
}

#[tokio::test]
async fn erro_de_rest_tem_sempre_texto_e_codigo() {
    let app = App::start().await;
    let refused = app.visitor().calls("GET", "/api/users/qualquer", None).await;
    let keys: Vec<_> = refused.body.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["code", "error"]);
    assert_ne!(refused.body["error"], Value::Null);
}
