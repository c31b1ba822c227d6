//! A mail server that a package provides (`tests/setup/smtp.mjs`), with what it took.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use std::io::{BufRead, BufReader};

/// A running mail server, ended with the value that holds it.
pub struct PostOffice {
    child: Child,
    port: String,
    mails: Arc<Mutex<Vec<Value>>>,
}

impl PostOffice {
    /// Opens at any free port.
    pub fn opens() -> Self {
        Self::opens_at("0")
    }

    /// Opens at a port.
    pub fn opens_at(port: &str) -> Self {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut child = Command::new("node")
            .args([tests.join("setup/smtp.mjs").as_os_str(), port.as_ref()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs: make test installs what the server needs");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let first = lines.next().expect("it says where it listens").expect("UTF-8");
        let port = first.strip_prefix("listening ").expect("it listens").to_owned();
        let mails = Arc::new(Mutex::new(Vec::new()));
        let taken = mails.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mail = serde_json::from_str(&line).expect("each line is a mail");
                taken.lock().expect("nobody panicked").push(mail);
            }
        });
        Self { child, port, mails }
    }

    /// Its port.
    pub fn port(&self) -> &str {
        &self.port
    }

    /// Its address with the right password, TLS as the query says.
    pub fn url(&self, query: &str) -> String {
        format!("smtp://garimpo:segredo-do-correio@127.0.0.1:{}{query}", self.port)
    }

    /// Every mail taken so far.
    pub fn mails(&self) -> Vec<Value> {
        self.mails.lock().expect("nobody panicked").clone()
    }

    /// The first mail to an address with a subject, once it is there.
    pub async fn mail_to(&self, email: &str, subject: &str) -> Value {
        crate::eventually(&format!("the mail '{subject}'"), || async {
            let wanted = |mail: &Value| mail["to"][0] == email && mail["subject"] == subject;
            self.mails().into_iter().find(wanted)
        })
        .await
    }
}

impl Drop for PostOffice {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
