use super::*;

#[test]
fn values_fill_the_text_and_are_escaped_in_the_html() {
    let values = Values::from([("name".into(), "<b>{{line}}</b>".into()), ("line".into(), "1".into())]);

    assert_eq!(filled("Olá, {{name}}.", &values, str::to_owned), "Olá, <b>{{line}}</b>.");
    assert_eq!(filled("<p>{{name}}", &values, escaped), "<p>&lt;b&gt;{{line}}&lt;/b&gt;");
    assert_eq!(filled("{{unknown}}!", &values, escaped), "!");
}

#[test]
fn the_greeting_contains_only_a_plausible_name() {
    for (name, greeted) in [
        ("Ana Souza", "Ana"),
        ("D’Ávila Jr", "D’Ávila"),
        ("Jo\u{303}ao", "Jo\u{303}ao"),
        ("Maria-Clara", "Maria-Clara"),
        ("http://evil.example/premio?x=1", "cliente"),
        ("evil.example", "cliente"),
        ("ana@evil.example", "cliente"),
        ("Ganhe1000reais", "cliente"),
        ("\u{202e}ana", "cliente"),
        ("", "cliente"),
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

#[test]
fn every_placeholder_of_the_templates_has_a_value() {
    let common = ["name", "app_url", "help_url", "account_url", "recover_url", "authenticate_url", "company"];
    for (template, own) in [
        (Template::PaymentConfirmed, &["plan", "period", "amount", "paid_until"][..]),
        (
            Template::BoletoIssued,
            &["plan", "period", "amount", "due_day", "due_date", "line", "voucher_url", "outcome"],
        ),
        (Template::TrialPurchase, &["plan", "period", "amount", "charged_on"]),
        (Template::PaymentFailed, &["plan", "period", "amount", "access", "charge"]),
        (Template::PaymentAuthentication, &["plan", "period", "amount", "access", "charge"]),
        (Template::PlanChanged, &["plan", "period", "amount", "old_plan", "old_period", "outcome", "next"]),
        (Template::PaymentReturned, &["plan", "period", "amount", "outcome", "how"]),
        (
            Template::BoletoExpiring,
            &["plan", "period", "amount", "due_day", "due_date", "line", "voucher_url"],
        ),
        (Template::RenewalComing, &["plan", "period", "amount", "renews_on", "how"]),
        (Template::SubscriptionCanceled, &["plan", "period", "amount", "access", "undo", "because"]),
        (Template::RefundRequested, &["plan", "period", "amount", "how", "protocol"]),
        (Template::RefundPaid, &["amount", "protocol"]),
        (Template::PaymentAfterEnd, &["plan", "period", "amount", "how", "protocol"]),
        (Template::BoletoLapsed, &["plan", "period", "due_date", "access"]),
        (Template::RefundMade, &["plan", "period", "amount", "paid_on", "how", "access"]),
        (Template::PasswordReset, &["reset_url"]),
        (Template::EmailConfirmation, &["confirm_url"]),
        (Template::PasswordChanged, &["changed_at"]),
        (Template::EmailCorrected, &["changed_at"]),
        (Template::AccountDeleted, &["deleted_at", "outcome", "protocol"]),
    ] {
        let texts = template.texts();
        for text in [texts.subject, texts.text, texts.html] {
            for place in text.split("{{").skip(1).filter_map(|after| after.split("}}").next()) {
                assert!(common.contains(&place) || own.contains(&place), "{template:?}: {place}");
            }
        }
    }
}
