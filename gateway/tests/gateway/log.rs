//! Lines of the log at its default level.

use crate::support::Gateway;
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

#[tokio::test]
async fn caminho_que_nao_existe_nao_deixa_linha_no_registro() {
    let lines = Lines::default();
    let written = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::INFO)
        .with_writer(move || written.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let gateway = Gateway::new();

    gateway.post("/api/users", &[], "{").await;
    for path in ["/nao-existe", "/api/nao-existe", "/webhooks/nao-existe"] {
        assert_eq!(gateway.get(path, &[]).await.status, 404);
    }
    gateway.rpc("application/grpc", "nada.Existe/Aqui", &[], &()).await;

    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("POST /api/users 400"), "{log}");
}
