//! Actions of a person with an account. Each is retried until it gets a reply.

use std::time::Instant;

use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::auth::v1::{
    ChangePasswordRequest, ConfirmPasswordResetRequest, SignInRequest, SignInResponse,
};
use garimpo_proto::billing::v1::billing_service_client::BillingServiceClient;
use garimpo_proto::billing::v1::{
    CancelSubscriptionRequest, ChangePlanRequest, GetSubscriptionRequest, GetSubscriptionResponse,
    PlanInterval, PreviewPlanChangeRequest, RequestRefundRequest, ResumeSubscriptionRequest,
};
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use serde_json::{Value, json};
use tonic::transport::Channel;
use tonic::{Code, Response, Status};

use super::{CALL_TIMEOUT, CARD, RetryingVisitor};
use crate::visitor::is_outage;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// One click has one request id, however often it is sent.
const CLICK: &str = "aba";
const NEW_PASSWORD: &str = "outra-senha";
const RESET_MAIL: &str = "Link para redefinir sua senha";

/// Result of a call that was retried until it got a reply.
struct RetriedCall<T> {
    answer: Result<T, Status>,
    /// Whether an earlier reply may have been lost, so that the action may be done already.
    is_repeated: bool,
}

impl RetryingVisitor {
    /// Previews a change to the monthly price of a plan; returns its token.
    pub async fn previews(&self, plan: &str) -> String {
        let request =
            PreviewPlanChangeRequest { plan_id: plan.into(), interval: PlanInterval::Monthly.into() };
        let retried = self.retry_call("a preview", |channel| {
            let asked = self.visitor.authorized(request.clone());
            async move { BillingServiceClient::new(channel).preview_plan_change(asked).await }
        });
        retried.await.answer.expect("a preview").preview_token
    }

    /// Confirms a previewed plan change.
    pub async fn changes_plan(&self, preview: &str) {
        let request = ChangePlanRequest { preview_token: preview.into(), request_id: Some(CLICK.into()) };
        let retried = self.retry_call("a change of plan", |channel| {
            let asked = self.visitor.authorized(request.clone());
            async move { BillingServiceClient::new(channel).change_plan(asked).await }
        });
        retried.await.answer.expect("the plan is changed");
    }

    /// Cancels the subscription and withdraws the cancellation.
    pub async fn cancels_and_resumes(&self) {
        let request = CancelSubscriptionRequest { reason: None, request_id: Some(CLICK.into()) };
        let retried = self.retry_call("a cancellation", |channel| {
            let asked = self.visitor.authorized(request.clone());
            async move { BillingServiceClient::new(channel).cancel_subscription(asked).await }
        });
        let cancelled = retried.await.answer.expect("it is cancelled").subscription;
        assert!(cancelled.expect("a subscription").cancel_at_period_end);
        let retried = self.retry_call("its continuation", |channel| {
            let asked = self.visitor.authorized(ResumeSubscriptionRequest {});
            async move { BillingServiceClient::new(channel).resume_subscription(asked).await }
        });
        let resumed = retried.await.answer.expect("a resumed subscription").subscription;
        assert!(!resumed.expect("a subscription").cancel_at_period_end);
    }

    /// Requests a refund under the guarantee; returns its method.
    pub async fn request_refund(&self) -> String {
        let retried = self.retry_call("a refund", |channel| {
            let asked = self.visitor.authorized(RequestRefundRequest { request_id: Some(CLICK.into()) });
            async move { BillingServiceClient::new(channel).request_refund(asked).await }
        });
        retried.await.answer.expect("it is refunded").method
    }

    /// Deletes the account, which ends its sessions.
    pub async fn deletes_account(&mut self) {
        let request = DeleteMyAccountRequest { password: self.person.password.clone() };
        let retried = self.retry_call("the end of the account", |channel| {
            let asked = self.visitor.authorized(request.clone());
            async move { UserServiceClient::new(channel).delete_my_account(asked).await }
        });
        let RetriedCall { answer, is_repeated } = retried.await;
        if let Err(status) = answer {
            assert!(is_repeated && status.code() == Code::Unauthenticated, "{status:?}");
        }
        self.mark_sessions_ended();
        self.acknowledged.checkouts.clear();
        self.acknowledged.phone = None;
    }

    /// Moves the clock until the customer is deleted at the provider.
    pub async fn wait_until_customer_deleted(&self, customer: &str) {
        let began = Instant::now();
        while self.at_provider(&format!("/v1/customers/{customer}")).await["deleted"] != true {
            self.lets_time_pass(self.now().await + 10 * MINUTE).await;
            self.pause_or_time_out(began, "the end of the customer").await;
        }
    }

