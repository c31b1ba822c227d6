//! The ledger of one account: a row per step with the values that product and provider return at
//! that moment. Each amount is checked against its formula in days.

use std::collections::HashMap;
use std::fmt::Write as _;

use e2e::provider::Provider;
use e2e::{App, Visitor};
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use garimpo_proto::billing::v1::{GetEntitlementsRequest, ListInvoicesRequest};
use serde_json::Value;
use time::{OffsetDateTime, UtcOffset};
use tonic::transport::Channel;

const DAY: i64 = 86_400;

const HEAD: &str = "# A year of one subscription

The test `a_year_of_one_subscription_matches_its_ledger` (`tests/api/year.rs`) replays one account through the sandbox's
clock, from sign-up to the end of its last purchase. It compares this page with the values that product and provider
return at each step, and fails on a difference. `GARIMPO_WRITE_DOCS=1 cargo test -p e2e --test api a_year_of_one_subscription` writes the
page.

Times are São Paulo's, amounts are reais. The formula of an invoice line is the price of its period, times the days that
are left, divided by the days of the period. Each line is rounded half up to the centavo. *Total* is the sum of the
lines. Credit pays first (*from credit*), and the card pays the rest (*charged*). *Credit* is the credit after the step.
A renewal is invoiced when its period begins and charged one hour later.

| When | What happened | Invoice | Total | From credit | Charged | Credit | Paid period | May use |
|---|---|---|--:|--:|--:|--:|---|---|
";

/// The rows, and the state at the last row.
pub struct Book {
    provider: Provider,
    ana: Visitor,
    service: Visitor,
    entitlements: EntitlementServiceClient<Channel>,
    text: String,
    began: i64,
    ended: i64,
    /// Status of each invoice at the last row, by invoice id.
    shown: HashMap<String, String>,
    /// The last debit, and the days that it covers.
    debited: (i64, i64),
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    invoiced: i64,
    from_credit: i64,
    charged: i64,
}

impl Book {
    pub async fn opens(app: &App, ana: &Visitor) -> Self {
        let provider = app.provider();
        let channel = e2e::app::channel(app.internal_url()).await;
        Self {
            began: provider.now().await,
            provider,
            ana: ana.clone(),
            service: app.service("billing.read").await,
            entitlements: EntitlementServiceClient::new(channel),
            text: HEAD.to_owned(),
            ended: 0,
            shown: HashMap::new(),
            debited: (0, 1),
            totals: Totals::default(),
        }
    }

    /// Days between the first row and the last.
    pub fn days(&self) -> i64 {
        (self.ended - self.began) / DAY
    }

    /// Adds a row for the last step.
    pub async fn row(&mut self, what: &str) {
        self.ended = self.provider.now().await;
        let (mut invoice, mut sums) = (String::new(), ["", "", ""].map(str::to_owned));
        for doc in self.changed_invoices().await {
            let (total, due) = (number(&doc, "total"), number(&doc, "amount_due"));
            let is_paid = doc["status"] == "paid";
            invoice = self.lines(&doc).await.join("<br>");
            let credit = if total > 0 { total - due } else { 0 };
            let charged = if is_paid { due } else { 0 };
            if is_paid {
                self.totals.invoiced += total;
                self.totals.from_credit += credit;
                self.totals.charged += charged;
            } else {
                let _ = write!(invoice, "<br>open: {} owed", reais(due));
            }
            sums = [total, credit, charged].map(reais);
        }
        let standing = self.ana.get_subscription().await;
        let subscription = standing.subscription.as_ref();
        let period = subscription.and_then(|own| Some((own.starts_at?.seconds, own.ends_at?.seconds)));
        let period = period.map_or(String::new(), |(from, until)| format!("{} to {}", day(from), day(until)));
        let rights = self.rights().await;
        let _ = writeln!(
            self.text,
            "| {} | {what} | {invoice} | {} | {} | {} | {} | {period} | {rights} |",
            minute(self.ended),
            sums[0],
            sums[1],
            sums[2],
            reais(standing.credit_centavos),
        );
    }

    /// Invoices that are new or were paid since the last row; at most one.
    async fn changed_invoices(&mut self) -> Vec<Value> {
        let customers = self.provider.list(&format!("/v1/customers?email={}", self.ana.email)).await;
        let Some(id) = customers.first().and_then(|customer| customer["id"].as_str()) else { return vec![] };
        let mut invoices = self.provider.all(&format!("/v1/invoices?customer={id}")).await;
        invoices.retain(|doc| self.shown.get(text(doc, "id")).map(String::as_str) != doc["status"].as_str());
        for doc in &invoices {
            self.shown.insert(text(doc, "id").to_owned(), text(doc, "status").to_owned());
        }
        assert!(invoices.len() <= 1, "a row has one invoice: {invoices:#?}");
        invoices
    }

