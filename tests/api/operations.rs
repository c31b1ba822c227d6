//! The operator's tools: health, readiness, metrics, reflection, both gRPC ports, logs, commands.

mod adoption;
mod anonymous_clients;
mod attribution;
mod backup_under_load;
mod backups;
mod commands;
mod database_roles;
mod doctor;
mod installation;
mod log;
mod lost_disks;
mod mail_and_reports;
mod pgbouncer;
mod provider;
mod restore;
mod revenue;
mod subscriber;

use e2e::app::channel;
use e2e::{App, Person};
use garimpo_proto::auth::v1::GetSessionRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;

#[tokio::test]
async fn health_readiness_and_documented_metrics_are_served_on_the_metrics_port() {
    let app = App::start().await;
    app.visitor().signs_up(&Person::new()).await;

    for path in ["/healthz", "/readyz"] {
        let answer = reqwest::get(format!("{}{path}", app.metrics_url())).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
    }
    let url = format!("{}/metrics", app.metrics_url());
    // The gauges of the queue are measured every few seconds and set one by one, the mail is sent
    // by a job, and a call may wait for a connection at this moment.
    let queue = [
        r#"garimpo_jobs{kind="mail",state="parked"} 0"#,
        r#"garimpo_oldest_job_seconds{kind="payment_event"} "#,
        r#"garimpo_jobs_unreadable_total{column="payload"} 0"#,
    ];
    let metrics = e2e::eventually("the gauges of the queue, the mail, and no waiting call", || async {
        let text = reqwest::get(&url).await.unwrap().text().await.unwrap();
        let shown = ["mail_send", "garimpo_database_calls_waiting 0\n"];
        queue.iter().chain(&shown).all(|part| text.contains(part)).then_some(text)
    })
    .await;
    for series in [
        "garimpo_refunds_due 0",
        "garimpo_provider_losses 0",
        "garimpo_reconciliation_stopped 0",
        "garimpo_selling_stopped 0",
        "garimpo_dispute_answer_by_timestamp_seconds 0",
        "garimpo_inquiry_answer_by_timestamp_seconds 0",
        "garimpo_store_commits_total ",
        "garimpo_store_jobs_total ",
        r#"garimpo_provider_requests_total{call="mail_send",outcome="ok"} "#,
        "garimpo_provider_circuit_open 0",
        "garimpo_password_hashes_running 0",
        "garimpo_password_hashes_max ",
        r#"garimpo_budget_limit{budget="connections"} 4096"#,
        "garimpo_provider_budget_fleet_calls_per_second 1000",
        r#"garimpo_database_connections{state="idle"} "#,
        r#"garimpo_database_connections{state="in_use"} "#,
        "garimpo_panics_total 0",
        "garimpo_build_info{version=",
        "garimpo_disk_available_bytes ",
        "garimpo_disk_size_bytes ",
        "process_cpu_seconds_total ",
        "process_max_fds ",
        "process_open_fds ",
        "process_resident_memory_bytes ",
        "process_start_time_seconds ",
        "process_threads ",
        "process_virtual_memory_bytes ",
        r#"garimpo_rpc_requests_total{rpc="garimpo.auth.v1.AuthService/SignUp",code="Ok"} 1"#,
        r#"garimpo_gateway_rpc_requests_total{rpc="garimpo.auth.v1.AuthService/SignUp",code="Ok"} 1"#,
    ] {
        assert!(metrics.lines().any(|line| line.starts_with(series)), "{series} is missing:\n{metrics}");
    }
    let pool = if app.database_url().is_some() { 12 } else { 0 };
    assert!(metrics.contains(&format!("garimpo_database_connections_max {pool}\n")), "{metrics}");
    let waits = metrics.contains("garimpo_database_connection_wait_duration_seconds_count");
    assert_eq!(waits, app.database_url().is_some(), "{metrics}");
    let page = include_str!("../../docs/operation.md");
    for name in metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()) {
        let short = name.replace("garimpo_gateway", "…");
        assert!(page.contains(name) || page.contains(&short), "docs/operation.md lacks {name}");
    }
}

#[tokio::test]
async fn invented_paths_and_methods_become_no_metric_series() {
    let app = App::start().await;
    let ana = app.visitor();
    ana.calls("GET", "/api/nada-disso?segredo=1", None).await;
    ana.calls("GET", "/pagina-inventada", None).await;
    ana.calls("GET", "/api/users/usr_inventado", None).await;
    ana.calls("INVENTADO", "/api/users", None).await;

    let url = format!("{}/metrics", app.metrics_url());
    let metrics = reqwest::get(&url).await.unwrap().text().await.unwrap();

    for invented in ["nada-disso", "segredo", "inventad", "INVENTADO"] {
        assert!(!metrics.contains(invented), "{invented}:\n{metrics}");
    }
    for series in [
        r#"garimpo_gateway_http_requests_total{route="/api/{*path}",method="GET",status="404"} 1"#,
        r#"garimpo_gateway_http_requests_total{route="not-found",method="GET",status="404"} 1"#,
        r#"garimpo_gateway_http_requests_total{route="/api/users/{uid}",method="GET",status="401"} 1"#,
        r#"garimpo_gateway_http_requests_total{route="/api/users",method="other",status="405"} 1"#,
    ] {
        assert!(metrics.contains(series), "{series} is missing:\n{metrics}");
    }
}

#[tokio::test]
async fn the_internal_port_serves_the_public_services_by_token() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let mut auth = AuthServiceClient::new(channel(app.internal_url()).await);
    let seen = auth.get_session(ana.authorized(GetSessionRequest {})).await.unwrap().into_inner();

    assert!(seen.authenticated);
    assert_eq!(seen.user.unwrap().uid, ana.uid);
}
