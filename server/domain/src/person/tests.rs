//! The cases of `tests/vectors/signup.json`, which the browser's forms read as well.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Vectors {
    email: Vec<Case>,
    phone: Vec<Case>,
    name: Vec<Case>,
    password: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    input: String,
    #[serde(default)]
    ok: Option<String>,
    error: Option<String>,
    reason: Option<String>,
    first: Option<String>,
    last: Option<String>,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../../../tests/vectors/signup.json")).unwrap()
}

fn check<E>(case: &Case, found: Result<Option<String>, E>, name: fn(E) -> &'static str) {
    let expected = match &case.error {
        Some(error) => Err(error.as_str()),
        None => Ok(case.ok.as_deref()),
    };
    assert_eq!(
        found.as_ref().map(Option::as_deref).map_err(|_| ()),
        expected.map_err(|_| ()),
        "{:?}",
        case.input
    );
    if let Err(error) = found {
        assert_eq!(Some(name(error)), case.error.as_deref(), "{:?}", case.input);
        assert!(case.reason.is_some());
    }
}

#[test]
fn emails_are_parsed_as_in_the_shared_vectors() {
    for case in vectors().email {
        let found = Email::parse(&case.input).map(|email| Some(email.as_str().to_owned()));
        check(&case, found, |error| match error {
            EmailError::Missing => "missing",
            EmailError::Malformed => "malformed",
            EmailError::TooLong => "too_long",
            EmailError::Unreachable => "unreachable",
        });
    }
}

#[test]
fn phones_are_parsed_as_in_the_shared_vectors() {
    for case in vectors().phone {
        let found =
            Phone::parse_optional(&case.input).map(|phone| phone.map(|phone| phone.as_str().to_owned()));
        check(&case, found, |error| match error {
            PhoneError::WrongLength => "wrong_length",
        });
    }
}

#[test]
fn names_are_parsed_as_in_the_shared_vectors() {
    for case in vectors().name {
        let name = DisplayName::parse(&case.input);
        if let Ok(name) = &name {
            assert_eq!(Some(name.first_name()), case.first.as_deref());
            assert_eq!(name.last_name(), case.last.as_deref());
        }
        check(&case, name.map(|name| Some(name.as_str().to_owned())), |error| match error {
            DisplayNameError::Missing => "missing",
            DisplayNameError::Malformed => "malformed",
            DisplayNameError::TooLong => "too_long",
        });
    }
}

#[test]
fn passwords_are_parsed_as_in_the_shared_vectors() {
    for case in vectors().password {
        let found = Password::parse(&case.input).map(|password| Some(password.expose().to_owned()));
        check(&case, found, |error| match error {
            PasswordError::Missing => "missing",
            PasswordError::TooShort(_) => "too_short",
            PasswordError::TooLong => "too_long",
            PasswordError::Refused => "refused",
        });
    }
}

#[test]
fn a_longer_minimum_password_can_be_configured() {
    assert_eq!(Password::parse_with_minimum("12345678901", 12), Err(PasswordError::TooShort(12)));
    assert!(Password::parse_with_minimum("123456789012", 12).is_ok());
    assert_eq!(Password::parse(&"a".repeat(1_000_000)), Err(PasswordError::TooLong));
}

#[test]
fn personal_data_is_masked_in_debug_output() {
    let password = Password::parse("segredo!").unwrap();
    let email = Email::parse("ana@example.com").unwrap();
    let phone = Phone::parse("11987654321").unwrap();
    assert_eq!(format!("{password:?} {email:?} {phone:?}"), "*** Email(***) Phone(***)");
}

#[test]
fn a_phone_is_read_as_people_paste_it() {
    for (pasted, digits) in [
        ("011 3265-4321", "1132654321"),
        ("(021) 98123-4567", "21981234567"),
        ("0xx71 98888-1234", "71988881234"),
        ("015 11 98123-4567", "11981234567"),
        ("+55 (48) 99911-2233", "48999112233"),
        ("+55 0 31 3222-1100", "3132221100"),
        ("0055 48 99911-2233", "48999112233"),
        ("tel:+5555999112233", "55999112233"),
        ("5548999112233", "48999112233"),
        ("wa.me/554832221100", "4832221100"),
        ("(55) 99911-2233", "55999112233"),
        ("(055) 3222-1100", "5532221100"),
        ("55 3222-1100", "5532221100"),
    ] {
        assert_eq!(Phone::parse(pasted).expect(pasted).as_str(), digits, "{pasted}");
    }
    for wrong in ["+1 415 555 2671", "00 351 912 345 678", "559991122334", "(00) 0000-0000", "0", "+", "+55"]
    {
        assert_eq!(Phone::parse(wrong), Err(PhoneError::WrongLength), "{wrong}");
    }
}

