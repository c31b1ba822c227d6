//! Values of the example company are recognised, and no value of a real one is.

use super::*;
use crate::catalog;

fn own() -> Brand {
    let mut brand = catalog().brand.clone();
    brand.tax_id = "12.345.678/0001-95".to_owned();
    brand.address = "Rua das Flores, 10, Centro, São Paulo/SP, CEP 01001-000".to_owned();
    brand.email = "ola@garimpo.com.br".to_owned();
    brand.phone = "(11) 3000-0000".to_owned();
    brand.links.app_login = "https://app.garimpo.com.br/".to_owned();
    brand.links.help_center = "https://ajuda.garimpo.com.br".to_owned();
    brand.links.whatsapp_support = "https://wa.me/5511990000000?text=Oi".to_owned();
    brand.links.whatsapp_sales = "https://wa.me/message/ABCDEF".to_owned();
    for social in &mut brand.socials {
        social.url.push_str("@garimpo");
    }
    brand
}

fn named(brand: &Brand) -> Vec<String> {
    brand.placeholders().into_iter().map(|placeholder| placeholder.field).collect()
}

#[test]
fn every_placeholder_of_the_example_company_is_named() {
    assert_eq!(
        named(&catalog().brand),
        [
            "tax_id",
            "address",
            "email",
            "phone",
            "links.app_login",
            "links.help_center",
            "links.whatsapp_support",
            "links.whatsapp_sales",
            "socials.tiktok",
            "socials.youtube",
            "socials.instagram",
            "socials.facebook",
        ]
    );
}

#[test]
fn a_company_of_its_own_has_no_placeholder() {
    assert_eq!(own().placeholders(), []);
    let mut letters = own();
    letters.tax_id = "A0.000.000/0000-00".to_owned();
    letters.socials.clear();
    assert_eq!(letters.placeholders(), [], "a CNPJ with letters, no social network");
}

#[test]
fn a_value_that_reaches_nobody_is_a_placeholder() {
    type Field = fn(&mut Brand) -> &mut String;
    let cases: [(Field, &str, &[&str]); 6] = [
        (|brand| &mut brand.tax_id, "tax_id", &["", "00000000000000", "-"]),
        (|brand| &mut brand.address, "address", &["", " ", "Rua Um, 1, CEP 00000-000", "Rua Exemplo, 7"]),
        (
            |brand| &mut brand.email,
            "email",
            &["", "ola", "@garimpo.com.br", "a@example.com", "a@mail.EXAMPLE.org", "a@b.test", "a@localhost"],
        ),
        (|brand| &mut brand.phone, "phone", &["", "(00) 0000-0000"]),
        (
            |brand| &mut brand.links.app_login,
            "links.app_login",
            &[
                "",
                "http://app.garimpo.com.br",
                "https://",
                "https://example.net/app",
                "https://a.example:8443",
            ],
        ),
        (
            |brand| &mut brand.links.whatsapp_sales,
            "links.whatsapp_sales",
            &[
                "",
                "https://wa.me",
                "https://wa.me/",
                "https://wa.me/?text=5511990000000",
                "https://wa.me//#x",
            ],
        ),
    ];
    for (field, name, values) in cases {
        for value in values {
            let mut brand = own();
            *field(&mut brand) = (*value).to_owned();
            assert_eq!(named(&brand), [name], "{value:?}");
            assert_eq!(brand.placeholders()[0].found, *value);
        }
    }
    for real in ["https://example.com.br/app", "https://notexample.com", "https://test.com"] {
        let mut brand = own();
        real.clone_into(&mut brand.links.app_login);
        assert_eq!(brand.placeholders(), [], "{real}");
    }
}
