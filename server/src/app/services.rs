//! The services of each port, and the largest messages that they accept.

use std::sync::{Arc, LazyLock};

use garimpo_proto::auth::v1::auth_service_server::AuthServiceServer;
use garimpo_proto::billing::v1::billing_service_server::BillingServiceServer;
use garimpo_proto::billing::v1::entitlement_service_server::EntitlementServiceServer;
use garimpo_proto::tracking::v1::tracking_service_server::TrackingServiceServer;
use garimpo_proto::users::v1::user_service_server::UserServiceServer;
use garimpo_proto::{Handlers, Services};
use tonic::service::Routes;
use tower::ServiceExt as _;

use super::App;
use super::caller_layer::CallerLayer;
use crate::auth::AuthService;
use crate::billing::{BillingApi, EntitlementApi, WebhookApi};
use crate::users::UserService;

/// Largest request message, in bytes, on both ports.
pub(super) const MAX_MESSAGE: usize = 64 * 1024;
/// Largest request with uids, in bytes: 1,000 uids of 128 bytes each.
const MAX_UIDS: usize = 144 * 1024;

impl App {
    /// The services for the gateway's direct calls.
    pub fn services(&self) -> Services {
        let handlers = Handlers {
            auth: Arc::new(self.auth_service()),
            users: Arc::new(self.user_service()),
            billing: Arc::new(self.billing_api()),
            tracking: Arc::new(self.tracking.clone()),
            webhooks: Arc::new(WebhookApi::new(self.billing.events.clone())),
        };
        Services::new(handlers, Arc::new(self.caller_layer()))
    }

    fn caller_layer(&self) -> CallerLayer {
        let (sessions, clock) = (self.sessions.clone(), self.context.clock.clone());
        CallerLayer { sessions, clock, ids: self.context.ids.clone() }
    }

    fn billing_api(&self) -> BillingApi {
        BillingApi::new(self.billing.clone(), self.limits.clone())
    }

    fn auth_service(&self) -> AuthService {
        AuthService {
            store: self.context.store.clone(),
            clock: self.context.clock.clone(),
            ids: self.context.ids.clone(),
            identity: self.identity.clone(),
            sessions: self.sessions.clone(),
            limits: self.limits.clone(),
            audit: self.audit.clone(),
            password_policy: self.password_policy.clone(),
            captcha: self.captcha.clone(),
        }
    }

    fn user_service(&self) -> UserService {
        UserService {
            store: self.context.store.clone(),
            billing: self.billing.clone(),
            sessions: self.sessions.clone(),
            identity: self.identity.clone(),
            limits: self.limits.clone(),
            audit: self.audit.clone(),
        }
    }

    /// The services that both ports serve, for encoded calls.
    fn shared_routes(&self) -> Routes {
        let auth = AuthServiceServer::new(self.auth_service());
        let users = UserServiceServer::new(self.user_service());
        let billing = BillingServiceServer::new(self.billing_api());
        let tracking = TrackingServiceServer::new(self.tracking.clone());
        Routes::new(auth.max_decoding_message_size(MAX_MESSAGE))
            .add_service(users.max_decoding_message_size(MAX_MESSAGE))
            .add_service(billing.max_decoding_message_size(MAX_MESSAGE))
            .add_service(tracking.max_decoding_message_size(MAX_MESSAGE))
    }

    /// The services of the public port, for encoded calls whose caller the gateway has read.
    pub fn public_routes(&self) -> Routes {
        Routes::from(self.shared_routes().into_axum_router().layer(self.caller_layer()))
    }

    /// The services of the internal port, for programs with a token.
    pub fn internal_routes(&self) -> Routes {
        let entitlement = EntitlementServiceServer::new(EntitlementApi::new(
            self.billing.entitlements.clone(),
            self.feed.clone(),
            self.sessions.clone(),
        ));
        let routes = self.add_health_and_reflection(self.shared_routes());
        let routes = routes.add_service(entitlement.max_decoding_message_size(MAX_UIDS));
        Routes::from(routes.into_axum_router().layer(self.caller_layer()))
    }

    fn add_health_and_reflection(&self, routes: Routes) -> Routes {
        let health = tonic_health::server::HealthService::from_health_reporter(self.health.clone());
        let health = tonic_health::pb::health_server::HealthServer::new(health);
        let reflection = tower::service_fn(|request| REFLECTION.clone().oneshot(request));
        let router = routes.add_service(health).into_axum_router();
        Routes::from(
            router
                .route_service("/grpc.reflection.v1.ServerReflection/{*method}", reflection)
                .route_service("/grpc.reflection.v1alpha.ServerReflection/{*method}", reflection),
        )
    }
}

/// Reflection of the internal port. The decoded descriptors take megabytes, so they are made at the
/// first call.
static REFLECTION: LazyLock<Routes> = LazyLock::new(|| {
    const OURS: &str = "the descriptors that this program was built with are readable";
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(garimpo_proto::INTERNAL_DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    Routes::new(reflection().build_v1().expect(OURS)).add_service(reflection().build_v1alpha().expect(OURS))
});