    /// Asserts that email and password are refused.
    pub async fn assert_cannot_sign_in(&self) {
        let status = self.sign_in_by(&self.person.password).await.expect_err("a deleted account");
        assert!(matches!(status.code(), Code::Unauthenticated | Code::NotFound), "{status:?}");
    }

    /// Asks for a link, sets a new password by the code of the newest mail, and signs in with it.
    pub async fn recovers_password(&mut self) {
        let body = json!({ "email": self.visitor.email });
        let ask = || self.visitor.request("POST", "/api/password-reset").json(&body);
        self.retry_request("a link", ask).await;
        let (began, mut tried, mut is_lost) = (Instant::now(), None, false);
        loop {
            let code = self.newest_code().await;
            if code.is_some() && code != tried {
                let request = ConfirmPasswordResetRequest {
                    code: code.clone().unwrap_or_default(),
                    new_password: NEW_PASSWORD.into(),
                };
                let retried = self.retry_call("a new password", |channel| {
                    let request = request.clone();
                    async move { AuthServiceClient::new(channel).confirm_password_reset(request).await }
                });
                let RetriedCall { answer, is_repeated } = retried.await;
                is_lost |= is_repeated;
                // The call whose reply was lost used the code, or a newer mail is being sent.
                if answer.is_ok() || (is_lost && self.sign_in_by(NEW_PASSWORD).await.is_ok()) {
                    break;
                }
                tried = code;
            }
            self.pause_or_time_out(began, "a code that opens").await;
        }
        self.sign_in_with_new_password(NEW_PASSWORD).await;
    }

    /// Changes the password, and signs in with the new one.
    pub async fn changes_password(&mut self) {
        let request = ChangePasswordRequest {
            current_password: self.person.password.clone(),
            new_password: NEW_PASSWORD.into(),
        };
        let retried = self.retry_call("another password", |channel| {
            let asked = self.visitor.with_cookie(request.clone());
            async move { AuthServiceClient::new(channel).change_password(asked).await }
        });
        let RetriedCall { answer, is_repeated } = retried.await;
        if let Err(status) = answer {
            assert!(is_repeated && status.code() == Code::Unauthenticated, "{status:?}");
        }
        self.sign_in_with_new_password(NEW_PASSWORD).await;
    }

    /// Stores the new password and signs in with it. Earlier sessions have ended.
    async fn sign_in_with_new_password(&mut self, password: &str) {
        self.person.password = password.into();
        self.mark_sessions_ended();
        self.signs_in().await;
    }

    fn mark_sessions_ended(&mut self) {
        let sessions = std::mem::take(&mut self.acknowledged.sessions);
        self.acknowledged.ended.extend(sessions);
    }

    async fn sign_in_by(&self, password: &str) -> Result<SignInResponse, Status> {
        let request = SignInRequest { email: self.person.email.clone(), password: password.into() };
        let retried = self.retry_call("a sign-in", |channel| {
            let request = request.clone();
            async move { AuthServiceClient::new(channel).sign_in(request).await }
        });
        retried.await.answer
    }

    /// The code in the newest recovery mail.
    async fn newest_code(&self) -> Option<String> {
        let url = format!("{}/mail.json", self.sandbox);
        let mails = self.retry_request("the mailbox", || self.client.get(&url)).await.body;
        let is_own = |mail: &&Value| mail["to"] == self.visitor.email && mail["subject"] == RESET_MAIL;
        let newest = mails.as_array().expect("a list").iter().find(is_own)?;
        let (_, rest) = newest["text"].as_str()?.split_once("/redefinir-senha?code=")?;
        rest.split_whitespace().next().map(str::to_owned)
    }

    /// Opens a dispute and decides it for the payer.
    pub async fn open_and_lose_dispute(&self) {
        let customers = self.at_provider(&format!("/v1/customers?email={}", self.visitor.email)).await;
        let customer = customers["data"][0]["id"].as_str().expect("a customer").to_owned();
        let charges = self.at_provider(&format!("/v1/charges?customer={customer}")).await;
        let charge = charges["data"][0]["id"].as_str().expect("a charge").to_owned();
        let path = format!("/v1/disputes?charge={charge}");
        let (began, body) = (Instant::now(), json!({ "charge": charge }));
        let dispute = loop {
            let disputes = self.at_provider(&path).await;
            if let Some(id) = disputes["data"][0]["id"].as_str() {
                break id.to_owned();
            }
            self.tries_at_provider("/_test/disputes", &body).await;
            self.pause_or_time_out(began, "a dispute").await;
        };
        self.becomes("suspended").await;
        while self.at_provider(&path).await["data"][0]["status"] != "lost" {
            self.tries_at_provider(&format!("/_test/disputes/{dispute}/lose"), &json!({})).await;
            self.pause_or_time_out(began, "a decision").await;
        }
        self.becomes("canceled").await;
    }

