//! Commands for packages and supervisors: version, completions, manual pages, health.

use std::collections::BTreeMap;
use std::path::Path;

use e2e::App;
use e2e::process::{self, Ran};

async fn runs(arguments: &[&str], data: &Path) -> Ran {
    process::run(arguments, data, &BTreeMap::new()).await
}

#[tokio::test]
async fn version_names_the_build_of_the_program() {
    let folder = tempfile::tempdir().unwrap();

    let ran = runs(&["--version"], folder.path()).await;

    let expected = concat!("garimpo ", env!("CARGO_PKG_VERSION"), " (debug)\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{ran:?}");
}

#[tokio::test]
async fn completions_and_manual_pages_need_no_settings() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man");

    for shell in ["bash", "zsh", "fish"] {
        let ran = runs(&["completions", shell], folder.path()).await;
        assert!(ran.code == 0 && ran.stdout.contains("reconcile"), "{shell}: {ran:?}");
    }
    let ran = runs(&["manual", pages.to_str().unwrap()], folder.path()).await;

    assert_eq!(ran.code, 0, "{ran:?}");
    let page = std::fs::read_to_string(pages.join("garimpo.1")).unwrap();
    assert!(page.starts_with(".ie") && page.contains("garimpo\\-admin(1)"), "{page}");
    assert!(pages.join("garimpo-admin-reconcile.1").exists());
    assert!(!pages.join("garimpo-manual.1").exists(), "a hidden command has a page");
}

#[tokio::test]
async fn health_exits_with_0_while_the_process_answers_and_with_1_afterwards() {
    let mut app = App::start().await;

    for arguments in [&["health"][..], &["health", "--ready"]] {
        let ran = app.runs_with(arguments, &[]).await;
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{arguments:?}");
    }
    let proxied = app.runs_with(&["health"], &[("http_proxy", "http://127.0.0.1:9")]).await;
    assert_eq!(proxied.code, 0, "{proxied:?}");

    app.loses_table("heartbeats").await;
    e2e::eventually("a process that is not ready", || async {
        (app.runs_with(&["health", "--ready"], &[]).await.code == 1).then_some(())
    })
    .await;
    assert_eq!(app.runs_with(&["health"], &[]).await.code, 0);

    app.kill();
    assert_eq!(app.runs_with(&["health"], &[]).await.code, 1);
    let wrong = app.runs_with(&["health"], &[("GARIMPO_METRICS_LISTEN", "nada")]).await;
    assert_eq!(wrong.code, 2, "{wrong:?}");
}
