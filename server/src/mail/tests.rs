use super::*;

#[test]
fn the_greeting_contains_only_a_plausible_name() {
    for (name, greeted) in [
        ("Ana Souza", Some("Ana")),
        ("D’Ávila Jr", Some("D’Ávila")),
        ("Jo\u{303}ao", Some("Jo\u{303}ao")),
        ("Maria-Clara", Some("Maria-Clara")),
        ("http://evil.example/premio?x=1", None),
        ("evil.example", None),
        ("ana@evil.example", None),
        ("Ganhe1000reais", None),
        ("\u{202e}ana", None),
        ("", None),
    ] {
        assert_eq!(greeting_name(name), greeted, "{name}");
    }
}

#[test]
fn a_moment_is_written_in_the_time_of_sao_paulo() {
    let at = |text| moment(Timestamp::parse_rfc3339(text).expect("an instant"));

    assert_eq!(at("2026-11-20T12:05:59Z"), "20/11/2026 às 09:05");
    assert_eq!(at("2026-12-01T02:59:00Z"), "30/11/2026 às 23:59");
}
