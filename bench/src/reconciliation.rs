//! What a full look at the payment provider costs visitors, and how many calls a day of it takes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use reqwest::Client;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use tempfile::TempDir;

use crate::figure::{Figure, count};
use crate::product::Product;

const CUSTOMERS: u32 = 20_000;
/// Recovery mails, and boletos that are paid, with the look and without it.
const TRIES: usize = 200;
/// Each call to the provider takes so long, in milliseconds.
const PROVIDER_MS: u32 = 250;
const GOAL_MS: f64 = 2_000.0;
const DEADLINE: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Subscribers for whom the calls of a day are reckoned, and what is wanted.
const SUBSCRIBERS: f64 = 1_000_000.0;
const GOAL_CALLS: f64 = 60_000.0;
/// Limits of the product, as docs/operation.md has them: looks at events, accounts of the open look, sweep pages.
const EVENT_LOOKS: f64 = 288.0;
const OPEN_ACCOUNTS: f64 = 25.0 * 144.0;
const SWEEP_PAGES: f64 = 20.0 * 1_440.0;
const EVENTS_PER_PAGE: f64 = 100.0;
const DAYS_OF_MONTH: f64 = 30.0;

/// What callers may do here without a pause.
const LIMITS: [(&str, &str); 6] = [
    ("GARIMPO_LIMIT_RECOVERY_ADDRESS", "100000"),
    ("GARIMPO_LIMIT_SIGN_UP_ADDRESS", "100000"),
    ("GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS", "1000000"),
    ("GARIMPO_LIMIT_CHECKOUT_ACCOUNT", "100000"),
    ("GARIMPO_GRACE_DAYS", "0"),
    ("GARIMPO_PROVIDER_CALLS_PER_SECOND", "25"),
];

/// Waits beside those without the look, and the calls of a day.
///
/// # Errors
/// Something does not come up, or a try did not end.
pub async fn measure() -> Result<Vec<Figure>> {
    let mut figures = waits().await?;
    figures.push(calls_of_a_day().await?);
    Ok(figures)
}

/// The 99th percentile of both waits, each beside the same without the look.
async fn waits() -> Result<Vec<Figure>> {
    let folder = TempDir::with_prefix("garimpo-bench-")?;
    let world = World::start(folder.path()).await?;
    let ana = world.subscriber("ana@exemplo.com.br").await?;
    let mut boletos = Vec::new();
    for nth in 0..2 * TRIES {
        boletos.push(world.boleto(&format!("bia{nth}@exemplo.com.br")).await?);
    }
    world.product.stop()?;
    multiply(folder.path(), &ana).await?;
    let (with_look, without) = boletos.split_at(TRIES);
    // The sweep waits for its next day.
    run_sql(folder.path(), "UPDATE jobs SET due_at_us = due_at_us + 86400000000 WHERE kind = 'reconcile'")
        .await?;
    let (mails, payments) = tries(folder.path(), 0, without).await?;
    // Every account differs from the provider, so that each is read alone too.
    run_sql(
        folder.path(),
        "UPDATE jobs SET due_at_us = 0, state = 'waiting' WHERE kind = 'reconcile' AND key = 'all';
         UPDATE reconciliation SET sweep_phase = '';
         UPDATE subscriptions SET provider_status = 'incomplete' WHERE id LIKE '%\\_%\\_%' ESCAPE '\\'",
    )
    .await?;
    let (mails_with, payments_with) = tries(folder.path(), TRIES, with_look).await?;
    let figure = |what: &str, with: f64, without: f64| {
        let what = format!("{what}, p99 of {TRIES} while 20,000 customers are looked at, beside no look");
        Figure::cost(&what, "ms", with, GOAL_MS).beside(without)
    };
    Ok(vec![
        figure("recovery mail sent", mails_with, mails),
        figure("access after a paid boleto", payments_with, payments),
    ])
}

