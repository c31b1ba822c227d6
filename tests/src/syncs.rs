//! Counts the disk syncs of processes by strace.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::process::children_of;

/// Traces processes until it is dropped.
pub struct Syncs {
    tracer: Child,
    lines: PathBuf,
    _folder: TempDir,
}

impl Syncs {
    /// Traces these processes, their threads and their later children.
    pub async fn of(processes: &[u32]) -> Self {
        let folder = TempDir::with_prefix("garimpo-syncs-").expect("a folder");
        let lines = folder.path().join("lines");
        let errors = File::create(folder.path().join("errors")).expect("a file");
        let mut strace = Command::new("strace");
        strace.args(["-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range", "-o"]).arg(&lines);
        for process in processes {
            strace.args(["-p", &process.to_string()]);
        }
        let tracer = strace.stdin(Stdio::null()).stderr(errors).spawn();
        let mut tracer = tracer.expect("strace is installed: run tests/setup/strace.sh");
        crate::eventually("strace in every thread", || async {
            processes.iter().all(|process| is_traced(*process)).then_some(())
        })
        .await;
        assert!(tracer.try_wait().expect("it can be asked for").is_none(), "strace ended: may it trace?");
        Self { tracer, lines, _folder: folder }
    }

    /// Number of successful syncs. strace writes the line before the process continues.
    pub fn count(&self) -> usize {
        let text = std::fs::read_to_string(&self.lines).unwrap_or_default();
        text.lines().filter(|line| line.contains("sync") && line.ends_with("= 0")).count()
    }
}

impl Drop for Syncs {
    fn drop(&mut self) {
        // SIGTERM, on which strace detaches from its processes.
        let _ = Command::new("kill").arg(self.tracer.id().to_string()).status();
        let _ = self.tracer.wait();
    }
}

/// Whether every thread of a process has a tracer.
fn is_traced(process: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return true };
    threads.filter_map(Result::ok).all(|thread| {
        let status = std::fs::read_to_string(thread.path().join("status")).unwrap_or_default();
        status.lines().find_map(|line| line.strip_prefix("TracerPid:")).is_none_or(|pid| pid.trim() != "0")
    })
}

/// A process and its children.
pub fn with_children(process: u32) -> Vec<u32> {
    std::iter::once(process).chain(children_of(process)).collect()
}
