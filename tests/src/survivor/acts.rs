//! What somebody does with an account that is there: each act is repeated until it is answered.

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

use super::{CALL, CARD, Survivor};
use crate::visitor::is_outage;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// One click has one id, however often it is sent.
const CLICK: &str = "aba";
const NEW_PASSWORD: &str = "outra-senha";
const RESET_MAIL: &str = "Link para redefinir sua senha";

/// How a call ended that was repeated until it was answered.
struct Insisted<T> {
    answer: Result<T, Status>,
    /// Whether an earlier answer may have been lost: the act may be done already.
    is_repeated: bool,
}

impl Survivor {
    /// Previews a change to the monthly price of a plan; answers its token.
    pub async fn previews(&self, plan: &str) -> String {
        let request =
            PreviewPlanChangeRequest { plan_id: plan.into(), interval: PlanInterval::Monthly.into() };
        let insisted = self.insists_on("a preview", |channel| {
            let asked = self.visitor.authorized(request.clone());
            async move { BillingServiceClient::new(channel).preview_plan_change(asked).await }
        });
        insisted.await.answer.expect("a preview").preview_token
    }

    /// Confirms a change of plan that was previewed.
    pub async fn changes_plan(&self, preview: &str) {
        let request = ChangePlanRequest { preview_token: preview.into(), request_id: Some(CLICK.into()) };
        let insisted = self.insists_on("a change of plan", |channel| {
            let asked = self.visitor.authorized(request.clone());
            async move { BillingServiceClient::new(channel).change_plan(asked).await }
        });
        insisted.await.answer.expect("the plan is changed");
    }

    /// Cancels, and takes it back.
    pub async fn cancels_and_resumes(&self) {
        let request = CancelSubscriptionRequest { reason: None, request_id: Some(CLICK.into()) };
        let insisted = self.insists_on("a cancellation", |channel| {
            let asked = self.visitor.authorized(request.clone());
            async move { BillingServiceClient::new(channel).cancel_subscription(asked).await }
        });
        let cancelled = insisted.await.answer.expect("it is cancelled").subscription;
        assert!(cancelled.expect("a subscription").cancel_at_period_end);
        let insisted = self.insists_on("its continuation", |channel| {
            let asked = self.visitor.authorized(ResumeSubscriptionRequest {});
            async move { BillingServiceClient::new(channel).resume_subscription(asked).await }
        });
        let resumed = insisted.await.answer.expect("it goes on").subscription;
        assert!(!resumed.expect("a subscription").cancel_at_period_end);
    }

    /// Asks the money back under the guarantee; answers the method by which it comes.
    pub async fn wants_back(&self) -> String {
        let insisted = self.insists_on("a refund", |channel| {
            let asked = self.visitor.authorized(RequestRefundRequest { request_id: Some(CLICK.into()) });
            async move { BillingServiceClient::new(channel).request_refund(asked).await }
        });
        insisted.await.answer.expect("it is given back").method
    }

    /// Deletes the account; once it is gone, its sessions are.
    pub async fn deletes_account(&mut self) {
        let request = DeleteMyAccountRequest { password: self.person.password.clone() };
        let insisted = self.insists_on("the end of the account", |channel| {
            let asked = self.visitor.authorized(request.clone());
            async move { UserServiceClient::new(channel).delete_my_account(asked).await }
        });
        let Insisted { answer, is_repeated } = insisted.await;
        if let Err(status) = answer {
            assert!(is_repeated && status.code() == Code::Unauthenticated, "{status:?}");
        }
        self.sessions_are_over();
        self.acknowledged.checkouts.clear();
        self.acknowledged.phone = None;
    }

    /// Lets time pass until the provider has forgotten this customer.
    pub async fn is_forgotten(&self, customer: &str) {
        let began = Instant::now();
        while self.at_provider(&format!("/v1/customers/{customer}")).await["deleted"] != true {
            self.lets_time_pass(self.now().await + 10 * MINUTE).await;
            self.is_patient(began, "the end of the customer").await;
        }
    }

