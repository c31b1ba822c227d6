//! A test account of the payment provider for the operator's rehearsal: the sandbox alone, without
//! a product.

use std::collections::BTreeMap;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr};

use crate::app::base_settings;
use crate::process::{self, Addresses, Process, Ran};
use crate::provider::Provider;

/// The sandbox, and the folder of an operator without a running product. The process drops before
/// its folder.
pub struct TestAccount {
    sandbox: (Process, Addresses),
    operator: TempDir,
    settings: BTreeMap<String, String>,
    _folder: TempDir,
}

/// A running rehearsal whose links a person opens.
pub struct Rehearsal {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl TestAccount {
    /// Starts only the sandbox.
    pub async fn start() -> Self {
        let folder = TempDir::with_prefix("garimpo-test-account-").expect("a folder");
        let sandbox = Process::start("sandbox", folder.path(), &base_settings()).await;
        let mut account = Self {
            sandbox,
            operator: TempDir::with_prefix("garimpo-operator-").expect("a folder"),
            settings: base_settings(),
            _folder: folder,
        };
        let url = account.url().to_owned();
        account.uses("GARIMPO_SANDBOX_URL", &url);
        account
    }

    /// Creates the operator's database and adopts this account.
    pub async fn adopt(&self) {
        for arguments in [["migrate"].as_slice(), &["admin", "provider", "adopt"]] {
            let ran = process::run(arguments, self.operator.path(), &self.settings).await;
            assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        }
    }

    /// The same with this behaviour of the provider.
    pub async fn start_with_behavior(behavior: &Value) -> Self {
        let account = Self::start().await;
        account.provider().behaves(behavior.clone()).await;
        account
    }

    /// Sets a setting of the operator.
    pub fn uses(&mut self, setting: &str, value: &str) {
        self.settings.insert(setting.to_owned(), value.to_owned());
    }

    /// Sets all Stripe settings, with this address and key.
    pub fn uses_key(&mut self, url: &str, key: &str) {
        for (setting, value) in [
            ("GARIMPO_PAYMENTS", "stripe"),
            ("GARIMPO_STRIPE_URL", url),
            ("GARIMPO_STRIPE_SECRET_KEY", key),
            ("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_test_garimpo"),
            ("GARIMPO_STRIPE_WEBHOOK_SECRET", "whsec_garimpo"),
        ] {
            self.uses(setting, value);
        }
    }

    /// Sets only these settings.
    pub fn uses_only(&mut self, settings: &[(&str, &str)]) {
        self.settings.clear();
        for (setting, value) in settings {
            self.uses(setting, value);
        }
    }

    /// The address of the sandbox.
    pub fn url(&self) -> &str {
        &self.sandbox.1["sandbox"]
    }

    /// The sandbox's client.
    pub fn provider(&self) -> Provider {
        Provider::new(self.url())
    }

    /// Names of the files in the operator's folder.
    pub fn files(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.operator.path()).expect("the folder is there");
        files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect()
    }

    /// `garimpo admin provider rehearse` to its end, without a browser.
    pub async fn rehearses(&self, arguments: &[&str]) -> Ran {
        let arguments = [&["admin", "provider", "rehearse", "--no-browser"], arguments].concat();
        process::run(&arguments, self.operator.path(), &self.settings).await
    }

    /// Starts a rehearsal whose links a person opens.
    pub fn begins_rehearsal(&self, arguments: &[&str]) -> Rehearsal {
        let arguments = [&["admin", "provider", "rehearse"], arguments].concat();
        let mut command = process::command(&arguments, self.operator.path(), &self.settings);
        let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = pipes.spawn().expect("garimpo was built");
        let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        Rehearsal { child, lines }
    }

    /// Runs a rehearsal and does what each link asks for; returns the exit code and the JSON.
    pub async fn rehearses_in_browser(&self, arguments: &[&str]) -> (i32, Value) {
        let mut rehearsal = self.begins_rehearsal(&[&["--json"], arguments].concat());
        while let Some(link) = rehearsal.asks().await {
            self.opens(&link).await;
        }
        let ended = rehearsal.child.wait_with_output().await.expect("it ends");
        let code = ended.status.code().expect("it ended by itself");
        (code, serde_json::from_slice(&ended.stdout).unwrap_or(Value::Null))
    }

