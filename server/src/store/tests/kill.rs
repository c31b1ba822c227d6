//! kill -9 under load: every acknowledged write is stored.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use super::*;
use crate::tests::database::setting;

const CHILD: &str = "GARIMPO_TEST_STORE_CHILD";

/// Writes from 32 callers and prints each acknowledged id until it is killed. Only the test below
/// starts it, as a separate process.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the body of a process that the test below starts"]
async fn writes_until_it_is_killed() {
    let url = setting(CHILD).expect("the database of the test that starts it");
    let store = Store::open(&StoreSettings::new(url)).await.expect("the store opens");
    let callers = (0..32_i64).map(|caller| {
        let store = store.clone();
        tokio::spawn(async move {
            for id in (caller..).step_by(32) {
                store.write((), insert(id, "acknowledged")).await.expect("the note is stored");
                writeln!(std::io::stdout(), "ack {id}").expect("the parent reads");
            }
        })
    });
    futures::future::join_all(callers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_under_load_loses_no_acknowledged_write() {
    let database = Database::new().await;
    notes(&database).await.close().await;
    let mut child = Command::new(std::env::current_exe().expect("the test binary"))
        .args(["store::tests::kill::writes_until_it_is_killed", "--exact", "--ignored", "--nocapture"])
        .env(CHILD, &database.url)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the writer starts");
    let lines = BufReader::new(child.stdout.take().expect("its output is read")).lines();

    let mut acknowledged = Vec::new();
    for line in lines.map_while(Result::ok) {
        if let Some(id) = line.split("ack ").nth(1).and_then(|id| id.trim().parse::<i64>().ok()) {
            acknowledged.push(id);
        }
        if acknowledged.len() == 2000 {
            child.kill().expect("SIGKILL is sent");
        }
    }
    child.wait().expect("the writer is gone");

    let stored = ids(&database.open().await).await;
    assert!(acknowledged.len() >= 2000);
    let lost: Vec<_> = acknowledged.iter().filter(|id| stored.binary_search(id).is_err()).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
}
