use super::*;
use proptest::prelude::*;

fn address(peer: &str, forwarded: &[&'static str], trusted: &[&str]) -> String {
    let headers: HeaderMap = forwarded.iter().map(|v| (FORWARDED_FOR, HeaderValue::from_static(v))).collect();
    let trusted: Vec<IpNet> = trusted.iter().map(|t| t.parse().unwrap()).collect();
    client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
}

#[test]
fn the_client_address_is_the_last_hop_that_is_not_a_trusted_proxy() {
    let proxies = ["10.0.0.0/8"];
    assert_eq!(address("203.0.113.9", &["1.2.3.4"], &[]), "203.0.113.9");
    assert_eq!(address("203.0.113.9", &["1.2.3.4"], &proxies), "203.0.113.9");
    assert_eq!(address("10.0.0.1", &["1.2.3.4, 5.6.7.8"], &proxies), "5.6.7.8");
    assert_eq!(address("10.0.0.1", &["1.2.3.4", "5.6.7.8, 10.0.0.2"], &proxies), "5.6.7.8");
    assert_eq!(address("10.0.0.1", &["10.0.0.3"], &proxies), "10.0.0.3");
    assert_eq!(address("10.0.0.1", &[], &proxies), "10.0.0.1");
    assert_eq!(address("10.0.0.1", &["5.6.7.8, lixo"], &proxies), "10.0.0.1");
    assert_eq!(address("10.0.0.1", &["5.6.7.8:443"], &proxies), "5.6.7.8");
}

#[test]
fn a_non_ascii_byte_from_the_client_does_not_hide_the_hop_of_the_proxy() {
    let line = HeaderValue::from_bytes(b"\xe9, 198.51.100.77").unwrap();
    let headers = HeaderMap::from_iter([(FORWARDED_FOR, line)]);

    let client = client_address("127.0.0.1".parse().unwrap(), &headers, &["127.0.0.0/8".parse().unwrap()]);

    assert_eq!(client.to_string(), "198.51.100.77");
}

#[test]
fn an_ipv6_address_is_kept_whole_and_a_mapped_ipv4_becomes_ipv4() {
    assert_eq!(address("2001:db8:1:2:3:4:5:6", &[], &[]), "2001:db8:1:2:3:4:5:6");
    assert_eq!(address("::ffff:10.0.0.1", &["[2001:db8:a:b:c::1]"], &["10.0.0.0/8"]), "2001:db8:a:b:c::1");
    assert_eq!(address("::ffff:1.2.3.4", &[], &[]), "1.2.3.4");
}

#[test]
fn a_grpc_timeout_is_parsed_and_a_malformed_one_ignored() {
    assert_eq!(grpc_timeout("10S"), Some(Duration::from_secs(10)));
    assert_eq!(grpc_timeout("250m"), Some(Duration::from_millis(250)));
    for bad in ["", "S", "123456789S", "1x", "é"] {
        assert_eq!(grpc_timeout(bad), None, "{bad}");
    }
}

proptest! {
    #[test]
    fn any_grpc_timeout_gives_at_most_the_maximum_deadline(text in prop_oneof![any::<String>(), "[0-9]{0,10}[HMSmunx]?"]) {
        let Ok(value) = HeaderValue::from_str(&text) else { return Ok(()) };
        let headers = HeaderMap::from_iter([(http::HeaderName::from_static("grpc-timeout"), value)]);
        prop_assert!(deadline(&headers) <= MAX_DEADLINE);
    }

    #[test]
    fn any_x_forwarded_for_from_an_untrusted_peer_leaves_the_address_unchanged(
        line in prop_oneof![any::<String>(), "[0-9a-f:., \\[\\]]{0,40}"]
    ) {
        let Ok(value) = HeaderValue::from_bytes(line.as_bytes()) else { return Ok(()) };
        let headers = HeaderMap::from_iter([(FORWARDED_FOR, value)]);
        let peer: IpAddr = "203.0.113.9".parse().expect("an address");
        prop_assert_eq!(client_address(peer, &headers, &[]), peer);
        let _ = client_address(peer, &headers, &["203.0.113.0/24".parse().expect("a net")]);
    }

    #[test]
    fn any_user_agent_is_forwarded_visible_and_short(bytes in proptest::collection::vec(any::<u8>(), 0..700)) {
        let Ok(value) = HeaderValue::from_bytes(&bytes) else { return Ok(()) };
        let kept = bounded_user_agent(&HeaderMap::from_iter([(USER_AGENT, value)]));
        let is_visible = |text: &str| text.bytes().all(|byte| (0x20..0x7f).contains(&byte));
        prop_assert!(kept.is_none_or(|kept| (1..=MAX_USER_AGENT).contains(&kept.len()) && is_visible(&kept)));
    }
}
