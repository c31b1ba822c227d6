//! The wire between the product and the world outside, which a scenario can cut: then connections
//! are refused.

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A wire from one local address to another. What runs over it ends with it.
pub struct Wire {
    near: String,
    far: String,
    laid: JoinSet<()>,
}

impl Wire {
    /// Lays a wire to `far`, from a free address.
    pub async fn lay(far: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let near = listener.local_addr().expect("an address").to_string();
        let mut laid = JoinSet::new();
        laid.spawn(carry(listener, far.to_owned()));
        Self { near, far: far.to_owned(), laid }
    }

    /// Where it begins, `http://host:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.near)
    }

    /// Breaks what runs over it and refuses new connections.
    pub async fn cut(&mut self) {
        self.laid.shutdown().await;
    }

    /// Takes connections again.
    pub async fn mend(&mut self) {
        let listener = TcpListener::bind(&self.near).await.expect("the address is free again");
        self.laid.spawn(carry(listener, self.far.clone()));
    }
}

async fn carry(listener: TcpListener, far: String) {
    let mut running = JoinSet::new();
    while let Ok((mut near, _)) = listener.accept().await {
        let far = far.clone();
        running.spawn(async move {
            if let Ok(mut far) = TcpStream::connect(far).await {
                let _ = copy_bidirectional(&mut near, &mut far).await;
            }
        });
    }
}