#[test]
fn a_reported_phone_has_digits_and_separators_alone() {
    assert!(Phone::parse_reported("+55 (11) 3265-4321").is_ok());
    for text in ["", "-", "98765-4321", "+1 212 555 01234", "chk_11987654321", "in_1 98765 4321"] {
        assert!(Phone::parse_reported(text).is_err(), "{text}");
    }
}

#[test]
fn a_phone_is_displayed_with_its_area_code() {
    assert_eq!(Phone::parse("11987654321").unwrap().to_string(), "(11) 98765-4321");
    assert_eq!(Phone::parse("1132654321").unwrap().to_string(), "(11) 3265-4321");
}

#[test]
fn a_name_that_is_invisible_or_changes_the_text_direction_is_refused() {
    for unseen in ["\u{200b}\u{200b}", "\u{2060} \u{200d}"] {
        assert_eq!(DisplayName::parse(unseen), Err(DisplayNameError::Missing), "{unseen:?}");
    }
    let turned = ["a\u{202e}b", "A\u{2067}na", "An\u{200f}a", "Ana\u{2028}b", "Ana\u{2029}b", "A\u{61c}na"];
    let hidden = ["An\u{200b}a", "An\u{34f}a", "An\u{e0041}a", "An\u{fff9}a"];
    for turned in turned.into_iter().chain(hidden) {
        assert_eq!(DisplayName::parse(turned), Err(DisplayNameError::Malformed), "{turned:?}");
    }
    assert!(DisplayName::parse("\u{1f469}\u{200d}\u{1f680} Rita").is_ok());
}

#[test]
fn a_name_has_something_that_can_be_seen() {
    for blank in
        ["\u{3164}", "\u{1160}\u{115f}", "\u{2800} \u{2800}", "\u{ffa0}", "\u{301}\u{302}", "\u{fe0f}"]
    {
        assert_eq!(DisplayName::parse(blank), Err(DisplayNameError::Missing), "{blank:?}");
    }
    for seen in ["\u{d55c}\u{c2e0}", "\u{2801}", "\u{2764}\u{fe0f}", "7", "Nguye\u{302}\u{303}n", "."] {
        assert!(DisplayName::parse(seen).is_ok(), "{seen:?}");
    }
}

#[test]
fn a_mark_at_the_edge_of_a_name_is_dropped() {
    for pasted in ["Rita\u{200e}", "\u{202a}Rita\u{202c}", "\u{feff} Rita \u{2060}"] {
        assert_eq!(DisplayName::parse(pasted).expect(pasted).as_str(), "Rita");
    }
}

#[test]
fn a_letter_of_a_name_has_at_most_four_combining_marks() {
    let named = |marks| DisplayName::parse(&format!("Bia{}", "\u{336}".repeat(marks)));
    assert!(named(4).is_ok());
    assert_eq!(named(5), Err(DisplayNameError::Malformed));
}

#[test]
fn an_accented_domain_has_one_form_however_it_is_typed() {
    for (typed, kept) in [
        ("rui@caf\u{e9}.com.br", "rui@xn--caf-dma.com.br"),
        ("rui@xn--caf-dma.com.br", "rui@xn--caf-dma.com.br"),
        ("Rui@CAFE\u{301}.com.br", "rui@xn--caf-dma.com.br"),
    ] {
        assert_eq!(Email::parse(typed).expect(typed).as_str(), kept, "{typed}");
    }
    assert_eq!(email_as_compared("rui@caf\u{e9}"), "rui@xn--caf-dma");
    assert_eq!(Email::parse("rui@\u{ad}.com"), Err(EmailError::Malformed), "the first label has no letter");
}

#[test]
fn a_password_from_the_list_of_the_operator_is_refused_in_any_case() {
    let policy = PasswordPolicy::new(8, ["Segredo1".to_owned(), "ação-123".to_owned()]);

    for refused in ["segredo1", "SEGREDO1", "ac\u{327}a\u{303}o-123"] {
        assert_eq!(policy.read(refused), Err(PasswordError::Refused), "{refused}");
    }
    assert_eq!(policy.read("curta"), Err(PasswordError::TooShort(8)));
    assert!(policy.read("segredo-12").is_ok());
    assert!(PasswordPolicy::default().read("segredo1").is_ok());
}

