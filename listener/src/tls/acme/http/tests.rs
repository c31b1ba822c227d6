use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;

/// An authority over TLS that sends the same bytes to each request.
struct Authority {
    origin: String,
    requests: Arc<AtomicUsize>,
    folder: TempDir,
}

impl Authority {
    async fn start(response: impl Into<Vec<u8>>) -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("root.pem"), cert.pem()).unwrap();
        let config = rustls::ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], PrivateKeyDer::from(signing_key))
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("https://localhost:{}", listener.local_addr().unwrap().port());
        let requests = Arc::new(AtomicUsize::new(0));
        let (count, response) = (requests.clone(), response.into());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let _ = stream.read(&mut [0; 4096]).await;
                count.fetch_add(1, Ordering::Relaxed);
                // The client may close the connection before the end of a response.
                let _ = stream.write_all(&response).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { origin, requests, folder }
    }

    /// Sends a request to a URL as an order does, trusting this authority.
    async fn get(&self, url: &str) -> Result<BytesResponse, Error> {
        let settings = AcmeSettings {
            email: "ola@garimpo.example".to_owned(),
            directory: format!("{}/dir", self.origin),
            ca: Some(self.folder.path().join("root.pem")),
            host: "garimpo.example".to_owned(),
        };
        let request = ::http::Request::get(url).body(BodyWrapper::default()).unwrap();
        Http::new(&settings).unwrap().request(request).await
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_redirect_of_the_authority_is_not_followed() {
    let other = Authority::start("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let redirect = format!("HTTP/1.1 307 x\r\nlocation: {}/dir\r\ncontent-length: 0\r\n\r\n", other.origin);
    let authority = Authority::start(redirect).await;

    let response = authority.get(&format!("{}/dir", authority.origin)).await.unwrap();

    assert_eq!(response.parts.status, 307);
    assert_eq!((authority.requests(), other.requests()), (1, 0));
}

#[tokio::test]
async fn a_response_of_the_authority_beyond_a_mebibyte_is_refused() {
    for (bytes, is_read) in [(MAX_RESPONSE, true), (MAX_RESPONSE + 1, false)] {
        let mut response = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_vec();
        response.resize(response.len() + bytes, b'a');
        let authority = Authority::start(response).await;

        let response = authority.get(&format!("{}/dir", authority.origin)).await;

        assert_eq!(response.is_ok(), is_read, "{bytes} bytes");
        assert_eq!(authority.requests(), 1);
    }
}

#[tokio::test]
async fn the_authority_is_called_over_https_alone() {
    let authority = Authority::start("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let plain = authority.origin.replacen("https", "http", 1);

    assert!(authority.get(&plain).await.is_err());
    assert_eq!(authority.requests(), 0);
}
