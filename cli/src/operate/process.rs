//! Metrics of the process, by the names of Prometheus's client libraries, and of its disk.

use std::path::PathBuf;
use std::time::Duration;

use garimpo_server::clock::{Clock as _, SystemClock};
use garimpo_server::store::engine::copies::{Copies, ExpectedCopy};

use crate::disk;

const CPU_SECONDS: &str = "process_cpu_seconds_total";
const RESIDENT_BYTES: &str = "process_resident_memory_bytes";
const VIRTUAL_BYTES: &str = "process_virtual_memory_bytes";
const OPEN_FDS: &str = "process_open_fds";
const MAX_FDS: &str = "process_max_fds";
const THREADS: &str = "process_threads";
const DISK_AVAILABLE: &str = "garimpo_disk_available_bytes";
const DISK_SIZE: &str = "garimpo_disk_size_bytes";
const BACKUP_AGE: &str = "garimpo_backup_age_seconds";
const REPLICA_LAG: &str = "garimpo_replica_lag_seconds";
const COPIES_INTERVAL: Duration = Duration::from_secs(15);
const DISK_INTERVAL: Duration = Duration::from_secs(15);
/// Interval until the data folder exists.
const DISK_RETRY: Duration = Duration::from_secs(1);

pub(super) fn describe() {
    metrics::describe_counter!(CPU_SECONDS, "User and system CPU time of the process, in whole seconds.");
    metrics::describe_gauge!(RESIDENT_BYTES, "Resident memory of the process, in bytes.");
    metrics::describe_gauge!(VIRTUAL_BYTES, "Virtual memory of the process, in bytes.");
    metrics::describe_gauge!(OPEN_FDS, "Open file descriptors of the process, sockets included.");
    metrics::describe_gauge!(MAX_FDS, "File descriptors that the process may open; 0 without a limit.");
    metrics::describe_gauge!(THREADS, "Threads of the process.");
    metrics::describe_gauge!(
        DISK_AVAILABLE,
        "Bytes that the process may still write on the data folder's disk."
    );
    metrics::describe_gauge!(
        BACKUP_AGE,
        "Age of the newest backup in GARIMPO_BACKUP_DIR, in seconds; infinite without one."
    );
    metrics::describe_gauge!(
        REPLICA_LAG,
        "Seconds since the replica had every write; infinite if it never had."
    );
    metrics::describe_gauge!(DISK_SIZE, "Size of the data folder's disk, in bytes.");
}

/// Reads the process's figures from the kernel, at each scrape. Its start is set elsewhere, once:
/// the kernel's start depends on a clock that NTP corrects, and would look like a restart.
#[cfg(target_os = "linux")]
pub(super) fn sample() {
    let Ok(process) = procfs::process::Process::myself() else { return };
    if let Ok(stat) = process.stat() {
        let ticks = stat.utime + stat.stime;
        metrics::counter!(CPU_SECONDS).absolute(ticks / procfs::ticks_per_second());
        metrics::gauge!(RESIDENT_BYTES).set(gauge(stat.rss * procfs::page_size()));
        metrics::gauge!(VIRTUAL_BYTES).set(gauge(stat.vsize));
        metrics::gauge!(THREADS).set(gauge(stat.num_threads as u64));
    }
    if let Ok(open) = process.fd_count() {
        metrics::gauge!(OPEN_FDS).set(gauge(open as u64));
    }
    if let Ok(limits) = process.limits() {
        metrics::gauge!(MAX_FDS).set(soft_limit(limits.max_open_files.soft_limit));
    }
}

#[cfg(target_os = "linux")]
fn soft_limit(limit: procfs::process::LimitValue) -> f64 {
    match limit {
        procfs::process::LimitValue::Value(number) => gauge(number),
        procfs::process::LimitValue::Unlimited => 0.0,
    }
}

/// Other systems have no `/proc`.
#[cfg(not(target_os = "linux"))]
pub(super) fn sample() {}

#[expect(clippy::cast_precision_loss, reason = "exact up to 8 PiB")]
fn gauge(number: u64) -> f64 {
    number as f64
}

/// Measures the disk for ever, beside the scrapes, because a network disk may hang.
pub(super) async fn watch_disk(folder: PathBuf) {
    loop {
        let asked = folder.clone();
        let room = tokio::task::spawn_blocking(move || disk::room(&asked)).await.ok().flatten();
        if let Some(room) = room {
            metrics::gauge!(DISK_AVAILABLE).set(gauge(room.available_bytes));
            metrics::gauge!(DISK_SIZE).set(gauge(room.size_bytes));
        }
        tokio::time::sleep(if room.is_some() { DISK_INTERVAL } else { DISK_RETRY }).await;
    }
}

/// Measures for ever how old the copies of the embedded database are.
pub(super) async fn watch_copies(copies: Copies) {
    let seconds = |copy: ExpectedCopy| copy.age.map_or(f64::INFINITY, |age| age.as_secs_f64());
    loop {
        let asked = copies.clone();
        let read = move || [asked.backup(SystemClock.now()), asked.replica(SystemClock.now())];
        if let Ok(found) = tokio::task::spawn_blocking(read).await {
            for (name, copy) in [BACKUP_AGE, REPLICA_LAG].into_iter().zip(found) {
                if let Some(copy) = copy {
                    metrics::gauge!(name).set(seconds(copy));
                }
            }
        }
        tokio::time::sleep(COPIES_INTERVAL).await;
    }
}