#[test]
fn the_hundred_commonest_passwords_are_refused() {
    let policy = PasswordPolicy::default();
    for common in ["123456", "102030", "SENHA123", "Qwerty123", "flamengo", "teamo123"] {
        assert_eq!(policy.read(common), Err(PasswordError::Refused), "{common}");
    }
    for own in ["1234567891", "flamengo-81", "senha12", "102031"] {
        assert!(policy.read(own).is_ok(), "{own}");
    }
}

#[test]
fn an_address_that_mail_servers_refuse_is_unreachable() {
    for reachable in
        ["ana@exemplo.com.br", "ana.b+promo@x-y.com", "o'neil@x.com", "ana@a\u{e7}\u{e3}o.com.br"]
    {
        assert!(Email::parse(reachable).is_ok(), "{reachable}");
    }
    let long_local = format!("{}@x.com", "a".repeat(65));
    let long_label = format!("a@{}.com", "b".repeat(64));
    for refused in [
        "a..b@x.com",
        ".a@x.com",
        "a,b@x.com",
        "<script>@b.co",
        "\"ana\"@x.com",
        "ana@-x.com",
        "ana@x..com",
        "an\u{202e}a@x.com",
        "\u{e1}@x.com",
        "ana@[127.0.0.1].com",
        &long_local,
        &long_label,
    ] {
        assert_eq!(Email::parse(refused), Err(EmailError::Unreachable), "{refused}");
    }
}

/// The pattern of an email, in words: no blank, one @, and a dot inside what follows it.
fn is_by_the_pattern(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let dot_inside = domain.char_indices().any(|(at, c)| c == '.' && at > 0 && at + 1 < domain.len());
    !local.is_empty() && !domain.contains('@') && dot_inside && !text.contains(char::is_whitespace)
}

proptest! {
    #[test]
    fn any_accepted_email_matches_the_pattern_and_is_parsed_unchanged_again(
        text in prop_oneof![any::<String>(), "\\PC{0,12}@\\PC{0,12}\\.\\PC{0,6}", "[ a-zA-Z@.\\x00\\r\\n]{0,16}"]
    ) {
        match Email::parse(&text) {
            Ok(email) => {
                let read = email.as_str();
                prop_assert!(is_by_the_pattern(read) && read.chars().count() <= 254, "{:?}", read);
                prop_assert!(!read.contains(char::is_control), "{:?}", read);
                prop_assert_eq!(Email::parse(read), Ok(email));
            }
            Err(EmailError::Unreachable) => {}
            Err(_) => prop_assert!(!text.is_ascii() || text.contains(char::is_control) || !is_by_the_pattern(text.trim())),
        }
    }

    #[test]
    fn any_accepted_phone_has_ten_or_eleven_of_the_typed_digits(
        text in prop_oneof![any::<String>(), "[-+() 0-9]{8,18}"]
    ) {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        if let Ok(phone) = Phone::parse(&text) {
            prop_assert!(matches!(phone.as_str().len(), 10 | 11));
            prop_assert!(digits.ends_with(phone.as_str()) && !phone.as_str().starts_with('0'));
            prop_assert_eq!(Phone::parse(phone.as_str()), Ok(phone.clone()));
            prop_assert_eq!(phone.to_string().chars().filter(char::is_ascii_digit).collect::<String>(), phone.as_str());
        }
    }

    #[test]
    fn any_accepted_name_is_one_line_with_a_first_name(text in any::<String>()) {
        if let Ok(name) = DisplayName::parse(&text) {
            prop_assert!(!name.as_str().contains(char::is_control));
            prop_assert!((1..=120).contains(&name.as_str().chars().count()));
            prop_assert!(!name.first_name().is_empty());
            prop_assert!(name.last_name().is_none_or(|last| !last.is_empty()));
        }
    }

    #[test]
    fn any_accepted_password_has_6_to_128_characters(text in prop_oneof![any::<String>(), "\\PC{0,140}"]) {
        if let Ok(password) = Password::parse(&text) {
            prop_assert!((6..=128).contains(&password.expose().chars().count()));
            prop_assert_eq!(format!("{password:?}"), "***");
        }
    }
}

