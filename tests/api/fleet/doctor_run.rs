//! The doctor's hourly run in a fleet.

use e2e::fleet::Fleet;

use super::fleet;

const LAST_RUN: &str = "garimpo_doctor_last_run_timestamp_seconds";
const JOBS_PARKED: &str = r#"garimpo_doctor_findings{invariant="jobs_parked"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn one_server_of_the_fleet_runs_the_doctor_and_all_report_its_findings() {
    let settings = [("GARIMPO_LOG", "info,garimpo_server::queue=debug")];
    let fleet = fleet!(Fleet::start_with(2, &settings));
    let whole =
        async |server: usize, name: &str| fleet.nodes[server].gauge(name).await.map(|value| value as u64);
    let last_runs = async || {
        let (one, other) = (whole(0, LAST_RUN).await?, whole(1, LAST_RUN).await?);
        (one > 0 && one == other).then_some(one)
    };
    let runs = || {
        let logs = fleet.nodes.iter().map(|server| server.process.log_text());
        logs.map(|log| log.matches("doctor done, to be run again").count()).sum::<usize>()
    };
    e2e::eventually("the first run on both servers", last_runs).await;
    fleet.wait_until_idle().await;
    let before = runs();

    fleet
        .executes(
            "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, priority)
         VALUES ('mail', 'plantado', '{}', 'parked', 0, 20, 1, 8)",
        )
        .await;
    fleet.executes("UPDATE doctor_findings SET ran_at_us = 1000000").await;
    fleet.executes("UPDATE jobs SET due_at_us = 0 WHERE kind = 'doctor'").await;

    for server in 0..2 {
        let found = async || whole(server, JOBS_PARKED).await.filter(|findings| *findings > 0);
        assert_eq!(e2e::eventually("the finding", found).await, 1);
    }
    e2e::eventually("the same run on both servers", last_runs).await;
    assert_eq!(runs(), before + 1);
}