/// Milliseconds until a recovery mail has left, and until a paid boleto gives access: the 99th percentiles.
async fn tries(data: &Path, first: usize, boletos: &[Boleto]) -> Result<(f64, f64)> {
    let world = World::start(data).await?;
    world.post("/_test/faults", json!({ "path": "/v1", "delay_ms": PROVIDER_MS })).await?;
    let is_look = first > 0;
    if is_look {
        world.eventually("the look at accounts", async || Ok(world.looks_waiting().await? > 0.0)).await?;
    }
    let (mut mails, mut payments) = (Vec::new(), Vec::new());
    for (nth, boleto) in boletos.iter().enumerate() {
        mails.push(world.recovers(&format!("{}ana@exemplo.com.br", first + nth + 1)).await?);
        payments.push(world.pays(boleto).await?);
    }
    if is_look {
        ensure!(world.looks_waiting().await? > 0.0, "the look ended before the tries");
    }
    world.delete("/_test/faults").await?;
    world.product.stop()?;
    Ok((percentile_99(mails), percentile_99(payments)))
}

fn percentile_99(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() * 99 / 100]
}

/// Calls of one day, reckoned from those for a sample: none is sent for a million.
async fn calls_of_a_day() -> Result<Figure> {
    let folder = TempDir::with_prefix("garimpo-bench-")?;
    let world = World::start(folder.path()).await?;
    let ana = world.subscriber("ana@exemplo.com.br").await?;
    let of_purchase = world.events_created().await?.into_iter().max().unwrap_or_default();
    world.post("/clock", json!({ "advance_seconds": 31 * 86_400, "keep_sessions": true })).await?;
    // The provider forgets the purchase's events after 30 days, so that a difference of counts says nothing.
    let of_renewal = world.events_created().await?.into_iter().filter(|created| *created > of_purchase);
    let events_of_renewal = count(of_renewal.count());
    ensure!(events_of_renewal > 0.0, "the renewal has no event");
    world.product.stop()?;
    multiply(folder.path(), &ana).await?;
    let (pages, _) = sweep(folder.path()).await?;
    run_sql(
        folder.path(),
        "UPDATE subscriptions SET provider_status = 'incomplete' WHERE id LIKE '%\\_1' ESCAPE '\\'",
    )
    .await?;
    let (more_pages, calls) = sweep(folder.path()).await?;
    let calls_of_account = (calls - more_pages).max(0.0);

    let times = SUBSCRIBERS / f64::from(CUSTOMERS);
    let renewals = SUBSCRIBERS / DAYS_OF_MONTH;
    let events = EVENT_LOOKS + renewals * events_of_renewal / EVENTS_PER_PAGE;
    let sweep_pages = (pages * times).min(SWEEP_PAGES);
    let calls = events + sweep_pages + OPEN_ACCOUNTS * calls_of_account;
    let today = 3.0 * SUBSCRIBERS;
    let what =
        "provider calls of a day of reconciliation at 1,000,000 subscribers, beside three lists of each";
    Ok(Figure::cost(what, "calls", calls, GOAL_CALLS).beside(today))
}

/// Runs a sweep; returns its pages and all calls of housekeeping meanwhile.
async fn sweep(data: &Path) -> Result<(f64, f64)> {
    run_sql(
        data,
        "UPDATE jobs SET due_at_us = CASE key WHEN 'all' THEN 0 ELSE due_at_us + 86400000000 END, state = 'waiting'
         WHERE kind = 'reconcile' AND key IN ('all', 'open', 'events');
         UPDATE reconciliation SET sweep_phase = '', sweep_after = ''",
    )
    .await?;
    let world = World::start_with(data, &[("GARIMPO_PROVIDER_CALLS_PER_SECOND", "10000")]).await?;
    loop {
        world.post("/clock", json!({ "advance_seconds": 60, "keep_sessions": true })).await?;
        world.eventually("no job", async || Ok(world.looks_waiting().await? <= 3.0)).await?;
        let (phase, pages) = sweep_state(data).await?;
        if phase.is_empty() && pages > 0 {
            let calls = world
                .metric("garimpo_provider_budget_wait_duration_seconds_count{class=\"housekeeping\"}")
                .await?;
            world.product.stop()?;
            // The last step of a sweep reads our rows alone.
            return Ok((count(pages - 1), calls));
        }
    }
}

