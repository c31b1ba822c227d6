//! What packages call: version, completions, manual pages.

use std::collections::BTreeMap;
use std::path::Path;

use e2e::process::{self, Ran};

async fn runs(arguments: &[&str], data: &Path) -> Ran {
    process::run(arguments, data, &BTreeMap::new()).await
}

#[tokio::test]
async fn versao_diz_de_que_construcao_veio_o_programa() {
    let folder = tempfile::tempdir().unwrap();

    let ran = runs(&["--version"], folder.path()).await;

    let expected = concat!("garimpo ", env!("CARGO_PKG_VERSION"), " (debug)\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{ran:?}");
}

#[tokio::test]
async fn completa_comandos_e_escreve_o_manual_sem_configuracao() {
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
