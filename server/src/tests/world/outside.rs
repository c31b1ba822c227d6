//! The world outside: the provider's objects, events and dashboard, the mailbox, the platform, and
//! their failures.

use crate::store::billing::customers;
use crate::tests::port::receive_event;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use sqlx::{ConnectOptions as _, Connection as _};
use tonic::Status;

use super::World;
use crate::tests::server::SignedInUser;

/// Subject of the mail that every sign-up brings.
const CONFIRM_EMAIL: &str = "Confirme seu email no Garimpo";

impl World {
    /// Makes the world outside fail.
    pub async fn fails(&self, fault: Value) {
        self.posts("/_test/faults", fault).await;
    }

    /// Replaces how the provider behaves where it is undocumented or configurable.
    pub async fn behaves(&self, behavior: Value) {
        let call = self.http.put(format!("{}/_test/behavior", self.url)).json(&behavior);
        let answer = call.send().await.expect("the sandbox answers");
        assert!(answer.status().is_success(), "{behavior} is taken");
    }

    /// Ends every fault.
    pub async fn clear_faults(&self) {
        let url = format!("{}/_test/faults", self.url);
        self.http.delete(url).send().await.expect("the sandbox answers");
    }

    /// Calls that change something at the provider; returns status and body.
    pub async fn provider_tries(&self, path: &str, form: &[(&str, &str)]) -> (u16, Value) {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        let answer = request.form(form).send().await.expect("the sandbox answers");
        (answer.status().as_u16(), answer.json().await.expect("JSON"))
    }

    /// Holds the provider's events while `acts` runs, then has them delivered.
    pub async fn with_events_held(&self, acts: impl AsyncFnOnce()) {
        self.fails(json!({ "webhooks": "hold" })).await;
        acts().await;
        self.clear_faults().await;
        self.rest().await;
    }

    /// Mails to an address, newest first; but for those that ask to confirm it, which every sign-up
    /// brings.
    pub async fn mails_to(&self, email: &str) -> Vec<Value> {
        let mut mails = self.all_mails_to(email).await;
        mails.retain(|mail| mail["subject"] != CONFIRM_EMAIL);
        mails
    }

    /// Mails that ask to confirm an address, newest first.
    pub async fn confirmations_to(&self, email: &str) -> Vec<Value> {
        let mut mails = self.all_mails_to(email).await;
        mails.retain(|mail| mail["subject"] == CONFIRM_EMAIL);
        mails
    }

    async fn all_mails_to(&self, email: &str) -> Vec<Value> {
        let all = self.gets("/mail.json").await;
        all.as_array().expect("a list").iter().filter(|mail| mail["to"] == email).cloned().collect()
    }

    /// The conversions that the platform counted, oldest first, each with how often it came again.
    pub async fn counted(&self) -> Vec<(Value, u64)> {
        let list = self.gets("/graph/events.json").await;
        let newest_first = list.as_array().expect("a list").iter().rev();
        newest_first.map(|one| (one["event"].clone(), one["repeats"].as_u64().expect("a number"))).collect()
    }

    /// The ids of the conversions that the platform counted, in order.
    pub async fn counted_ids(&self) -> Vec<String> {
        let counted = self.counted().await;
        let mut ids: Vec<_> =
            counted.iter().map(|(event, _)| event["event_id"].as_str().expect("an id").to_owned()).collect();
        ids.sort();
        ids
    }

    /// The latest calls of the payments API, newest first, at most 50: `POST /v1/customers`.
    pub async fn provider_calls(&self) -> Vec<String> {
        let answer = self.http.get(format!("{}/log", self.url)).send().await.expect("the sandbox answers");
        let page = answer.text().await.expect("a page");
        let entry = |rest: &str| {
            let (method, path) = rest.split_once("</code>")?.0.split_once("</b> ")?;
            Some(format!("{method} {path}"))
        };
        page.split("<code><b>").skip(1).filter_map(entry).collect()
    }