    /// Does what the rehearsal asks for at a link.
    async fn opens(&self, link: &str) {
        let provider = self.provider();
        if let Some((_, secret)) = link.split_once("/v3/embedded/") {
            let session = secret.split("_secret_").next().expect("a session");
            assert_eq!(provider.pays_by_card(session, "4242424242424242").await, 200, "{link}");
        } else if link.contains("/portal/") {
            provider.takes_card_in_portal(link, "5555555555554444").await;
        } else {
            self.authenticates(link).await;
        }
    }

    /// Authenticates the payment of the invoice with this page. The sandbox has its own frame for
    /// it.
    async fn authenticates(&self, page: &str) {
        let provider = self.provider();
        for customer in self.customers().await {
            let id = customer["id"].as_str().expect("an id");
            let path = format!("/v1/invoices?customer={id}&expand[]=data.confirmation_secret");
            // With one switch the provider refuses lists of a deleted customer.
            let answer = provider.object(&path).await;
            let Some(invoices) = answer["data"].as_array() else { continue };
            let Some(invoice) = invoices.iter().find(|invoice| invoice["hosted_invoice_url"] == page) else {
                continue;
            };
            // The card that was attached last requires authentication.
            let cards = provider.list(&format!("/v1/payment_methods?customer={id}&type=card")).await;
            let secret = invoice["confirmation_secret"]["client_secret"].as_str().expect("a secret");
            let body = json!({ "challenge": "authorize", "payment_method": cards[0]["id"] });
            let answer = provider.acts(&format!("/v3/authenticate/{secret}"), body).await;
            assert_eq!(answer["paymentIntent"]["status"], "succeeded", "{answer}");
            return;
        }
        // If the rehearsal has ended, its report has the reason.
        eprintln!("no invoice has the page {page}");
    }

    /// The customers of all test clocks, which no unfiltered list contains.
    pub async fn customers(&self) -> Vec<Value> {
        let provider = self.provider();
        let mut customers = Vec::new();
        for clock in provider.list("/v1/test_helpers/test_clocks?limit=100").await {
            let id = clock["id"].as_str().expect("an id");
            customers.extend(provider.list(&format!("/v1/customers?test_clock={id}")).await);
        }
        customers
    }

    /// Number of objects that a rehearsal could leave, by kind. Customers and subscriptions are
    /// deleted with their test clock.
    pub async fn leftovers(&self) -> Value {
        let provider = self.provider();
        let count = async |path: &str| provider.list(path).await.len();
        json!({
            "test_clocks": count("/v1/test_helpers/test_clocks?limit=100").await,
            "coupons": count("/v1/coupons?limit=100").await,
            "prices": count("/v1/prices?limit=100&active=true").await,
            "products": count("/v1/products?limit=100&active=true").await,
            "sessions": count("/v1/checkout/sessions?limit=100&status=open").await,
        })
    }

    /// The counts of an account without leftovers.
    pub fn nothing() -> Value {
        json!({ "test_clocks": 0, "coupons": 0, "prices": 0, "products": 0, "sessions": 0 })
    }
}

impl Rehearsal {
    /// The next link that the rehearsal prints; `None` once it has ended.
    pub async fn asks(&mut self) -> Option<String> {
        while let Some(line) = self.lines.next_line().await.expect("UTF-8") {
            if let Some(link) = line.strip_prefix("  http") {
                return Some(format!("http{link}"));
            }
        }
        None
    }

    /// Ends the rehearsal with SIGKILL.
    pub async fn dies(mut self) {
        self.child.kill().await.expect("it runs");
    }

    /// Waits for a line with this text.
    pub async fn wait_for_line(&mut self, text: &str) {
        while let Some(line) = self.lines.next_line().await.expect("UTF-8") {
            if line.contains(text) {
                return;
            }
        }
        panic!("it ended without: {text}");
    }

    /// Sends a signal, for instance `TERM`.
    pub fn send_signal(&self, signal: &str) {
        let id = self.child.id().expect("it runs").to_string();
        let sent = std::process::Command::new("kill").args([format!("-{signal}"), id]).status();
        assert!(sent.expect("kill runs").success(), "{signal} was not sent");
    }

    /// Waits for the end of the rehearsal; returns the exit code and the remaining output.
    pub async fn ends(mut self) -> (i32, String) {
        let mut said = String::new();
        while let Some(line) = self.lines.next_line().await.expect("UTF-8") {
            said.push_str(&line);
        }
        (self.child.wait().await.expect("it ends").code().expect("it ended by itself"), said)
    }
}
