//! Copies of one customer in the databases of the stopped product and its sandbox.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use sqlx::Connection as _;

use super::world::Subscriber;
use crate::filled;

pub const CUSTOMERS: u32 = 20_000;

/// Phase and pages of the sweep.
pub async fn sweep_state(data: &Path) -> Result<(String, i64)> {
    let mut database = filled::open(&data.join("garimpo.db")).await?;
    let found = sqlx::query_as("SELECT sweep_phase, sweep_pages FROM reconciliation")
        .fetch_one(&mut database)
        .await?;
    database.close().await?;
    Ok(found)
}

pub async fn run_sql(data: &Path, sql: &str) -> Result<()> {
    let mut database = filled::open(&data.join("garimpo.db")).await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut database).await?;
    Ok(database.close().await?)
}

/// Copies a customer 20,000 times, with `_1`, `_2`, … appended to every id.
pub async fn multiply(data: &Path, one: &Subscriber) -> Result<()> {
    let numbers =
        format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {CUSTOMERS}) ");
    let mut database = filled::open(&data.join("sandbox.db")).await?;
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
