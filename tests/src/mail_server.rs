//! A mail server from a package (`tests/setup/smtp.mjs`), and the mails that it received.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use std::io::{BufRead, BufReader};

/// A running mail server. Dropping the value ends it.
pub struct MailServer {
    child: Child,
    port: String,
    mails: Arc<Mutex<Vec<Value>>>,
}

impl MailServer {
    /// Starts a mail server on a free port.
    pub fn start() -> Self {
        Self::start_on("0")
    }

    /// Starts a mail server on this port.
    pub fn start_on(port: &str) -> Self {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut child = Command::new("node")
            .args([tests.join("setup/smtp.mjs").as_os_str(), port.as_ref()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs: make test installs what the server needs");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let first = lines.next().expect("the address on which it listens").expect("UTF-8");
        let port = first.strip_prefix("listening ").expect("it listens").to_owned();
        let mails = Arc::new(Mutex::new(Vec::new()));
        let taken = mails.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mail = serde_json::from_str(&line).expect("each line is a mail");
                taken.lock().expect("a lock without panics").push(mail);
            }
        });
        Self { child, port, mails }
    }

    /// The port of the server.
    pub fn port(&self) -> &str {
        &self.port
    }

    /// The server's address with the right password; `query` sets TLS.
    pub fn url(&self, query: &str) -> String {
        format!("smtp://garimpo:segredo-do-correio@127.0.0.1:{}{query}", self.port)
    }

    /// Every mail received so far.
    pub fn mails(&self) -> Vec<Value> {
        self.mails.lock().expect("a lock without panics").clone()
    }

    /// Waits for a mail to an address with a subject, and returns it.
    pub async fn mail_to(&self, email: &str, subject: &str) -> Value {
        crate::eventually(&format!("the mail '{subject}'"), || async {
            let wanted = |mail: &Value| mail["to"][0] == email && mail["subject"] == subject;
            self.mails().into_iter().find(wanted)
        })
        .await
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
