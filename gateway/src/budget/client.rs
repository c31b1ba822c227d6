//! Clients by address.

use std::net::{IpAddr, Ipv6Addr};

/// The holder of a share: an IPv4 address, or an IPv6 /64 with the /48 around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Client {
    pub own: Prefix,
    pub network: Option<Prefix>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Prefix {
    V4(u32),
    V6(u128, u32),
}

impl From<IpAddr> for Client {
    /// An IPv4-mapped address counts as IPv4.
    fn from(address: IpAddr) -> Self {
        let prefix = |address: Ipv6Addr, bits: u32| Prefix::V6(address.to_bits() >> (128 - bits), bits);
        match address.to_canonical() {
            IpAddr::V4(address) => Self { own: Prefix::V4(address.to_bits()), network: None },
            IpAddr::V6(address) => Self { own: prefix(address, 64), network: Some(prefix(address, 48)) },
        }
    }
}

impl Client {
    /// Prefix by which evictions compare clients: the /48, because one customer can get a whole
    /// one, or the IPv4 address.
    pub fn group(self) -> Prefix {
        self.network.unwrap_or(self.own)
    }
}