    /// The lines of an invoice with their formulas. Their sum is checked against its total.
    async fn lines(&mut self, doc: &Value) -> Vec<String> {
        let (mut formulas, mut sum) = (vec![], 0);
        for line in doc["lines"]["data"].as_array().expect("lines") {
            let price = self.price(line).await;
            let (plan, full) = (text(&price["metadata"], "plan"), number(&price, "unit_amount"));
            let amount = number(line, "amount");
            let off: i64 = line["discount_amounts"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|off| number(off, "amount"))
                .sum();
            let (start, end) = (number(&line["period"], "start"), number(&line["period"], "end"));
            let (left, whole) = (days(end - start), number(&price["recurring"], "interval_count"));
            let span = format!("{} to {}", day(start), day(end));
            if amount < 0 {
                let (debited, of) = self.debited;
                assert_eq!(amount, -part(debited, left, of), "{line:#}");
                formulas.push(format!(
                    "{plan}, not used {span}: −{} × {left}/{of} = {}",
                    plain(debited),
                    plain(amount)
                ));
            } else if left == whole {
                assert_eq!(amount, full, "{line:#}");
                formulas.push(format!("{plan}, {span}: {}", plain(amount)));
            } else {
                assert_eq!(amount, part(full, left, whole), "{line:#}");
                formulas.push(format!(
                    "{plan}, rest {span}: {} × {left}/{whole} = {}",
                    plain(full),
                    plain(amount)
                ));
            }
            if off > 0 {
                assert_eq!(off, part(amount, 10, 100), "ten per cent");
                formulas.push(format!("NOVO10: −{} × 10 % = −{}", plain(amount), plain(off)));
            }
            if amount > 0 {
                self.debited = (amount - off, left);
            }
            sum += amount - off;
        }
        assert_eq!(sum, number(doc, "total"), "the lines sum to the total: {doc:#}");
        formulas
    }

    async fn price(&self, line: &Value) -> Value {
        let id = text(&line["pricing"]["price_details"], "price");
        self.provider.object(&format!("/v1/prices/{id}")).await
    }

    async fn rights(&mut self) -> String {
        let asked = self.service.authorized(GetEntitlementsRequest { uid: self.ana.uid.clone() });
        let reply = self.entitlements.get_entitlements(asked).await.expect("an answer").into_inner();
        format!("{} ({})", reply.plan_id, reply.status)
    }

    /// Adds the sums, compares them with the account's own list of invoices, and returns the page.
    pub async fn closes(mut self) -> String {
        let Totals { invoiced, from_credit, charged } = self.totals;
        let mut billing = self.ana.billing().await;
        let asked = ListInvoicesRequest { page_size: 100, page_token: String::new() };
        let listed =
            billing.list_invoices(self.ana.authorized(asked)).await.expect("a page").into_inner().invoices;
        let paid: Vec<_> = listed.iter().filter(|invoice| invoice.status == "paid").collect();
        let sum = |of: fn(&garimpo_proto::billing::v1::Invoice) -> i64| {
            paid.iter().map(|invoice| of(invoice)).sum::<i64>()
        };
        assert_eq!(sum(|own| own.total_centavos), invoiced, "the account lists the same invoices");
        assert_eq!(sum(|own| own.amount_due_centavos), charged, "the account lists the same charges");
        let customer = self.provider.customer_of(&self.ana.email).await;
        let charges = self.provider.all(&format!("/v1/charges?customer={customer}")).await;
        let taken = charges.iter().filter(|charge| charge["status"] == "succeeded");
        assert_eq!(
            taken.map(|charge| number(charge, "amount")).sum::<i64>(),
            charged,
            "the card was charged that"
        );
        let made = -listed.iter().map(|invoice| invoice.total_centavos.min(0)).sum::<i64>();
        let left = self.ana.get_subscription().await.credit_centavos;
        assert_eq!(made - from_credit, left, "credit that was made is used or left");
        let _ = writeln!(
            self.text,
            "\nIn all, {} invoices were paid. They come to {}: the card was charged {}, credit paid {}, and {} became credit. \
             Credit that is left: {}.",
            paid.len(),
            reais(invoiced),
            reais(charged),
            reais(from_credit),
            reais(made),
            reais(left),
        );
        self.text
    }
}

/// The share of an amount for some days of a whole, rounded half up to the centavo.
fn part(amount: i64, left: i64, whole: i64) -> i64 {
    (2 * amount * left + whole).div_euclid(2 * whole)
}

/// Rounds to whole days, because a step takes some seconds of its day.
fn days(seconds: i64) -> i64 {
    (seconds + DAY / 2).div_euclid(DAY)
}

fn sao_paulo(at: i64) -> OffsetDateTime {
    let offset = UtcOffset::from_hms(-3, 0, 0).expect("an offset");
    OffsetDateTime::from_unix_timestamp(at).expect("an instant").to_offset(offset)
}

fn day(at: i64) -> String {
    let at = sao_paulo(at);
    format!("{:02}/{:02}/{}", at.day(), u8::from(at.month()), at.year())
}

fn minute(at: i64) -> String {
    let of_day = sao_paulo(at);
    format!("{} {:02}:{:02}", day(at), of_day.hour(), of_day.minute())
}

/// `1234` is `12,34`.
fn plain(centavos: i64) -> String {
    let sign = if centavos < 0 { "−" } else { "" };
    let (whole, cents) = (centavos.abs() / 100, centavos.abs() % 100);
    match whole / 1_000 {
        0 => format!("{sign}{whole},{cents:02}"),
        thousands => format!("{sign}{thousands}.{:03},{cents:02}", whole % 1_000),
    }
}

fn reais(centavos: i64) -> String {
    format!("R$ {}", plain(centavos))
}

fn text<'d>(doc: &'d Value, field: &str) -> &'d str {
    doc[field].as_str().unwrap_or_default()
}

fn number(doc: &Value, field: &str) -> i64 {
    doc[field].as_i64().expect("a number")
}