async fn sweep_state(data: &Path) -> Result<(String, i64)> {
    let mut database = open(data, "garimpo.db").await?;
    let found = sqlx::query_as("SELECT sweep_phase, sweep_pages FROM reconciliation")
        .fetch_one(&mut database)
        .await?;
    database.close().await?;
    Ok(found)
}

/// A customer with a subscription, at the product and at the provider.
struct Subscriber {
    uid: String,
    customer_id: String,
}

/// A boleto that waits for its payment.
struct Boleto {
    session: String,
    uid: String,
    cookie: String,
}

/// The product with its sandbox.
struct World {
    product: Product,
    client: Client,
    sandbox: String,
    metrics: String,
}

impl World {
    async fn start(data: &Path) -> Result<Self> {
        Self::start_with(data, &[]).await
    }

    async fn start_with(data: &Path, more: &[(&str, &str)]) -> Result<Self> {
        let settings: BTreeMap<_, _> = LIMITS.iter().chain(more).copied().collect();
        let settings: Vec<_> = settings.into_iter().collect();
        let product = Product::start_with(data, &settings).await?;
        let (sandbox, metrics) = (product.address("sandbox"), product.address("metrics"));
        Ok(Self { product, client: Client::new(), sandbox, metrics })
    }

    /// Somebody with a subscription paid by card.
    async fn subscriber(&self, email: &str) -> Result<Subscriber> {
        let (uid, cookie) = self.signs_up(email).await?;
        let session = self.checkout(email, &cookie).await?;
        self.post(&format!("/_test/checkout/{session}"), json!({ "card": "4242424242424242" })).await?;
        self.eventually("a subscription", async || self.is_active(&uid, &cookie).await).await?;
        self.post("/clock", json!({ "advance_seconds": 0 })).await?;
        let list = self.provider("/v1/customers?limit=1").await?;
        let customer_id = list["data"][0]["id"].as_str().context("a customer")?.to_owned();
        Ok(Subscriber { uid, customer_id })
    }

    async fn boleto(&self, email: &str) -> Result<Boleto> {
        let (uid, cookie) = self.signs_up(email).await?;
        let session = self.checkout(email, &cookie).await?;
        let form = json!({ "boleto": { "tax_id": "529.982.247-25" } });
        self.post(&format!("/_test/checkout/{session}"), form).await?;
        Ok(Boleto { session, uid, cookie })
    }

    async fn signs_up(&self, email: &str) -> Result<(String, String)> {
        use garimpo_proto::auth::v1::SignUpRequest;
        use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
        let request = SignUpRequest {
            email: email.to_owned(),
            password: "segredo1".to_owned(),
            display_name: "Ana Souza".to_owned(),
            phone_number: "11987654321".to_owned(),
            ..Default::default()
        };
        let answer =
            AuthServiceClient::connect(self.product.url().to_owned()).await?.sign_up(request).await?;
        let cookie = answer.metadata().get("set-cookie").context("a cookie")?.to_str()?;
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        Ok((answer.into_inner().user.context("a user")?.uid, cookie))
    }

    async fn checkout(&self, email: &str, cookie: &str) -> Result<String> {
        let body = json!({ "email": email, "planName": "Top Afiliado", "interval": "mensal" });
        let url = format!("{}/create-embedded-checkout-session", self.product.url());
        let began = Instant::now();
        loop {
            let request =
                self.client.post(&url).header("cookie", cookie).header("origin", self.product.url());
            let answer = request.json(&body).send().await?;
            // The catalogue is being pushed.
            if answer.status() == 503 && began.elapsed() < DEADLINE {
                tokio::time::sleep(LOOK_EVERY).await;
                continue;
            }
            let answer: Value = answer.error_for_status()?.json().await?;
            let secret = answer["clientSecret"].as_str().context("a client secret")?;
            return Ok(secret.split("_secret_").next().unwrap_or_default().to_owned());
        }
    }

