//! The promo codes.

use super::*;
use crate::catalog::catalog;
use proptest::prelude::*;

fn promotion(code: &str) -> Promotion {
    catalog().promotion(&PromoCode::parse(code).unwrap())
}

#[test]
fn promo_codes_have_the_discount_coupon_and_countdown_of_the_specification() {
    for (code, discount, coupon_id, coupon_code, countdown) in [
        ("novo", 10, "novo10", "NOVO10", false),
        ("novo-usuario", 10, "novo10", "NOVO10", false),
        ("app", 10, "novo10", "NOVO10", false),
        ("aniversario", 15, "aniversario15", "ANIVERSARIO15", true),
        ("Aniversário-2026", 15, "aniversario15", "ANIVERSARIO15", true),
        ("final", 50, "final50", "FINAL50", true),
        ("papodeafiliado", 15, "papodeafiliado15", "PAPODEAFILIADO15", false),
        ("shopeegold", 10, "shopeegold10", "SHOPEEGOLD10", false),
        ("HYESER", 15, "hyeser15", "HYESER15", false),
        ("blackfriday", 40, "BF40", "BF40", true),
        ("comeback", 30, "COMEBACK30", "COMEBACK30", true),
        ("bf40", 40, "BF40", "BF40", true),
        ("Comeback30", 30, "COMEBACK30", "COMEBACK30", true),
        ("FINAL50", 50, "final50", "FINAL50", true),
        ("novo10", 10, "novo10", "NOVO10", false),
        ("parceiro10", 10, "parceiro10", "PARCEIRO10", false),
        ("maria", 10, "parceiro10", "MARIA", false),
        ("joão_77", 10, "parceiro10", "JOÃO_77", false),
    ] {
        let found = promotion(code);
        assert_eq!(
            (found.discount, found.coupon_id.as_str(), found.coupon_code.as_str(), found.show_countdown),
            (discount, coupon_id, coupon_code, countdown),
            "{code}"
        );
        assert_eq!(found.subtext_new, "no 1º mês");
        let percent = format!("{discount}%");
        assert!(found.promo_message.contains(&percent), "{code}: {}", found.promo_message);
        assert!(!format!("{}{}", found.title, found.subtitle).contains('{'));
    }
}

