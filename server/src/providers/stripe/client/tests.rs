use garimpo_domain::CheckoutSessionId;

use super::*;

/// A client of an address at which nobody listens.
fn unreachable() -> Stripe {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Stripe::new(StripeSettings {
        url: "http://127.0.0.1:9".to_owned(),
        secret_key: "sk_test".into(),
        webhook_secrets: Vec::new(),
        calls_per_second: CALLS_PER_SECOND,
    })
    .expect("a client")
}

fn is_repeated(status: u16, code: &str, headers: &[(&'static str, &'static str)]) -> bool {
    let body = format!(r#"{{"error":{{"code":"{code}"}}}}"#);
    let headers =
        headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
    Failed::response(status, &headers.collect(), body.as_bytes()).retry.is_some()
}

#[test]
fn calls_are_retried_immediately_only_where_the_official_clients_retry() {
    let limited = ("stripe-rate-limited-reason", "endpoint-rate");
    let (yes, no) = (("stripe-should-retry", "true"), ("stripe-should-retry", "false"));
    for (status, code, headers, repeated) in [
        (409, "idempotency_key_in_use", vec![], true),
        (409, "idempotency_key_in_use", vec![no], false),
        (500, "", vec![], true),
        (500, "", vec![no], false),
        (503, "", vec![yes], true),
        (429, "rate_limit", vec![limited], false),
        (429, "rate_limit", vec![limited, yes], true),
        (429, "lock_timeout", vec![], true),
        (429, "lock_timeout", vec![yes], true),
        (429, "lock_timeout", vec![no], false),
        (400, "parameter_invalid", vec![], false),
        (400, "parameter_invalid", vec![yes], true),
        (402, "card_declined", vec![], false),
        (404, "resource_missing", vec![], false),
    ] {
        assert_eq!(is_repeated(status, code, &headers), repeated, "{status} {code} {headers:?}");
    }
}

#[tokio::test]
async fn a_failed_connection_reports_the_cause_and_not_the_object() {
    let error =
        unreachable().get_checkout(&CheckoutSessionId::new("cs_1")).await.expect_err("nobody listens");

    let text = Causes(&error).to_string();
    assert!(text.contains("refused") && !text.contains("cs_1"), "{text}");
}

#[test]
fn only_a_provider_outage_counts_for_the_circuit() {
    for status in [400, 402, 404, 409, 424, 429] {
        let refused = StripeError::from_response(status, None, b"{}");
        assert_eq!(refused.health(), Health::Up, "{status}");
    }
    for status in [500, 502, 503] {
        let broken = StripeError::from_response(status, None, b"<html>");
        assert_eq!(broken.health(), Health::Down, "{status}");
    }
    assert_eq!(StripeError::unavailable("connection failed").health(), Health::Down);
}

#[tokio::test]
async fn an_id_with_special_characters_does_not_read_another_object() {
    let stripe = unreachable();
    for id in ["cs_1/../x", "cs_1?x", "..", "", "cs_1#", "cs_ç", "cs_1%2e"] {
        let read = stripe.get_checkout(&CheckoutSessionId::new(id)).await;
        assert!(read.as_ref().is_err_and(StripeError::is_missing), "{id}: {read:?}");
    }
}
