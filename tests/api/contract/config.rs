//! GET /config.json: the values that pages read at run time.

use e2e::{App, ProductWithoutTime};
use serde_json::{Value, json};

#[tokio::test]
async fn config_returns_checkout_script_campaign_and_server_time() {
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
async fn before_the_time_is_known_config_has_a_null_time_and_keeps_the_rest() {
    let product = ProductWithoutTime::start().await;

    let config = product.visitor().calls("GET", "/config.json", None).await;

    assert_eq!(config.body["serverTime"], Value::Null);
    assert_eq!((config.status, &config.body["blackNovember"]), (200, &json!(false)));
    assert_eq!(config.body["checkoutPublishableKey"], "pk_test_garimpo");
}
