//! How many connections one address may hold.

use ipnet::IpNet;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Open connections of one address; further ones are closed at once.
const MOST: usize = 128;

/// Open connections by address.
#[derive(Clone)]
pub struct Peers {
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
    most: usize,
    is_counted: Arc<dyn Fn(IpAddr) -> bool + Send + Sync>,
}

/// A connection that is counted until it is dropped.
pub struct Guest {
    peers: Peers,
    address: Option<IpAddr>,
}

impl Peers {
    /// On a port of our own machines nobody is counted.
    pub fn ours() -> Self {
        Self::new(0, |_| false)
    }

    /// On a port for everybody all are counted but this machine and the proxies, which speak for many people each.
    pub fn everybody(proxies: &[IpNet]) -> Self {
        let proxies = proxies.to_vec();
        Self::new(MOST, move |peer| {
            let peer = peer.to_canonical();
            !peer.is_loopback() && !proxies.iter().any(|net| net.contains(&peer))
        })
    }

    fn new(most: usize, is_counted: impl Fn(IpAddr) -> bool + Send + Sync + 'static) -> Self {
        Self { open: Arc::default(), most, is_counted: Arc::new(is_counted) }
    }

    /// Counts a connection; `None` when its address holds as many as it may.
    pub fn take(&self, address: IpAddr) -> Option<Guest> {
        if !(self.is_counted)(address) {
            return Some(Guest { peers: self.clone(), address: None });
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let held = open.entry(address).or_default();
        if *held >= self.most {
            return None;
        }
        *held += 1;
        Some(Guest { peers: self.clone(), address: Some(address) })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let Some(address) = self.address else { return };
        let mut open = self.peers.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = open.get_mut(&address) {
            *held -= 1;
            if *held == 0 {
                open.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn um_endereco_tem_tantas_conexoes_e_quem_nao_conta_tem_quantas_quiser() {
        let [one, other, proxy] = ["203.0.113.1", "203.0.113.2", "10.0.0.1"].map(|a| a.parse().unwrap());
        let peers = Peers::new(2, move |address| address != proxy);

        let held = [peers.take(one), peers.take(one)];
        assert!(held.iter().all(Option::is_some) && peers.take(one).is_none());
        assert!(peers.take(other).is_some());
        assert!((0..9).map(|_| peers.take(proxy)).collect::<Vec<_>>().iter().all(Option::is_some));

        drop(held);
        assert!(peers.take(one).is_some());
        assert!(peers.open.lock().unwrap().is_empty(), "nobody is remembered who holds nothing");
    }
}
