//! Listening sockets that systemd opened before this process and keeps open after it.
//!
//! While no process accepts, the kernel keeps connections in the backlog of such a socket, so a
//! restart refuses none.

use std::io;
use std::net::TcpListener;

use listenfd::ListenFd;
use socket2::SockRef;

use crate::config::PassedSocket;

/// The sockets by their names; each is taken where it takes the place of a bound port.
#[derive(Debug, Default)]
pub struct Sockets(Vec<(String, Option<TcpListener>)>);

impl Sockets {
    /// Takes the sockets that are for this process (LISTEN_PID), and removes the variables, so that
    /// no child takes them. It must run before the process has a second thread.
    pub fn inherited(names: Option<&str>) -> io::Result<Self> {
        let count = sd_notify::listen_fds()?.len();
        let mut passed = ListenFd::from_env();
        // Sockets of another process have names too, which sd_notify::listen_fds_with_names
        // refuses.
        let names = names.filter(|_| count > 0).unwrap_or_default();
        let names: Vec<_> = names.split(':').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if names.len() != count {
            return Err(io::Error::other("LISTEN_FDNAMES has not as many names as there are sockets"));
        }
        // Any other kind of socket is kept without a listener, so that it is refused by its name.
        let mut listener = |at| passed.take_tcp_listener(at).ok().flatten().filter(is_listening);
        Ok(Self(names.into_iter().enumerate().map(|(at, name)| (name, listener(at))).collect()))
    }

    /// Their names and addresses, for the checks of the settings.
    pub fn passed(&self) -> Vec<PassedSocket> {
        let address = |listener: &TcpListener| listener.local_addr().ok();
        let passed = |(name, listener): &(String, Option<TcpListener>)| PassedSocket {
            name: name.clone(),
            address: listener.as_ref().and_then(address),
        };
        self.0.iter().map(passed).collect()
    }

    /// The socket of a name.
    pub fn take(&mut self, name: &str) -> Option<TcpListener> {
        self.0.iter_mut().find(|(known, _)| known == name)?.1.take()
    }
}

fn is_listening(listener: &TcpListener) -> bool {
    SockRef::from(listener).is_listener().unwrap_or_default()
}
