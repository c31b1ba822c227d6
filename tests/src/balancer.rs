//! A load balancer in front of nodes that checks their readiness.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Interval of the readiness checks. A draining node serves for longer than that.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Forwards each new connection to a ready node, in turn.
pub struct Balancer {
    url: String,
    backends: Arc<Mutex<Vec<Arc<Backend>>>>,
    looks: JoinSet<()>,
    _accepting: JoinSet<()>,
}

struct Backend {
    address: String,
    ready: AtomicBool,
}

impl Balancer {
    /// Listens, without a node yet.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let backends: Arc<Mutex<Vec<Arc<Backend>>>> = Arc::default();
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, backends.clone()));
        Self { url, backends, looks: JoinSet::new(), _accepting: accepting }
    }

    /// Address for visitors and for the provider.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Adds a node, by the addresses of its public port and of its metrics.
    pub fn adds(&mut self, public: &str, metrics: &str) {
        let address = public.trim_start_matches("http://").to_string();
        let backend = Arc::new(Backend { address, ready: AtomicBool::new(true) });
        self.backends.lock().expect("no holder panics").push(backend.clone());
        self.looks.spawn(look(backend, format!("{metrics}/readyz")));
    }
}

async fn look(backend: Arc<Backend>, readyz: String) {
    let client = crate::http::client();
    loop {
        let answer = client.get(&readyz).timeout(Duration::from_secs(2)).send().await;
        let ready = answer.is_ok_and(|answer| answer.status().is_success());
        backend.ready.store(ready, Ordering::Relaxed);
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

async fn accept(listener: TcpListener, backends: Arc<Mutex<Vec<Arc<Backend>>>>) {
    let turn = AtomicUsize::new(0);
    while let Ok((mut visitor, _)) = listener.accept().await {
        let mut ready = backends.lock().expect("no holder panics").clone();
        ready.retain(|backend| backend.ready.load(Ordering::Relaxed));
        if ready.is_empty() {
            continue;
        }
        let first = turn.fetch_add(1, Ordering::Relaxed) % ready.len();
        ready.rotate_left(first);
        tokio::spawn(async move {
            for backend in ready {
                if let Ok(mut stream) = TcpStream::connect(&backend.address).await {
                    let _ = copy_bidirectional(&mut visitor, &mut stream).await;
                    return;
                }
            }
        });
    }
}