    async fn is_active(&self, uid: &str, cookie: &str) -> Result<bool> {
        let url = format!("{}/api/users/{uid}", self.product.url());
        let answer = self.client.get(url).header("cookie", cookie).send().await?;
        let user: Value = answer.error_for_status()?.json().await?;
        Ok(user["subscription_active"] == true)
    }

    /// Asks for a recovery mail; milliseconds until it has left.
    async fn recovers(&self, email: &str) -> Result<f64> {
        use garimpo_proto::auth::v1::RequestPasswordResetRequest;
        use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
        let began = Instant::now();
        let request = RequestPasswordResetRequest { email: email.to_owned() };
        AuthServiceClient::connect(self.product.url().to_owned())
            .await?
            .request_password_reset(request)
            .await?;
        self.eventually("a recovery mail", async || {
            let mails: Value =
                self.client.get(format!("{}/mail.json", self.sandbox)).send().await?.json().await?;
            Ok(mails.as_array().is_some_and(|all| all.iter().any(|mail| mail["to"] == email)))
        })
        .await?;
        Ok(began.elapsed().as_secs_f64() * 1000.0)
    }

    /// Pays a boleto at the bank; milliseconds until it gives access.
    async fn pays(&self, boleto: &Boleto) -> Result<f64> {
        let began = Instant::now();
        self.post(&format!("/_test/boletos/{}/pay", boleto.session), json!({})).await?;
        self.eventually("access", async || self.is_active(&boleto.uid, &boleto.cookie).await).await?;
        Ok(began.elapsed().as_secs_f64() * 1000.0)
    }

    async fn looks_waiting(&self) -> Result<f64> {
        self.metric("garimpo_jobs{kind=\"reconcile\",state=\"waiting\"}").await
    }

    async fn metric(&self, series: &str) -> Result<f64> {
        let text = self.client.get(format!("{}/metrics", self.metrics)).send().await?.text().await?;
        let value = text.lines().find_map(|line| line.strip_prefix(series));
        Ok(value.map(|value| value.trim().parse()).transpose()?.unwrap_or_default())
    }

    /// When each event was created that the provider lists, in seconds.
    async fn events_created(&self) -> Result<Vec<i64>> {
        let (mut all, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.provider(&format!("/v1/events?limit=100{after}")).await?;
            let data = page["data"].as_array().context("a list")?;
            all.extend(data.iter().filter_map(|event| event["created"].as_i64()));
            match data.last() {
                Some(last) if page["has_more"] == true => {
                    after = format!("&starting_after={}", last["id"].as_str().unwrap_or_default());
                }
                _ => return Ok(all),
            }
        }
    }

