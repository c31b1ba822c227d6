//! Renewals by boleto: a new voucher per period, paid in time, late, never, or replaced by a card.

use e2e::{App, Person, Visitor, ledger};
use garimpo_proto::billing::v1::{Boleto, ListInvoicesRequest};
use serde_json::{Value, json};

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn a_renewal_boleto_can_be_paid_in_time_late_never_or_replaced_by_a_card() {
    let app = App::start().await;
    let provider = app.provider();
    let mut buyers = Vec::new();
    for _ in 0..4 {
        let who = app.visitor().signs_up(&Person::new()).await;
        let session = who.opens_checkout("Top Afiliado", "mensal").await;
        assert_eq!(provider.asks_for_boleto(&session).await, 200);
        assert_eq!(provider.pays_boleto(&session).await, 200);
        let ends = who.becomes_active().await["subscription_end"].as_i64().expect("an end");
        buyers.push((who, session, ends));
    }
    let [(punctual, in_time, ends), (late, too_late, _), (absent, ..), (other, ..)] = &buyers[..] else {
        unreachable!("four buyers")
    };
    // The last person bought a little later.
    let latest = buyers.iter().map(|(.., ends)| *ends).max().expect("four buyers");

    provider.goes_to(latest + HOUR + MINUTE).await;

    let mut due = 0;
    for (who, ..) in &buyers {
        let boleto = waiting_boleto(who).await;
        assert_eq!((boleto.line.len(), boleto.amount_centavos), (47, 9_790));
        due = boleto.due_at.expect("a due date").seconds;
        assert_eq!(who.record().await["subscription_active"], true, "access holds while it waits");
        let mail = boleto_mail(&app, who, &boleto).await;
        assert!(mail.contains("o seu acesso continua"), "{mail}");
    }
    // The days count from the issue, which at night is on the day after the period's end.
    assert!((3 * DAY..4 * DAY).contains(&(due - latest - HOUR)), "three days, to the end of the day");

    assert_eq!(provider.pays_boleto(in_time).await, 200);
    wait_for_renewal(punctual, ends + 30 * DAY).await;
    assert_eq!(punctual.get_subscription().await.boleto, None);
    ledger::eventually_agrees(&provider, punctual).await;

    // An invoice with an expired boleto has the instant of the next boleto.
    provider.goes_to(due + MINUTE).await;
    let retry = e2e::eventually("the invoice without its boleto", || async {
        let request = ListInvoicesRequest { page_size: 1, ..Default::default() };
        let listed = late.billing().await.list_invoices(late.authorized(request)).await.ok()?.into_inner();
        let invoice = listed.invoices.into_iter().next().filter(|invoice| invoice.boleto.is_none())?;
        assert_eq!(invoice.status, "open");
        invoice.next_attempt_at
    })
    .await;
    let customer = provider.customer_of(&late.email).await;
    let invoices = provider.list(&format!("/v1/invoices?customer={customer}")).await;
    assert_eq!(invoices[0]["next_payment_attempt"], retry.seconds);
    assert!(retry.seconds > due, "{retry:?}");

    // No event is delivered from here on, so only the clock suspends the subscription.
    provider.add_fault(json!({ "webhooks": "drop" })).await;
    assert_eq!(status_and_active(late).await, ("past_due".into(), json!(true)));
    provider.goes_to(due + 3 * DAY - MINUTE).await;
    assert_eq!(status_and_active(late).await, ("past_due".into(), json!(true)));
    provider.goes_to(due + 3 * DAY).await;
    for who in [late, absent, other] {
        assert_eq!(status_and_active(who).await, ("suspended".into(), json!(false)));
    }
    provider.recovers().await;

    // The provider issues another boleto. Paid late, it restores access.
    provider.goes_to(due + 3 * DAY + HOUR).await;
    let again = waiting_boleto(late).await;
    assert!(again.due_at.expect("a due date").seconds > due);
    assert!(boleto_mail(&app, late, &again).await.contains("o acesso volta"));
    assert_eq!(status_and_active(late).await.0, "suspended", "a new voucher prolongs nothing");
    assert_eq!(provider.pays_boleto(too_late).await, 200);
    let record = late.becomes("active").await;
    assert_eq!(record["subscription_active"], true);
    ledger::eventually_agrees(&provider, late).await;

    // A purchase during suspension keeps only the new subscription.
    let session = other.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, "4242424242424242").await, 200);
    assert_eq!(other.becomes_active().await["subscription_plan"], "elite_nivel_1");
    ledger::eventually_agrees(&provider, other).await;
    assert_eq!(other.get_subscription().await.boleto, None);
    let customer = provider.customer_of(&other.email).await;
    let invoices = provider.list(&format!("/v1/invoices?customer={customer}")).await;
    let mut statuses: Vec<_> = invoices.iter().map(|invoice| invoice["status"].as_str().unwrap()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, ["paid", "paid", "void"]);
    let subscriptions = provider.list(&format!("/v1/subscriptions?status=all&customer={customer}")).await;
    let statuses: Vec<_> = subscriptions.iter().map(|one| one["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["active", "canceled"], "newest first");

    // After three boletos the provider stops.
    provider.goes_to(due + 16 * DAY).await;
    assert_eq!(absent.becomes("canceled").await["subscription_active"], false);
    assert_eq!(absent.get_subscription().await.boleto, None);
    ledger::eventually_agrees(&provider, absent).await;
}

async fn waiting_boleto(who: &Visitor) -> Boleto {
    e2e::eventually("a boleto that waits", || async { who.get_subscription().await.boleto }).await
}

/// The text of the mail with a boleto: its printed line, its due date and the consequences.
async fn boleto_mail(app: &App, who: &Visitor, boleto: &Boleto) -> String {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let text = e2e::eventually("the mail of the boleto", || async {
        let mails = app.provider().mails_to(&who.email).await;
        let texts = mails.iter().filter_map(|mail| mail["text"].as_str());
        texts.into_iter().find(|text| digits(text).contains(&boleto.line)).map(str::to_owned)
    })
    .await;
    let due =
        time::OffsetDateTime::from_unix_timestamp(boleto.due_at.expect("a due date").seconds - 3 * HOUR)
            .expect("an instant");
    let day = format!("{:02}/{:02}/{}", due.day(), u8::from(due.month()), due.year());
    assert!(text.contains(&day), "{day} in {text}");
    text
}

async fn wait_for_renewal(who: &Visitor, end: i64) {
    e2e::eventually("the renewed period", || async {
        (who.record().await["subscription_end"] == end).then_some(())
    })
    .await;
}

async fn status_and_active(who: &Visitor) -> (String, Value) {
    let record = who.record().await;
    let status = record["subscription_status"].as_str().unwrap_or_default().to_owned();
    (status, record["subscription_active"].clone())
}
