//! POST /api/client-errors: which reports of broken pages are taken.

use crate::support::{Gateway, HTTP, settings};
use garimpo_gateway::Settings;
use garimpo_gateway::budget::GatewayLimits;
use http::StatusCode;
use serde_json::json;

const PATH: &str = "/api/client-errors";

fn error(stack: &str) -> String {
    json!({"release": "abc", "path": "/planos", "error": stack}).to_string()
}

async fn status(gateway: &Gateway, headers: &[(&str, &str)], body: &str) -> StatusCode {
    gateway.post(PATH, headers, body).await.status
}

#[tokio::test]
async fn so_pagina_nossa_conta_o_que_quebrou_e_nenhum_servico_e_chamado() {
    let gateway = Gateway::new();
    assert_eq!(status(&gateway, &[("origin", HTTP)], &error("at a")).await, StatusCode::ACCEPTED);
    let foreign = [("origin", "https://outro.example")];
    for headers in [&[] as &[_], &foreign, &[("origin", HTTP), ("sec-fetch-site", "cross-site")]] {
        assert_eq!(status(&gateway, headers, &error("at a")).await, StatusCode::FORBIDDEN);
    }
    assert!(gateway.services.seen().is_empty());
}

#[tokio::test]
async fn relato_grande_demais_e_recusado() {
    let gateway = Gateway::new();
    assert_eq!(status(&gateway, &[("origin", HTTP)], &error(&"a".repeat(8_000))).await, StatusCode::ACCEPTED);
    let large = status(&gateway, &[("origin", HTTP)], &error(&"a".repeat(8_192))).await;
    assert_eq!(large, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn relatos_demais_de_um_endereco_sao_recusados_por_um_tempo() {
    let limits = GatewayLimits { page_errors: 2, ..GatewayLimits::default() };
    let gateway = Gateway::with(Settings { limits, ..settings(HTTP) });
    for expected in [StatusCode::ACCEPTED, StatusCode::ACCEPTED, StatusCode::TOO_MANY_REQUESTS] {
        let answer = gateway.post(PATH, &[("origin", HTTP)], &error("at a")).await;
        assert_eq!(answer.status, expected);
        assert_eq!(answer.header("retry-after").is_empty(), expected == StatusCode::ACCEPTED);
    }
}