#[test]
fn a_photo_is_an_https_url_of_limited_length() {
    for (text, kept) in [
        ("https://example.com/ana.jpg", "https://example.com/ana.jpg"),
        (" https://EXAMPLE.com/a b.png?x=1#y ", "https://example.com/a%20b.png?x=1#y"),
        ("https://exemplo.com.br", "https://exemplo.com.br/"),
        ("https://é.com/f.webp", "https://xn--9ca.com/f.webp"),
        ("HTTPS:\\\\example.com\\x", "https://example.com/x"),
    ] {
        assert_eq!(PhotoUrl::parse(text).expect(text).as_str(), kept);
    }
    for text in [
        "http://example.com/a.jpg",
        "javascript:alert(1)",
        "data:image/png;base64,AAAA",
        "//example.com/a.jpg",
        "/a.jpg",
        "ana.jpg",
        "https://",
        "https://ana:segredo@example.com/a.jpg",
        "https://exa mple.com/",
        "ftp://example.com/a.jpg",
    ] {
        assert_eq!(PhotoUrl::parse(text), Err(PhotoUrlError::NotHttps), "{text}");
    }
    let longest = format!("https://example.com/{}", "a".repeat(PHOTO_URL_MAX - 20));
    assert_eq!(PhotoUrl::parse(&longest).expect("2048 are fine").as_str().len(), PHOTO_URL_MAX);
    assert_eq!(PhotoUrl::parse(&format!("{longest}a")), Err(PhotoUrlError::TooLong));
    let growing = format!("https://example.com/{}", " a".repeat(1000));
    assert_eq!(PhotoUrl::parse(&growing), Err(PhotoUrlError::TooLong));
    assert_eq!(PhotoUrl::parse_optional(" \u{feff}"), Ok(None));
}

#[test]
fn spellings_of_one_mailbox_have_one_canonical_address() {
    for (written, expected) in [
        ("ana@example.com", "ana@example.com"),
        ("Ana+promo@Example.com", "ana@example.com"),
        ("ana+a+b@example.com", "ana@example.com"),
        ("a.n.a@example.com", "a.n.a@example.com"),
        ("a.n.a@gmail.com", "ana@gmail.com"),
        ("a.na+x@googlemail.com", "ana@gmail.com"),
        ("+x@example.com", "+x@example.com"),
    ] {
        let email = Email::parse(written).expect("an email");
        assert_eq!(CanonicalAddress::of(&email).as_str(), expected, "{written}");
    }
    let known = ["ana@gmail.com", "ana@example.com", "bia@gmail.com", "ana@mail.gmail.com"];
    let canonical = known.map(|text| CanonicalAddress::of(&Email::parse(text).expect("an email")));
    for (at, one) in canonical.iter().enumerate() {
        assert!(!canonical[..at].contains(one), "{one:?} is another person");
    }
}

#[test]
fn spellings_of_one_domain_have_one_canonical_address() {
    let canonical = |text: &str| CanonicalAddress::of(&Email::parse(text).expect("an email"));
    assert_eq!(canonical("ana@a\u{e7}\u{e3}o.com.br"), canonical("ana@xn--ao-siap.com.br"));
    for (spelling, own) in
        [("ana@c\u{ff4f}rp.example", "ana@corp.example"), ("a.na@\u{ff47}mail.com", "ana@gmail.com")]
    {
        assert_eq!(canonical(spelling), canonical(own), "{spelling}");
    }
}

#[test]
fn an_email_and_a_name_are_displayed_as_stored() {
    assert_eq!(Email::parse(" Ana@Example.com").unwrap().to_string(), "ana@example.com");
    assert_eq!(DisplayName::parse(" Ana Souza ").unwrap().to_string(), "Ana Souza");
}

#[test]
fn a_photo_url_is_masked_in_debug_output_and_has_no_user_or_password() {
    let photo = PhotoUrl::parse("https://example.com/ana.jpg").unwrap();
    assert_eq!(format!("{photo:?}"), "PhotoUrl(***)");
    assert_eq!(PhotoUrl::parse_optional("https://example.com/ana.jpg"), Ok(Some(photo)));
    for named in ["https://ana@example.com/a.jpg", "https://:segredo@example.com/a.jpg"] {
        assert_eq!(PhotoUrl::parse(named), Err(PhotoUrlError::NotHttps), "{named}");
    }
}

#[test]
fn a_password_has_at_most_128_characters_of_any_byte_length() {
    let longest = "\u{1f680}".repeat(128);
    assert_eq!(Password::parse(&longest).unwrap().expose(), longest);
    assert_eq!(Password::parse(&"\u{1f680}".repeat(129)), Err(PasswordError::TooLong));
}