    /// Asserts that email and password open nothing.
    pub async fn is_not_let_in(&self) {
        let status = self.sign_in_by(&self.person.password).await.expect_err("nobody is let in");
        assert!(matches!(status.code(), Code::Unauthenticated | Code::NotFound), "{status:?}");
    }

    /// Asks for a link, sets a new password by the code of the newest mail, and signs in by it.
    pub async fn recovers_password(&mut self) {
        let body = json!({ "email": self.visitor.email });
        let ask = || self.visitor.request("POST", "/api/password-reset").json(&body);
        self.insists("a link", ask).await;
        let (began, mut tried, mut is_lost) = (Instant::now(), None, false);
        loop {
            let code = self.newest_code().await;
            if code.is_some() && code != tried {
                let request = ConfirmPasswordResetRequest {
                    code: code.clone().unwrap_or_default(),
                    new_password: NEW_PASSWORD.into(),
                };
                let insisted = self.insists_on("a new password", |channel| {
                    let request = request.clone();
                    async move { AuthServiceClient::new(channel).confirm_password_reset(request).await }
                });
                let Insisted { answer, is_repeated } = insisted.await;
                is_lost |= is_repeated;
                // The code was used up by the call whose answer was lost, or a newer mail is on its
                // way.
                if answer.is_ok() || (is_lost && self.sign_in_by(NEW_PASSWORD).await.is_ok()) {
                    break;
                }
                tried = code;
            }
            self.is_patient(began, "a code that opens").await;
        }
        self.has_password(NEW_PASSWORD).await;
    }

    /// Changes the password, and signs in by the new one.
    pub async fn changes_password(&mut self) {
        let request = ChangePasswordRequest {
            current_password: self.person.password.clone(),
            new_password: NEW_PASSWORD.into(),
        };
        let insisted = self.insists_on("another password", |channel| {
            let asked = self.visitor.with_cookie(request.clone());
            async move { AuthServiceClient::new(channel).change_password(asked).await }
        });
        let Insisted { answer, is_repeated } = insisted.await;
        if let Err(status) = answer {
            assert!(is_repeated && status.code() == Code::Unauthenticated, "{status:?}");
        }
        self.has_password(NEW_PASSWORD).await;
    }

    /// From now on this is the password; what rested on the one before is over.
    async fn has_password(&mut self, password: &str) {
        self.person.password = password.into();
        self.sessions_are_over();
        self.signs_in().await;
    }

    fn sessions_are_over(&mut self) {
        let sessions = std::mem::take(&mut self.acknowledged.sessions);
        self.acknowledged.ended.extend(sessions);
    }

    async fn sign_in_by(&self, password: &str) -> Result<SignInResponse, Status> {
        let request = SignInRequest { email: self.person.email.clone(), password: password.into() };
        let insisted = self.insists_on("a sign-in", |channel| {
            let request = request.clone();
            async move { AuthServiceClient::new(channel).sign_in(request).await }
        });
        insisted.await.answer
    }

    /// The code in the newest mail that brings a recovery link.
    async fn newest_code(&self) -> Option<String> {
        let url = format!("{}/mail.json", self.sandbox);
        let mails = self.insists("the mailbox", || self.client.get(&url)).await.body;
        let is_own = |mail: &&Value| mail["to"] == self.visitor.email && mail["subject"] == RESET_MAIL;
        let newest = mails.as_array().expect("a list").iter().find(is_own)?;
        let (_, rest) = newest["text"].as_str()?.split_once("/redefinir-senha?code=")?;
        rest.split_whitespace().next().map(str::to_owned)
    }

