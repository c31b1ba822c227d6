//! A TCP link between the product and the sandbox that a scenario can break: then connections are
//! refused.

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A link from one local address to another. Dropping it closes its connections.
pub struct TcpLink {
    near: String,
    far: String,
    tasks: JoinSet<()>,
}

impl TcpLink {
    /// Starts a link to `far` from a free address.
    pub async fn start(far: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let near = listener.local_addr().expect("an address").to_string();
        let mut tasks = JoinSet::new();
        tasks.spawn(forward(listener, far.to_owned()));
        Self { near, far: far.to_owned(), tasks }
    }

    /// The link's local address, `http://host:port`.
    pub fn url(&self) -> String {
        format!("http://{}", self.near)
    }

    /// Closes all connections and refuses new ones.
    pub async fn disconnect(&mut self) {
        self.tasks.shutdown().await;
    }

    /// Accepts connections again.
    pub async fn reconnect(&mut self) {
        let listener = TcpListener::bind(&self.near).await.expect("the address is free again");
        self.tasks.spawn(forward(listener, self.far.clone()));
    }
}

async fn forward(listener: TcpListener, far: String) {
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
