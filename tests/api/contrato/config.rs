//! GET /config.json: what the pages read at run time.

use e2e::{Apart, App};
use serde_json::{Value, json};

#[tokio::test]
async fn traz_o_script_do_checkout_a_campanha_e_o_agora_do_produto() {
    for campaign in ["on", "off"] {
        let app = App::start_with(&[("GARIMPO_BLACK_NOVEMBER", campaign)]).await;

        let config = app.visitor().calls("GET", "/config.json", None).await;

        let now = config.body["serverTime"].as_str().expect("an instant").to_owned();
        let script = app.provider().script_url();
        let sandbox = script.trim_end_matches("/v3/");
        config.gives(
            200,
            json!({
                "checkoutScriptUrl": script, "checkoutPublishableKey": "pk_test_garimpo",
                "blackNovember": campaign == "on", "serverTime": now,
                "pixelIds": ["1234567890123456"], "pixelScriptUrl": format!("{sandbox}/pixel/fbevents.js"),
                "adsId": "AW-100000000", "adsScriptUrl": format!("{sandbox}/pixel/gtag.js"),
                "adsLabels": {
                    "cadastro": "sandbox_cadastro", "checkout_iniciado": "sandbox_checkout_iniciado",
                    "checkout_finalizado": "sandbox_checkout_finalizado",
                },
                "captcha": false,
            }),
        );
        assert_eq!(reqwest::get(script).await.expect("the script answers").status(), 200);
        let read = time::OffsetDateTime::parse(&now, &time::format_description::well_known::Rfc3339);
        let age = app.provider().now().await - read.expect("RFC 3339").unix_timestamp();
        assert!((0..30).contains(&age), "{now}");
    }
}

#[tokio::test]
async fn sem_servidor_a_hora_e_nula_e_o_resto_fica() {
    let mut cluster = Apart::start_with_faults(&[]).await;
    cluster.server_dies();

    let config = e2e::eventually("the server's absence", || async {
        let config = cluster.visitor().calls("GET", "/config.json", None).await;
        (config.body["serverTime"] == Value::Null).then_some(config)
    })
    .await;

    assert_eq!((config.status, &config.body["blackNovember"]), (200, &json!(false)));
    assert_eq!(config.body["checkoutPublishableKey"], "pk_test_garimpo");
}
