//! GET /openapi.json. A validator and an independent client check it in
//! `tests/clients/schemathesis.sh`.

use e2e::App;
use serde_json::Value;

#[tokio::test]
async fn the_openapi_document_lists_credentials_and_every_refusal_of_the_contract() {
    let app = App::start().await;

    let answer = app.visitor().calls("GET", "/openapi.json", None).await;

    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    let document = answer.body;
    assert_eq!(document["openapi"], "3.1.0");
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(
        (&schemes["session"]["name"], &schemes["token"]["scheme"]),
        (&"garimpo_session".into(), &"bearer".into())
    );
    for (path, method, status, reasons) in ROWS {
        let response = &document["paths"][path][method]["responses"][status];
        let schema = &response["content"]["application/json"]["schema"];
        let mut said: Vec<&str> = schema["properties"]["code"]["enum"]
            .as_array()
            .unwrap_or_else(|| panic!("{method} {path} {status}: {response}"))
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let mut expected = reasons.to_vec();
        said.sort_unstable();
        expected.sort_unstable();
        assert_eq!(said, expected, "{method} {path} {status}");
        assert_eq!(schema["additionalProperties"], false);
    }
}

/// The documented failures, including those that any call can return.
const ROWS: &[(&str, &str, &str, &[&str])] = &[
    ("/api/auth/set-cookie", "post", "400", &["INVALID_ARGUMENT"]),
    ("/api/auth/set-cookie", "post", "401", &["UNAUTHENTICATED"]),
    ("/api/auth/set-cookie", "post", "403", &["PERMISSION_DENIED"]),
    ("/api/auth/set-cookie", "post", "413", &["PAYLOAD_TOO_LARGE"]),
    ("/api/auth/set-cookie", "post", "415", &["UNSUPPORTED_MEDIA_TYPE"]),
    ("/api/auth/set-cookie", "post", "429", &["TOO_MANY_REQUESTS"]),
    ("/api/auth/set-cookie", "post", "500", &["INTERNAL"]),
    ("/api/auth/set-cookie", "post", "503", &["UNAVAILABLE"]),
    ("/api/auth/check-cookie", "get", "503", &["UNAVAILABLE"]),
    ("/api/users/{uid}", "get", "401", &["UNAUTHENTICATED"]),
    ("/api/users/{uid}", "get", "403", &["PERMISSION_DENIED"]),
    ("/api/users/{uid}", "get", "404", &["USER_NOT_FOUND"]),
    ("/api/users", "post", "400", &["INVALID_ARGUMENT", "INVALID_EMAIL", "INVALID_PHONE"]),
    ("/api/create-customer-portal-session", "post", "400", &["EMAIL_MISSING", "INVALID_ARGUMENT"]),
    ("/api/create-customer-portal-session", "post", "404", &["NO_CUSTOMER"]),
    ("/api/create-customer-portal-session", "post", "502", &["PROVIDER_UNAVAILABLE"]),
    ("/api/create-customer-portal-session", "post", "503", &["PAYMENTS_DOWN", "UNAVAILABLE"]),
    ("/api/password-reset", "post", "400", &["INVALID_ARGUMENT", "INVALID_EMAIL"]),
    ("/api/password-reset", "post", "429", &["TOO_MANY_REQUESTS"]),
    (
        "/create-embedded-checkout-session",
        "post",
        "400",
        &[
            "COUPON_NOT_APPLICABLE",
            "INVALID_ARGUMENT",
            "PLAN_NOT_FOR_SALE",
            "UNKNOWN_INTERVAL",
            "UNKNOWN_PLAN",
        ],
    ),
    ("/create-embedded-checkout-session", "post", "409", &["ALREADY_SUBSCRIBED"]),
    ("/create-embedded-checkout-session", "post", "502", &["PROVIDER_UNAVAILABLE"]),
    ("/create-embedded-checkout-session", "post", "503", &["PAYMENTS_DOWN", "UNAVAILABLE"]),
    ("/session-status", "get", "400", &["INVALID_ARGUMENT"]),
    ("/session-status", "get", "404", &["NOT_FOUND"]),
    ("/session-status", "get", "429", &["TOO_MANY_REQUESTS"]),
    ("/session-status", "get", "502", &["PROVIDER_UNAVAILABLE"]),
    ("/session-status", "get", "503", &["PAYMENTS_DOWN", "UNAVAILABLE"]),
    ("/meta-capi", "post", "400", &["INVALID_ARGUMENT", "UNKNOWN_EVENT"]),
    ("/meta-capi", "post", "403", &["PERMISSION_DENIED"]),
    ("/meta-capi", "post", "429", &["TOO_MANY_REQUESTS"]),
    ("/webhooks/stripe", "post", "400", &["INVALID_ARGUMENT", "INVALID_SIGNATURE"]),
    ("/webhooks/stripe", "post", "413", &["PAYLOAD_TOO_LARGE"]),
    ("/webhooks/stripe", "post", "503", &["UNAVAILABLE"]),
];