    /// Moves the clock to the next period, and pays its boleto.
    pub async fn renews_by_boleto(&self, session: &str) {
        let ends = self.record().await["subscription_end"].as_i64().expect("an end");
        self.lets_time_pass(ends + HOUR + MINUTE).await;
        let began = Instant::now();
        while self.get_subscription().await.boleto.is_none() {
            self.pause_or_time_out(began, "a boleto that waits").await;
        }
        while self.record().await["subscription_end"] != ends + 30 * DAY {
            self.tries_at_provider(&format!("/_test/boletos/{session}/pay"), &json!({})).await;
            self.pause_or_time_out(began, "a renewal that is paid").await;
        }
        self.becomes("active").await;
    }

    /// Moves the clock to a renewal that is declined, and sets another card in the portal.
    pub async fn renews_by_another_card(&self) {
        let ends = self.record().await["subscription_end"].as_i64().expect("an end");
        self.lets_time_pass(ends + HOUR + 2 * MINUTE).await;
        self.becomes("suspended").await;
        let body = json!({ "email": self.visitor.email });
        let path = "/api/create-customer-portal-session";
        let portal = self.retry_request("the portal", || self.authorized("POST", path).json(&body)).await;
        let portal = portal.body["url"].as_str().expect("an address").to_owned();
        let form = [("number", CARD), ("expiry", "12/34"), ("cvc", "123"), ("name", "Ana Souza")];
        let began = Instant::now();
        loop {
            let request = self.client.post(format!("{portal}/card")).form(&form).timeout(CALL_TIMEOUT);
            // The portal answers a form with a redirect to its next page.
            if request.send().await.is_ok_and(|answer| !answer.status().is_server_error()) {
                break;
            }
            self.pause_or_time_out(began, "another card").await;
        }
        while self.record().await["subscription_end"] != ends + 30 * DAY {
            self.pause_or_time_out(began, "a renewal that is paid").await;
        }
        self.becomes("active").await;
    }

    /// Waits for a status of the subscription.
    pub async fn becomes(&self, status: &str) {
        let began = Instant::now();
        while self.record().await["subscription_status"] != status {
            self.pause_or_time_out(began, status).await;
        }
    }

    /// The record of the account.
    pub async fn record(&self) -> Value {
        let path = format!("/api/users/{}", self.visitor.uid);
        self.retry_request("the record", || self.authorized("GET", &path)).await.body
    }

    async fn get_subscription(&self) -> GetSubscriptionResponse {
        let retried = self.retry_call("the subscription", |channel| {
            let asked = self.visitor.authorized(GetSubscriptionRequest {});
            async move { BillingServiceClient::new(channel).get_subscription(asked).await }
        });
        retried.await.answer.expect("GetSubscription answers")
    }

    async fn at_provider(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.sandbox);
        self.retry_request("the provider", || self.client.get(&url).bearer_auth("sk_test_garimpo")).await.body
    }

    /// Posts once to the sandbox's test API. The caller reads the result afterwards.
    async fn tries_at_provider(&self, path: &str, body: &Value) {
        self.count_act();
        let url = format!("{}{path}", self.sandbox);
        let _ = self.client.post(url).json(body).timeout(CALL_TIMEOUT).send().await;
    }

    /// Retries a call until it gets a reply other than an outage.
    async fn retry_call<T, F>(&self, what: &str, call: impl Fn(Channel) -> F) -> RetriedCall<T>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let (began, mut is_repeated) = (Instant::now(), false);
        loop {
            if let Ok(channel) = self.channel().await {
                match call(channel).await {
                    // Another call of the account is running: it may be the one whose reply was
                    // lost.
                    Err(status) if is_outage(&status) || status.code() == Code::Aborted => is_repeated = true,
                    answer => return RetriedCall { answer: answer.map(Response::into_inner), is_repeated },
                }
            }
            self.pause_or_time_out(began, what).await;
        }
    }
}