    /// Has the bank take up the payment and decide for its payer.
    pub async fn disputes_and_wins(&self) {
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
            self.is_patient(began, "a dispute").await;
        };
        self.becomes("suspended").await;
        while self.at_provider(&path).await["data"][0]["status"] != "lost" {
            self.tries_at_provider(&format!("/_test/disputes/{dispute}/lose"), &json!({})).await;
            self.is_patient(began, "a decision").await;
        }
        self.becomes("canceled").await;
    }

    /// Lets the period end, and pays the boleto of the next one.
    pub async fn renews_by_boleto(&self, session: &str) {
        let ends = self.record().await["subscription_end"].as_i64().expect("an end");
        self.lets_time_pass(ends + HOUR + MINUTE).await;
        let began = Instant::now();
        while self.standing().await.boleto.is_none() {
            self.is_patient(began, "a boleto that waits").await;
        }
        while self.record().await["subscription_end"] != ends + 30 * DAY {
            self.tries_at_provider(&format!("/_test/boletos/{session}/pay"), &json!({})).await;
            self.is_patient(began, "a renewal that is paid").await;
        }
        self.becomes("active").await;
    }

    /// Lets the period end with a card that fails, and gives another one in the portal.
    pub async fn renews_by_another_card(&self) {
        let ends = self.record().await["subscription_end"].as_i64().expect("an end");
        self.lets_time_pass(ends + HOUR + 2 * MINUTE).await;
        self.becomes("suspended").await;
        let body = json!({ "email": self.visitor.email });
        let path = "/api/create-customer-portal-session";
        let portal = self.insists("the portal", || self.authorized("POST", path).json(&body)).await;
        let portal = portal.body["url"].as_str().expect("an address").to_owned();
        let form = [("number", CARD), ("expiry", "12/34"), ("cvc", "123"), ("name", "Ana Souza")];
        let began = Instant::now();
        loop {
            let request = self.client.post(format!("{portal}/card")).form(&form).timeout(CALL);
            // The portal answers a form with a redirect to its next page.
            if request.send().await.is_ok_and(|answer| !answer.status().is_server_error()) {
                break;
            }
            self.is_patient(began, "another card").await;
        }
        while self.record().await["subscription_end"] != ends + 30 * DAY {
            self.is_patient(began, "a renewal that is paid").await;
        }
        self.becomes("active").await;
    }

    /// Waits for a status of the subscription.
    pub async fn becomes(&self, status: &str) {
        let began = Instant::now();
        while self.record().await["subscription_status"] != status {
            self.is_patient(began, status).await;
        }
    }

    /// The record of the account.
    pub async fn record(&self) -> Value {
        let path = format!("/api/users/{}", self.visitor.uid);
        self.insists("the record", || self.authorized("GET", &path)).await.body
    }

    async fn standing(&self) -> GetSubscriptionResponse {
        let insisted = self.insists_on("the subscription", |channel| {
            let asked = self.visitor.authorized(GetSubscriptionRequest {});
            async move { BillingServiceClient::new(channel).get_subscription(asked).await }
        });
        insisted.await.answer.expect("GetSubscription answers")
    }

    async fn at_provider(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.sandbox);
        self.insists("the provider", || self.client.get(&url).bearer_auth("sk_test_garimpo")).await.body
    }

    /// Does an act at the provider once; what it came to is looked at afterwards.
    async fn tries_at_provider(&self, door: &str, body: &Value) {
        self.rings();
        let url = format!("{}{door}", self.sandbox);
        let _ = self.client.post(url).json(body).timeout(CALL).send().await;
    }

    /// Repeats a call until it is answered with anything but an outage.
    async fn insists_on<T, F>(&self, what: &str, call: impl Fn(Channel) -> F) -> Insisted<T>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let (began, mut is_repeated) = (Instant::now(), false);
        loop {
            if let Ok(channel) = self.channel().await {
                match call(channel).await {
                    // Another call of the account is under way, which may be the one whose answer
                    // was lost.
                    Err(status) if is_outage(&status) || status.code() == Code::Aborted => is_repeated = true,
                    answer => return Insisted { answer: answer.map(Response::into_inner), is_repeated },
                }
            }
            self.is_patient(began, what).await;
        }
    }
}