    /// One object of the payments API.
    pub async fn provider_object(&self, path: &str) -> Value {
        let request = self.http.get(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        request.send().await.expect("the sandbox answers").json().await.expect("JSON")
    }

    /// Objects of the payments API.
    pub async fn provider_list(&self, path: &str) -> Vec<Value> {
        let url = format!("{}{path}", self.url);
        let answer =
            self.http.get(url).bearer_auth("sk_test_garimpo").send().await.expect("the sandbox answers");
        let list: Value = answer.json().await.expect("JSON");
        list["data"].as_array().unwrap_or_else(|| panic!("{list}")).clone()
    }

    /// Changes the plan of the one subscription at the provider, as a call does that was on its way
    /// there.
    pub async fn raises_plan(&self, lookup_key: &str) {
        let text = |value: &Value| value.as_str().expect("an id").to_owned();
        let running = self.provider_list("/v1/subscriptions").await.remove(0);
        let price = self.provider_list(&format!("/v1/prices?lookup_keys[]={lookup_key}")).await.remove(0);
        let (item, price) = (text(&running["items"]["data"][0]["id"]), text(&price["id"]));
        let form = [
            ("items[0][id]", item.as_str()),
            ("items[0][price]", price.as_str()),
            ("proration_behavior", "always_invoice"),
        ];
        self.provider_posts(&format!("/v1/subscriptions/{}", text(&running["id"])), &form).await;
    }

    /// Gives the provider so many customers like an account's, each with `_1`, `_2`, … behind every
    /// id.
    pub async fn provider_multiplies(&self, who: &SignedInUser, customer_id: &str, count: u32) {
        use std::fmt::Write as _;
        let of_customer = format!(
            "SELECT id FROM objects WHERE kind <> 'event' AND (id = '{customer_id}' OR doc LIKE '%{customer_id}%')"
        );
        let ids = self.provider_texts(&of_customer).await;
        let mut doc = format!("replace(doc, '{0}', '{0}_' || i)", who.uid);
        for id in &ids {
            doc = format!("replace({doc}, '{id}', '{id}_' || i)");
        }
        let mut sql =
            format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) ");
        let _ = write!(
            sql,
            "INSERT INTO objects (id, kind, created, doc) SELECT id || '_' || i, kind, created, {doc}
             FROM objects, n WHERE id IN ({of_customer})"
        );
        self.provider_sql(&sql).await;
    }

    /// Empties the provider's database, as if it was replaced by another one.
    pub async fn provider_forgets(&self) {
        self.provider_sql("CREATE TABLE kept AS SELECT * FROM objects; DELETE FROM objects").await;
    }

    /// Puts back the objects that [`World::provider_forgets`] took away.
    pub async fn provider_remembers(&self) {
        self.provider_sql("DELETE FROM objects; INSERT INTO objects SELECT * FROM kept; DROP TABLE kept")
            .await;
    }

    async fn provider_sql(&self, sql: &str) {
        let mut database = self.provider_database().await;
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned()))
            .execute(&mut database)
            .await
            .expect("the statements are right");
        database.close().await.expect("it closes");
    }

    async fn provider_texts(&self, sql: &str) -> Vec<String> {
        let mut database = self.provider_database().await;
        let found = sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned())).fetch_all(&mut database).await;
        database.close().await.expect("it closes");
        found.expect("the query is right")
    }

    async fn provider_database(&self) -> sqlx::SqliteConnection {
        let file = self.folder.path().join("sandbox.db");
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file).busy_timeout(super::DEADLINE);
        options.connect().await.expect("the sandbox's database opens")
    }

    /// Ends a subscription at the provider, as its operator would.
    pub async fn ends_subscription(&self, id: &str) {
        self.provider_deletes(&format!("/v1/subscriptions/{id}")).await;
    }

    /// Removes an object at the provider, as its operator would.
    pub async fn provider_deletes(&self, path: &str) {
        let request = self.http.delete(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        let answer = request.send().await.expect("the sandbox answers");
        assert!(answer.status().is_success(), "{path} is removed");
    }

    /// Makes or changes an object at the provider, as its operator would.
    pub async fn provider_posts(&self, path: &str, form: &[(&str, &str)]) {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth("sk_test_garimpo");
        let answer = request.form(form).send().await.expect("the sandbox answers");
        assert!(answer.status().is_success(), "{path} is taken");
    }

    /// The provider's events of an account, oldest first.
    pub async fn events_of(&self, who: &SignedInUser) -> Vec<Value> {
        let customer = customers::by_uid(self.app.store(), &who.uid).await.expect("readable");
        let customer = customer.and_then(|row| row.customer_id).expect("the provider knows the account");
        let mut events = self.provider_list("/v1/events?limit=100").await;
        events.retain(|event| event["data"]["object"]["customer"] == *customer);
        events.reverse();
        events
    }

    /// Delivers an event that is signed now with a secret; returns the server's refusal.
    pub async fn delivers(&self, event: &Value, secret: &str) -> Result<(), Status> {
        let payload = event.to_string();
        let at = self.app.clock().now().as_unix_seconds();
        let signature = signature(secret, at, &payload);
        self.deliver_raw(payload, signature).await
    }

    /// Delivers a payload with a signature, neither of which is checked here.
    pub async fn deliver_raw(&self, payload: String, signature: String) -> Result<(), Status> {
        receive_event(&self.app.services(), payload.into_bytes(), &signature).await
    }

    /// Calls a path of the sandbox.
    pub async fn posts(&self, path: &str, body: Value) -> Value {
        let url = format!("{}{path}", self.url);
        let answer = self.http.post(url).json(&body).send().await.expect("the sandbox answers");
        answer.json().await.expect("JSON")
    }

    async fn gets(&self, path: &str) -> Value {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await.expect("the sandbox answers");
        answer.json().await.expect("JSON")
    }
}

/// The header that proves who sent a delivery, and when.
pub fn signature(secret: &str, at_seconds: i64, payload: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key length");
    mac.update(format!("{at_seconds}.{payload}").as_bytes());
    format!("t={at_seconds},v1={}", hex::encode(mac.finalize().into_bytes()))
}
