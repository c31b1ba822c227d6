//! Lines of the log at its default level.

use crate::support::{Gateway, HTTP, settings};
use garimpo_gateway::{Files, Settings};
use serde_json::json;
use std::io;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// The log at its default level, from here until the guard is dropped.
    fn written() -> (Self, tracing::subscriber::DefaultGuard) {
        let lines = Self::default();
        let written = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::INFO)
            .with_ansi(false)
            .with_writer(move || written.clone())
            .finish();
        (lines, tracing::subscriber::set_default(subscriber))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

#[tokio::test]
async fn an_unknown_path_is_not_logged() {
    let (lines, _guard) = Lines::written();
    let gateway = Gateway::new();

    gateway.post("/api/users", &[], "{").await;
    for path in ["/nao-existe", "/api/nao-existe", "/webhooks/nao-existe"] {
        assert_eq!(gateway.get(path, &[]).await.status, 404);
    }
    gateway.rpc("application/grpc", "nada.Existe/Aqui", &[], &()).await;

    let log = lines.text();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("POST /api/users 400"), "{log}");
}

#[tokio::test]
async fn a_page_error_is_logged_in_one_line_that_the_browser_cannot_forge() {
    let (lines, _guard) = Lines::written();
    let error = json!({
        "release": "x\n2026-01-01T00:00:00Z  INFO forged",
        "path": "/planos?email=ana@exemplo.com.br",
        "error": "quebrou\n2026-01-01T00:00:00Z  INFO forged \u{1b}[31m \u{202e} ana@exemplo.com.br\n\
            at a (https://garimpo.example/login?code=abc123:1:2)\n{\"level\":\"INFO\"}",
    });

    let answer = Gateway::new().post("/api/client-errors", &[("origin", HTTP)], &error.to_string()).await;

    assert_eq!(answer.status, 202);
    let log = lines.text();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("a page broke") && log.contains(r#"route="other" error="quebrou | "#), "{log}");
    for hidden in ["ana@", "abc123", "\u{202e}", "x\\n2026"] {
        assert!(!log.contains(hidden), "{hidden}: {log}");
    }
}

#[tokio::test]
async fn a_page_error_is_labelled_with_route_and_release_only_if_this_build_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let page = |path: &str| json!({"path": path, "canonical": "/planos", "file": "planos.html"});
    let routes = json!({"release": "site-Cu35oAmy.js", "notFound": {"file": "404.html"},
        "routes": [page("/planos"), page("/selecionar-plano")]});
    std::fs::write(folder.path().join("routes.json"), routes.to_string()).unwrap();
    let site = Files::Folder(folder.path().to_owned());
    let gateway = Gateway::with(Settings { site, ..settings(HTTP) });
    for (release, path, labels) in [
        ("site-Cu35oAmy.js", "/selecionar-plano/", r#"release="site-Cu35oAmy.js" route="/planos""#),
        ("de-ontem", "/planos", r#"release="other" route="/planos""#),
        ("site-Cu35oAmy.js", "/inventada", r#"release="site-Cu35oAmy.js" route="other""#),
    ] {
        let (lines, _guard) = Lines::written();
        let error = json!({"release": release, "path": path, "error": "TypeError: x"});
        gateway.post("/api/client-errors", &[("origin", HTTP)], &error.to_string()).await;
        assert!(lines.text().contains(labels), "{labels}: {}", lines.text());
    }
}
