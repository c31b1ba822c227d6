//! What an operator looks at: health, readiness, metrics, reflection, both gRPC ports.

use e2e::app::channel;
use e2e::{App, Person};
use garimpo_proto::auth::v1::GetSessionRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1::GetEntitlementsRequest;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;

#[tokio::test]
async fn saude_prontidao_e_metricas_respondem_na_porta_delas() {
    let app = App::start().await;
    app.visitor().signs_up(&Person::new()).await;

    for path in ["/healthz", "/readyz"] {
        let answer = reqwest::get(format!("{}{path}", app.metrics_url())).await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
    }
    let url = format!("{}/metrics", app.metrics_url());
    // The gauges of the queue are taken every few seconds.
    let metrics = e2e::eventually("the gauges of the queue", || async {
        let text = reqwest::get(&url).await.unwrap().text().await.unwrap();
        text.contains("garimpo_jobs{").then_some(text)
    })
    .await;
    for name in ["garimpo_store_commits_total", "garimpo_oldest_job_seconds{", "garimpo_panics_total 0"] {
        assert!(metrics.contains(name), "{name} is missing:\n{metrics}");
    }
}

#[tokio::test]
async fn a_porta_interna_serve_os_mesmos_servicos_publicos_por_token() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let mut auth = AuthServiceClient::new(channel(app.internal_url()).await);
    let seen = auth.get_session(ana.authorized(GetSessionRequest {})).await.unwrap().into_inner();

    assert!(seen.authenticated);
    assert_eq!(seen.user.unwrap().uid, ana.uid);
}

#[tokio::test]
async fn entitlements_existe_na_porta_interna_e_ainda_nao_e_servido() {
    let app = App::start().await;

    let mut service = EntitlementServiceClient::new(channel(app.internal_url()).await);
    let refused = service.get_entitlements(GetEntitlementsRequest { uid: "usr_x".into() }).await.unwrap_err();

    assert!(
        matches!(refused.code(), tonic::Code::Unimplemented | tonic::Code::Unauthenticated),
        "{refused:?}"
    );
}

#[tokio::test]
async fn o_log_nao_tem_email_telefone_senha_nem_token() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    ana.record().await;

    let log = app.log_text();

    for secret in [&person.email, &person.password, &person.phone_number, ana.id_token.as_ref().unwrap()] {
        assert!(!log.contains(secret.as_str()), "{secret} stands in the log:\n{log}");
    }
}
