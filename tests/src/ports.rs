//! Fixed ports for processes that restart, or whose address other processes know before the start.

use std::net::TcpListener;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

/// A free address below the system's ephemeral ports, so that no other process takes it before its
/// owner starts or while it restarts.
pub fn free_address() -> String {
    const FIRST: u16 = 10_000;
    const BLOCK: u16 = 500;
    const BLOCKS: u16 = 44;
    /// Listens at the first port of the run's block, so that no other run uses the block.
    static HELD: OnceLock<TcpListener> = OnceLock::new();
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let held = HELD.get_or_init(|| {
        let mut blocks = (0..BLOCKS).map(|block| ("127.0.0.1", FIRST + block * BLOCK));
        blocks.find_map(|first| TcpListener::bind(first).ok()).expect("a block of ports is free")
    });
    let first = held.local_addr().expect("a bound port").port();
    loop {
        let address = format!("127.0.0.1:{}", first + 1 + NEXT.fetch_add(1, Ordering::Relaxed) % (BLOCK - 1));
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}
