//! The example company beside live keys.

use super::*;

/// The build's brand with data of its own in each field that the example leaves open.
pub(super) fn own_brand() -> Brand {
    let mut brand = catalog().brand.clone();
    brand.tax_id = "12.345.678/0001-95".to_owned();
    brand.address = "Rua das Flores, 10, Centro, São Paulo/SP, CEP 01001-000".to_owned();
    brand.email = "ola@garimpo.com.br".to_owned();
    brand.phone = "(11) 3000-0000".to_owned();
    brand.links.app_login = "https://app.garimpo.com.br".to_owned();
    brand.links.help_center = "https://ajuda.garimpo.com.br".to_owned();
    brand.links.whatsapp_support = "https://wa.me/5511990000000".to_owned();
    brand.links.whatsapp_sales = "https://wa.me/5511990000001".to_owned();
    for social in &mut brand.socials {
        social.url.push_str("@garimpo");
    }
    brand
}

/// The fields of the brand that the errors name.
fn fields(refused: &str) -> Vec<&str> {
    let lines = refused.lines().filter_map(|line| line.strip_prefix("brand.toml "));
    lines.map(|line| line.split(':').next().unwrap_or_default()).collect()
}

#[test]
fn live_keys_beside_the_example_company_stop_the_start_field_by_field() {
    let example = &catalog().brand;
    let named: Vec<String> = example.placeholders().into_iter().map(|found| found.field).collect();
    for key in ["sk_live_abc", "rk_live_abc"] {
        let settings = [&[("GARIMPO_STRIPE_SECRET_KEY", key)], &STRIPE[..]].concat();
        let refused = read_beside(example, Role::Serve, &settings).expect_err("it must not start");
        assert_eq!(fields(&refused), named, "{key}: {refused}");
        assert!(read(Role::Serve, &settings).is_ok(), "{key}: a company of its own starts");
    }
    let refused = read_beside(example, Role::Serve, &STRIPE).unwrap_err();
    assert!(
        refused.starts_with(
            "brand.toml tax_id: found \"00.000.000/0000-00\"; allowed: the company's CNPJ, \
             because the keys of the payment provider are live\n"
        ),
        "{refused}"
    );
}

#[test]
fn the_program_that_is_shipped_checks_the_brand_of_its_build() {
    let settings = STRIPE.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let refused = Config::read(Role::Serve, &settings.collect(), Vec::new()).unwrap_err().to_string();
    assert_eq!(fields(&refused).len(), catalog().brand.placeholders().len(), "{refused}");
}

#[test]
fn placeholders_are_reported_beside_the_other_problems() {
    let settings = [&[("GARIMPO_LISTEN", "8080")], &STRIPE[..]].concat();
    let mut brand = own_brand();
    brand.phone = "(00) 00000-0000".to_owned();
    let refused = read_beside(&brand, Role::Serve, &settings).unwrap_err();
    assert_eq!(refused.lines().count(), 2, "{refused}");
    assert!(refused.starts_with("GARIMPO_LISTEN: found"), "{refused}");
    assert_eq!(fields(&refused), ["phone"]);
}

#[test]
fn the_example_company_serves_with_test_keys_and_its_operator_can_still_refund() {
    let example = &catalog().brand;
    let test =
        [("GARIMPO_STRIPE_SECRET_KEY", "sk_test_abc"), ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_test_abc")];
    assert!(read_beside(example, Role::Serve, &[&test[..], &STRIPE[..]].concat()).is_ok());
    assert!(read_beside(example, Role::Serve, &[]).is_ok(), "the sandbox");
    for role in [Role::Admin, Role::Report] {
        assert!(read_beside(example, role, &STRIPE).is_ok(), "{role:?}");
    }
}
