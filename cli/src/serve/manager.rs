//! Reports to the service manager: the process is ready, the process stops (NOTIFY_SOCKET,
//! `Type=notify`).

use std::time::Duration;

use garimpo_gateway::Ready;
use sd_notify::NotifyState;

/// Interval between two checks of readiness.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// After so long a start is reported as done, because a restart by the manager repairs neither a
/// database nor a network.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// Waits until the process is ready, but no longer than this.
pub async fn wait_until_ready(limit: Duration, ready: Ready) {
    let is_ready = async {
        while !ready() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    let _ = tokio::time::timeout(limit, is_ready).await;
}

/// Reports the start as done once the process is ready; never returns.
pub async fn report_ready(ready: Ready) {
    wait_until_ready(READY_WITHIN, ready).await;
    report(&NotifyState::Ready);
    std::future::pending::<()>().await;
}

/// Reports that the process stops.
pub fn report_stopping() {
    report(&NotifyState::Stopping);
}

fn report(state: &NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(std::slice::from_ref(state)) {
        tracing::warn!(%error, "the service manager was not notified of {state}");
    }
}