#[test]
fn a_promo_code_has_1_to_32_letters_digits_underscores_or_hyphens() {
    let longest = "a".repeat(32);
    for good in ["a", "novo-usuario", "PAPO_2026", "joão", " novo ", longest.as_str()] {
        assert!(PromoCode::parse(good).is_ok(), "{good}");
    }
    let too_long = "a".repeat(33);
    let marks = "\u{301}".repeat(8);
    let huge = "a".repeat(100_000);
    for bad in ["", "  ", "novo usuario", "a:b", "50%", "<b>", "日本", &too_long, &marks, &huge] {
        assert!(PromoCode::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_id_and_code_of_a_coupon_lead_to_the_coupon_that_the_purchase_uses() {
    for coupon in &catalog().coupons {
        for written in [&coupon.id, &coupon.code] {
            let chosen = catalog().coupon_named(written).unwrap();
            let shown = promotion(written);
            assert_eq!(
                (shown.coupon_id.as_str(), shown.coupon_code),
                (chosen.coupon.id.as_str(), chosen.code)
            );
            assert_eq!(shown.discount, coupon.discount.percent().unwrap_or(0), "{written}");
        }
    }
    let black = promotion("BlackNovember");
    assert!(black.title.contains("R$ 100") && !black.is_other, "{}", black.title);
}

#[test]
fn outside_the_campaign_its_code_counts_as_none() {
    let code = PromoCode::parse("blacknovember").unwrap();
    let at = |instant| Timestamp::parse_rfc3339(instant).unwrap();
    for (now, coupon_id) in [("2026-11-15T12:00:00Z", "blacknovember"), ("2026-12-02T12:00:00Z", "novo10")] {
        assert_eq!(
            catalog().promotion_at(&code, at(now), CampaignSwitch::Auto).coupon_id,
            coupon_id,
            "{now}"
        );
    }
    assert_eq!(
        catalog().promotion_at(&code, at("2026-11-15T12:00:00Z"), CampaignSwitch::Off).coupon_id,
        "novo10"
    );
}

#[test]
fn without_a_code_the_promotion_for_new_users_applies() {
    assert_eq!(promotion(DEFAULT_PROMO_CODE).coupon_id, "novo10");
}

proptest! {
    #[test]
    fn any_accepted_code_is_short_and_plain_and_gives_a_promotion(
        text in prop_oneof![any::<String>(), " ?[a-zA-Zç-üÇ-Ü0-9_-]{0,34} ?"]
    ) {
        if let Ok(code) = PromoCode::parse(&text) {
            let folded = code.folded();
            prop_assert!((1..=PROMO_CODE_MAX).contains(&folded.len()));
            prop_assert!(folded.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
            let again = PromoCode::parse(code.upper()).expect("its capitals are a code");
            prop_assert_eq!(again.folded(), folded);
            prop_assert!((1..=100).contains(&catalog().promotion(&code).discount));
        }
    }
}

#[test]
fn the_length_of_a_code_counts_before_and_after_folding() {
    assert_eq!(PromoCode::parse(&"\u{e3}".repeat(32)).unwrap().folded(), "a".repeat(32));
    assert_eq!(PromoCode::parse(&"a\u{303}".repeat(32)).unwrap().folded(), "a".repeat(32));
    let ligature_of_three_letters = "\u{fb03}";
    assert_eq!(PromoCode::parse(&ligature_of_three_letters.repeat(10)).unwrap().folded(), "ffi".repeat(10));
    for wrong in [ligature_of_three_letters.repeat(11), "\u{301}".to_owned(), "\u{e3}".repeat(33)] {
        assert!(PromoCode::parse(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn promo_codes_are_compared_ignoring_case_and_accents() {
    let code = |text: &str| PromoCode::parse(text).unwrap();
    assert_eq!(code("Jo\u{e3}o"), code("JOAO"));
    assert_ne!(code("joao"), code("joana"));
    assert_eq!((code(" Jo\u{e3}o_1 ").folded(), code(" Jo\u{e3}o_1 ").upper()), ("joao_1", "JO\u{c3}O_1"));
}

#[test]
fn named_promotions_have_the_codes_of_their_coupon_too() {
    let named: Vec<_> = catalog()
        .named_promotions()
        .map(|named| (named.codes.join(" "), named.prefix, named.promotion.coupon_id))
        .collect();
    let row = |codes: &str, prefix: Option<&str>, coupon_id: &str| {
        (codes.to_owned(), prefix.map(str::to_owned), coupon_id.to_owned())
    };
    assert_eq!(
        named,
        [
            row("novo novo-usuario app novo10", None, "novo10"),
            row("aniversario aniversario15", Some("aniversario"), "aniversario15"),
            row("final final50", None, "final50"),
            row("papodeafiliado papodeafiliado15", None, "papodeafiliado15"),
            row("shopeegold shopeegold10", None, "shopeegold10"),
            row("hyeser hyeser15", None, "hyeser15"),
            row("blackfriday bf40", None, "BF40"),
            row("comeback comeback30", None, "COMEBACK30"),
            row("blacknovember", None, "blacknovember"),
        ]
    );
}

#[test]
fn a_code_without_a_row_of_its_own_shows_the_name_of_the_partner() {
    let maria = catalog().other_promotion("MARIA");
    assert_eq!((maria.is_other, maria.title.as_str()), (true, "MARIA: 10% de desconto"));
    assert_eq!((maria.coupon_code.as_str(), maria.coupon_id.as_str()), ("MARIA", "parceiro10"));
}
