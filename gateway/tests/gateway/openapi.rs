//! /openapi.json says what the calls do.

use crate::support::{Gateway, HTTP, request};
use http::StatusCode;
use serde_json::Value;

const CALLS: [&str; 13] = [
    "post /api/auth/set-cookie",
    "post /api/auth/clear-cookie",
    "get /api/auth/check-cookie",
    "get /api/users/{uid}",
    "post /api/users",
    "post /api/create-customer-portal-session",
    "post /api/password-reset",
    "post /create-embedded-checkout-session",
    "get /session-status",
    "post /meta-capi",
    "post /api/steps",
    "post /webhooks/stripe",
    "get /config.json",
];

async fn document(gateway: &Gateway) -> Value {
    let answer = gateway.get("/openapi.json", &[]).await;
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "application/json"));
    answer.json()
}

fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, item): (&String, &Value)| {
        let path = path.clone();
        let item = item.as_object().unwrap().clone();
        item.into_iter().map(move |(method, operation)| (method, path.clone(), operation))
    };
    paths.iter().flat_map(of_path).collect()
}

#[tokio::test]
async fn todos_os_caminhos_estao_documentados_e_existem() {
    let gateway = Gateway::new();
    let document = document(&gateway).await;
    assert_eq!(document["openapi"], "3.1.0");

    let mut listed: Vec<_> = operations(&document).iter().map(|(m, p, _)| format!("{m} {p}")).collect();
    let mut expected = CALLS.map(str::to_owned).to_vec();
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
    for (method, path, _) in operations(&document) {
        let path = path.replace("{uid}", "u1");
        let answer = gateway.ask(request(&method.to_uppercase(), &path, &[("origin", HTTP)], "")).await;
        let missing = [StatusCode::NOT_FOUND, StatusCode::METHOD_NOT_ALLOWED].contains(&answer.status);
        assert!(!missing, "{method} {path}: {}", answer.status);
    }
}

#[tokio::test]
async fn campo_documentado_como_obrigatorio_e_o_que_o_corpo_vazio_nomeia() {
    // The server judges a missing email there, by a reason of its own.
    const JUDGED_BY_SERVER: [&str; 3] =
        ["/api/create-customer-portal-session", "/api/password-reset", "/create-embedded-checkout-session"];
    let gateway = Gateway::new();
    let document = document(&gateway).await;
    for (_, path, operation) in operations(&document) {
        // A signed body is passed on unread: the server judges all of it.
        if path == "/webhooks/stripe" {
            continue;
        }
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        for field in schema["required"].as_array().into_iter().flatten() {
            let field = field.as_str().unwrap();
            if field == "email" && JUDGED_BY_SERVER.contains(&path.as_str()) {
                continue;
            }
            let answer = gateway.post(&path, &[("origin", HTTP)], "{}").await;
            let said = answer.json()["error"].as_str().unwrap().to_owned();
            assert!(said.contains(&format!("{field} é obrigatório")), "{path} {field}: {said}");
        }
    }
}
