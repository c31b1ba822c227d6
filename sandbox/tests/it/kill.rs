//! `kill -9` under load: an answered purchase is stored whole, and any other is stored whole or not
//! at all.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{client, listen};

const ROUNDS: u64 = 4;

fn serve_binary() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("examples").join("serve")
}

struct Process {
    child: Child,
    url: String,
}

impl Process {
    async fn start(dir: &std::path::Path) -> Self {
        let (listener, address) = listen().await;
        drop(listener);
        let child = Command::new(serve_binary())
            .arg(address.to_string())
            .arg(dir)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let process = Self { child, url: format!("http://{address}") };
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while client().get(format!("{}/clock", process.url)).send().await.is_err() {
            assert!(std::time::Instant::now() < deadline, "the sandbox has not started");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        process
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn api(url: &str, method: &str, path: &str, form: &str) -> Option<Value> {
    let answer = client()
        .request(method.parse().unwrap(), format!("{url}{path}"))
        .header("authorization", "Bearer sk_test_garimpo")
        .body(form.to_owned())
        .send()
        .await
        .ok()?;
    answer.status().is_success().then_some(())?;
    answer.json().await.ok()
}

async fn buy(url: &str) -> Option<(String, bool)> {
    let form = "mode=subscription&ui_mode=embedded_page&return_url=http://127.0.0.1/x&customer_email=a@b.c\
                &line_items[0][price_data][currency]=brl&line_items[0][price_data][unit_amount]=9790\
                &line_items[0][price_data][recurring][interval]=month\
                &line_items[0][price_data][product_data][name]=Top";
    let session = api(url, "POST", "/v1/checkout/sessions", form).await?;
    let id = session["id"].as_str()?.to_owned();
    let paying =
        client().post(format!("{url}/_test/checkout/{id}")).json(&json!({"card": "4242424242424242"}));
    let paid = paying.send().await.is_ok_and(|answer| answer.status().is_success());
    Some((id, paid))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_loses_no_answered_purchase_and_leaves_none_half_done() {
    let dir = tempfile::tempdir().unwrap();
    let mut bought = Vec::new();

    for round in 0..ROUNDS {
        let process = Process::start(dir.path()).await;
        let buyers: Vec<_> = (0..4)
            .map(|_| {
                let url = process.url.clone();
                tokio::spawn(async move {
                    let mut done = Vec::new();
                    while let Some(bought) = buy(&url).await {
                        done.push(bought);
                    }
                    done
                })
            })
            .collect();
        // The kill comes at another moment in each round. The result does not depend on the length
        // of the wait.
        tokio::time::sleep(Duration::from_millis(400 + 97 * round)).await;
        drop(process);
        for buyer in buyers {
            bought.extend(buyer.await.unwrap());
        }
    }

    let process = Process::start(dir.path()).await;
    let paid = bought.iter().filter(|(_, paid)| *paid).count();
    assert!(paid > 0, "no purchase was answered");
    for (id, was_paid) in &bought {
        let path = format!("/v1/checkout/sessions/{id}?expand[]=subscription&expand[]=invoice");
        let session = api(&process.url, "GET", &path, "").await.expect("the answered session exists");
        let complete = session["status"] == "complete";
        assert!(complete || !was_paid, "a lost response: {session}");
        assert_eq!(complete, session["subscription"]["status"] == "active");
        assert_eq!(complete, session["invoice"]["status"] == "paid");
    }
    let events =
        api(&process.url, "GET", "/v1/events?type=checkout.session.completed&limit=100", "").await.unwrap();
    assert!(events["data"].as_array().unwrap().len() >= paid.min(100));
}
