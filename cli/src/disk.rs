//! Room on a disk.

use std::path::Path;

use rustix::fs::statvfs;

#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Bytes that an unprivileged process may still write.
    pub available_bytes: u64,
    pub size_bytes: u64,
}

/// The room on a folder's disk; `None` if the folder does not exist.
pub fn room(folder: &Path) -> Option<Room> {
    let disk = statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    Some(Room { available_bytes: bytes(disk.f_bavail), size_bytes: bytes(disk.f_blocks) })
}
