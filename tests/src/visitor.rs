//! A person or a program that calls the product.

use reqwest::Method;
use serde_json::{Value, json};

use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::auth::v1::{SignInRequest, SignUpRequest};
use garimpo_proto::billing::v1::billing_service_client::BillingServiceClient;
use garimpo_proto::billing::v1::{
    GetCheckoutSessionRequest, GetCheckoutSessionResponse, GetSubscriptionRequest, GetSubscriptionResponse,
};
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::app::channel;

/// The fields of the sign-up form.
#[derive(Clone, Debug)]
pub struct Person {
    pub email: String,
    pub password: String,
    pub display_name: String,
    pub phone_number: String,
}

impl Person {
    /// A person with a unique email.
    pub fn new() -> Self {
        Self {
            email: format!("ana.{:012x}@exemplo.com.br", rand::random::<u64>() >> 16),
            password: "segredo1".into(),
            display_name: "Ana Maria Souza".into(),
            phone_number: "11987654321".into(),
        }
    }

    /// The sign-up of this person.
    pub fn sign_up_form(&self) -> SignUpRequest {
        SignUpRequest {
            email: self.email.clone(),
            password: self.password.clone(),
            display_name: self.display_name.clone(),
            phone_number: self.phone_number.clone(),
            ..Default::default()
        }
    }
}

impl Default for Person {
    fn default() -> Self {
        Self::new()
    }
}

/// A visitor with a cookie jar of one cookie and, once signed up, an ID token.
#[derive(Clone)]
pub struct Visitor {
    url: String,
    client: reqwest::Client,
    /// `name=value` of the session cookie.
    pub cookie: Option<String>,
    /// ID token of the account, for calls without a cookie.
    pub id_token: Option<String>,
    /// Account, once signed up.
    pub uid: String,
    /// Email of the account, once signed up.
    pub email: String,
}

/// A REST response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Answer {
    /// The reason of a failure.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

impl Visitor {
    pub fn new(url: &str) -> Self {
        Self {
            url: url.into(),
            client: crate::http::client(),
            cookie: None,
            id_token: None,
            uid: String::new(),
            email: String::new(),
        }
    }

    /// Signs up over native gRPC and keeps the ID token and the cookie.
    pub async fn signs_up(mut self, person: &Person) -> Self {
        let mut auth = AuthServiceClient::new(channel(&self.url).await);
        let answer = auth.sign_up(person.sign_up_form()).await.expect("sign-up succeeds");
        let cookie =
            answer.metadata().get("set-cookie").expect("sign-up sets the cookie").to_str().expect("ascii");
        self.cookie = cookie.split(';').next().map(str::to_string);
        let answer = answer.into_inner();
        let user = answer.user.expect("sign-up answers the user");
        self.id_token = Some(answer.id_token);
        self.uid = user.uid;
        self.email = user.email;
        self
    }

    /// Signs in over native gRPC, as on another device, and keeps the ID token and the cookie.
    pub async fn signs_in(mut self, person: &Person) -> Self {
        let request = SignInRequest { email: person.email.clone(), password: person.password.clone() };
        let mut auth = AuthServiceClient::new(channel(&self.url).await);
        let answer = auth.sign_in(request).await.expect("sign-in succeeds");
        self.keeps_cookie(answer.metadata());
        let answer = answer.into_inner();
        let user = answer.user.expect("sign-in answers the user");
        self.id_token = Some(answer.id_token);
        self.uid = user.uid;
        self.email = user.email;
        self
    }

    /// Stores the cookie of a response, as a browser does; returns whether there was one.
    pub fn keeps_cookie(&mut self, metadata: &tonic::metadata::MetadataMap) -> bool {
        let Some(cookie) = metadata.get("set-cookie") else { return false };
        let pair = cookie.to_str().expect("ascii").split(';').next().unwrap_or_default();
        self.cookie = Some(pair.to_owned()).filter(|pair| !pair.ends_with('='));
        true
    }