    async fn provider(&self, path: &str) -> Result<Value> {
        let request = self.client.get(format!("{}{path}", self.sandbox)).bearer_auth("sk_test_garimpo");
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    async fn post(&self, path: &str, body: Value) -> Result<()> {
        let answer = self.client.post(format!("{}{path}", self.sandbox)).json(&body).send().await?;
        let status = answer.status();
        ensure!(status.is_success(), "{path}: {status} {}", answer.text().await?);
        Ok(())
    }

    async fn delete(&self, path: &str) -> Result<()> {
        self.client.delete(format!("{}{path}", self.sandbox)).send().await?.error_for_status()?;
        Ok(())
    }

    async fn eventually(&self, what: &str, reached: impl AsyncFn() -> Result<bool>) -> Result<()> {
        let began = Instant::now();
        while !reached().await? {
            ensure!(began.elapsed() < DEADLINE, "{what}: not within {DEADLINE:?}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}

async fn open(data: &Path, name: &str) -> Result<SqliteConnection> {
    Ok(SqliteConnectOptions::new().filename(data.join(name)).busy_timeout(DEADLINE).connect().await?)
}

async fn run_sql(data: &Path, sql: &str) -> Result<()> {
    let mut database = open(data, "garimpo.db").await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut database).await?;
    Ok(database.close().await?)
}

/// Makes 20,000 customers of one, in the stopped product and at its provider, each with `_1`, `_2`, … behind every id.
async fn multiply(data: &Path, one: &Subscriber) -> Result<()> {
    let numbers =
        format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {CUSTOMERS}) ");
    let mut database = open(data, "sandbox.db").await?;
    let of_customer = format!(
        "SELECT id FROM objects WHERE kind <> 'event' AND (id = '{0}' OR doc LIKE '%{0}%')",
        one.customer_id
    );
    let ids: Vec<String> =
        sqlx::query_scalar(sqlx::AssertSqlSafe(of_customer.clone())).fetch_all(&mut database).await?;
    let mut doc = format!("replace(doc, '{0}', '{0}_' || i)", one.uid);
    for id in &ids {
        doc = format!("replace({doc}, '{id}', '{id}_' || i)");
    }
    let mut sql = numbers.clone();
    write!(
        sql,
        "INSERT INTO objects (id, kind, created, doc) SELECT id || '_' || i, kind, created, {doc}
         FROM objects, n WHERE id IN ({of_customer})"
    )?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut database).await?;
    database.close().await?;
    for copy in COPIES {
        run_sql(data, &format!("{numbers}{copy}").replace("$uid", &format!("'{}'", one.uid))).await?;
    }
    run_sql(data, "ANALYZE").await
}

const COPIES: [&str; 5] = [
    "INSERT INTO accounts (uid, email, display_name, email_verified, created_at_us, revision, trial_used_before)
     SELECT uid || '_' || i, i || email, display_name, email_verified, created_at_us, revision, trial_used_before
     FROM accounts, n WHERE uid = $uid",
    "INSERT INTO customers (uid, intent_id, attempt, customer_id, ticket_issued, ticket_applied, created_at_us)
     SELECT uid || '_' || i, intent_id || '_' || i, attempt, customer_id || '_' || i, ticket_issued, ticket_applied,
       created_at_us FROM customers, n WHERE uid = $uid",
    "INSERT INTO subscriptions (id, uid, plan_id, plan_interval, coupon_id, promo_code, price_centavos, payment_method,
       provider_status, live, retired, first_paid_at_us, paid_from_us, paid_until_us, first_charge_at_us, renewal,
       renewal_at_us, cancel_at_period_end, ended_at_us, created_at_us, disputed_at_us, returned_at_us)
     SELECT id || '_' || i, uid || '_' || i, plan_id, plan_interval, coupon_id, promo_code, price_centavos,
       payment_method, provider_status, live, retired, first_paid_at_us, paid_from_us, paid_until_us,
       first_charge_at_us, renewal, renewal_at_us, cancel_at_period_end, ended_at_us, created_at_us, disputed_at_us,
       returned_at_us FROM subscriptions, n WHERE uid = $uid",
    "INSERT INTO invoices (id, uid, subscription_id, reason, status, total_centavos, payment_method, payment_intent_id,
       boleto_line, boleto_due_at_us, boleto_url, receipt_url, paid_at_us, created_at_us, amount_due_centavos,
       refunded_centavos, dispute, plan_id, plan_interval, carried_centavos)
     SELECT id || '_' || i, uid || '_' || i, subscription_id || '_' || i, reason, status, total_centavos,
       payment_method, payment_intent_id || '_' || i, boleto_line, boleto_due_at_us, boleto_url, receipt_url,
       paid_at_us, created_at_us, amount_due_centavos, refunded_centavos, dispute, plan_id, plan_interval,
       carried_centavos FROM invoices, n WHERE uid = $uid",
    "INSERT INTO entitlement_changes (uid, latest, plan_id, status, suspended_reason, valid_until_us,
       next_change_at_us, revision, at_us)
     SELECT uid || '_' || i, latest, plan_id, status, suspended_reason, valid_until_us, next_change_at_us, revision,
       at_us FROM entitlement_changes, n WHERE uid = $uid AND latest",
];