    /// A request with the cookie.
    pub fn with_cookie<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        if let Some(cookie) = &self.cookie {
            request.metadata_mut().insert("cookie", cookie.parse().expect("a cookie is ascii"));
        }
        request
    }

    /// Sends later calls to another address of the product.
    pub fn goes_to(&mut self, url: &str) {
        self.url = url.into();
    }

    /// A request with `authorization: Bearer <ID token>` on it.
    pub fn authorized<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        if let Some(token) = &self.id_token {
            let value = format!("Bearer {token}").parse().expect("a token is ascii");
            request.metadata_mut().insert("authorization", value);
        }
        request
    }

    /// A REST call with the ID token.
    pub async fn calls(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.tries(method, path, body).await.expect("the product answers")
    }

    /// The same while the connection may break.
    ///
    /// # Errors
    /// The response is missing or incomplete.
    pub async fn tries(&self, method: &str, path: &str, body: Option<Value>) -> reqwest::Result<Answer> {
        let mut request = self.request(method, path);
        if let Some(token) = &self.id_token {
            request = request.bearer_auth(token);
        }
        try_answer(with_body(request, body)).await
    }

    /// A REST call with the cookie.
    pub async fn calls_with_cookie(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        self.tries_with_cookie(method, path, body).await.expect("the product answers")
    }

    /// The same while the connection may break.
    ///
    /// # Errors
    /// The response is missing or incomplete.
    pub async fn tries_with_cookie(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> reqwest::Result<Answer> {
        let mut request = self.request(method, path);
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        try_answer(with_body(request, body)).await
    }

    /// Address of the product.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A request without credentials.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        self.client.request(method, format!("{}{path}", self.url))
    }

    /// Opens a checkout over REST and returns its session id.
    pub async fn opens_checkout(&self, plan: &str, interval: &str) -> String {
        let body = json!({ "email": self.email, "planName": plan, "interval": interval });
        let path = "/create-embedded-checkout-session";
        let secret = crate::eventually("the catalogue at the provider", || async {
            let answer = self.calls("POST", path, Some(body.clone())).await;
            // A checkout returns 503 until the catalogue was pushed to the provider.
            if answer.status == 503 {
                return None;
            }
            assert_eq!(answer.status, 200, "{answer:?}");
            Some(answer.body["clientSecret"].as_str().expect("clientSecret").to_string())
        })
        .await;
        session_id(&secret)
    }

    /// Billing over native gRPC, while the product may be down.
    ///
    /// # Errors
    /// UNAVAILABLE: no connection was made.
    pub async fn try_billing(&self) -> Result<BillingServiceClient<Channel>, tonic::Status> {
        let channel = crate::app::try_channel(&self.url).await;
        let unavailable = |error: tonic::transport::Error| tonic::Status::unavailable(error.to_string());
        channel.map(BillingServiceClient::new).map_err(unavailable)
    }

    /// Billing over native gRPC on the public port.
    pub async fn billing(&self) -> BillingServiceClient<Channel> {
        BillingServiceClient::new(channel(&self.url).await)
    }

    /// The state of a checkout.
    pub async fn checkout(&self, session: &str) -> Result<GetCheckoutSessionResponse, Status> {
        let request = GetCheckoutSessionRequest { session_id: session.into() };
        self.billing().await.get_checkout_session(request).await.map(tonic::Response::into_inner)
    }

    /// The user object.
    pub async fn record(&self) -> Value {
        let answer = self.calls("GET", &format!("/api/users/{}", self.uid), None).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    /// Waits for a status of the subscription, and returns the record.
    pub async fn becomes(&self, status: &str) -> Value {
        crate::eventually(&format!("the status {status}"), || async {
            let record = self.record().await;
            (record["subscription_status"] == status).then_some(record)
        })
        .await
    }

    /// The subscription and the pending boleto, as the user area reads them.
    pub async fn get_subscription(&self) -> GetSubscriptionResponse {
        let request = self.authorized(GetSubscriptionRequest {});
        let answer = self.billing().await.get_subscription(request).await;
        answer.expect("GetSubscription answers").into_inner()
    }

    /// The address of the provider's portal.
    pub async fn portal(&self) -> String {
        let body = json!({ "email": self.email });
        let answer = self.calls("POST", "/api/create-customer-portal-session", Some(body)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["url"].as_str().expect("an address").to_owned()
    }

    /// Waits until the subscription is active, and returns the record.
    pub async fn becomes_active(&self) -> Value {
        crate::eventually("an active subscription", || async {
            let record = self.record().await;
            (record["subscription_active"] == true).then_some(record)
        })
        .await
    }
}

/// The session id is the part before `_secret_` in a client secret.
pub fn session_id(client_secret: &str) -> String {
    client_secret.split("_secret_").next().expect("a client secret").to_string()
}

/// Whether a call got no reply because a process was down. A refusal is a reply.
pub fn is_outage(status: &Status) -> bool {
    // A broken HTTP/2 connection has one of these codes.
    let outage = [Code::Unavailable, Code::Unknown, Code::Cancelled, Code::DeadlineExceeded];
    let broke = status.code() == Code::Internal && std::error::Error::source(status).is_some();
    broke || outage.contains(&status.code())
}

fn with_body(request: reqwest::RequestBuilder, body: Option<Value>) -> reqwest::RequestBuilder {
    match body {
        Some(body) => request.json(&body),
        None => request,
    }
}

/// Sends a request and reads the response.
pub async fn answer(request: reqwest::RequestBuilder) -> Answer {
    try_answer(request).await.unwrap_or_else(|error| panic!("the product does not answer: {error:?}"))
}

/// The same if the product may die.
///
/// # Errors
/// The response is missing or incomplete.
pub async fn try_answer(request: reqwest::RequestBuilder) -> Result<Answer, reqwest::Error> {
    let response = request.send().await?;
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await?;
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok(Answer { status, headers, body })
}
