//! What people do in a world: sign up, buy, pay, change their mind.

use crate::store::tests::support;
use garimpo_proto::auth::v1::ConfirmEmailRequest;
use garimpo_proto::billing::v1 as pb;
use serde_json::{Value, json};
use tonic::Status;

use super::World;
use crate::tests::server::{ANA, SignedInUser, ana, bearer};

/// The code in a mail's link to a page of the site.
pub fn code_of(mail: &Value, page: &str) -> String {
    let (_, link) = mail["text"]
        .as_str()
        .and_then(|text| text.split_once(&format!("http://127.0.0.1:8080/{page}?code=")))
        .expect("a link of ours");
    link.split_whitespace().next().expect("a code").to_owned()
}

impl World {
    /// This world with Ana, who has an account.
    pub async fn with_ana(self) -> (Self, SignedInUser) {
        let ana = self.signs_up(ANA).await;
        (self, ana)
    }

    /// This world with Ana, who has bought a plan by card.
    pub async fn with_subscriber(self, plan: &str, interval: &str) -> (Self, SignedInUser) {
        let (world, ana) = self.with_ana().await;
        world.subscribes(&ana, plan, interval).await;
        (world, ana)
    }

    /// Signs Ana up under an email.
    pub async fn signs_up(&self, email: &str) -> SignedInUser {
        SignedInUser::of(self.auth().sign_up(ana(email)).await.expect("the sign-up succeeds"))
    }

    /// Confirms an email by its mailed code.
    pub async fn confirms_email(&self, who: &SignedInUser) {
        self.rest().await;
        let code = code_of(&self.confirmations_to(&who.email).await[0], "confirmar-email");
        let form = ConfirmEmailRequest { code };
        self.auth().confirm_email(form).await.expect("the code holds");
    }

    /// Asks for a checkout and answers the session's id.
    pub async fn opens(
        &self,
        who: &SignedInUser,
        plan: &str,
        interval: &str,
        coupon: &str,
    ) -> Result<String, Status> {
        let request = order(who, plan, interval, coupon);
        self.asks(who, request).await
    }

    /// Asks for a checkout as given and answers the session's id.
    pub async fn asks(
        &self,
        who: &SignedInUser,
        request: pb::CreateCheckoutSessionRequest,
    ) -> Result<String, Status> {
        let answer = self.billing().create_checkout_session(bearer(request, &who.session)).await?;
        let secret = answer.into_inner().client_secret;
        let (id, _) = secret.split_once("_secret_").expect("the secret names the session");
        Ok(id.to_owned())
    }

    /// Pays by card in the frame.
    pub async fn pays_by_card(&self, session: &str, card: &str) -> Value {
        self.posts(&format!("/_test/checkout/{session}"), json!({ "card": card })).await
    }

    /// Types another card into the portal, which takes it.
    pub async fn takes_card(&self, who: &SignedInUser, number: &str) {
        let page = self.types_card(who, number).await;
        assert!(page.contains("Alteração salva"), "the card is taken");
    }

    /// Types another card into the portal, and answers the page that comes.
    pub async fn types_card(&self, who: &SignedInUser, number: &str) -> String {
        let request = pb::CreatePortalSessionRequest { email: who.email.clone() };
        let portal = self.billing().create_portal_session(bearer(request, &who.session)).await;
        let url = portal.expect("the portal opens").into_inner().url;
        let form = [("number", number), ("expiry", "12/34"), ("cvc", "123"), ("name", "Ana Souza")];
        let request = self.http.post(format!("{url}/card")).form(&form);
        let answer = request.send().await.expect("the sandbox answers");
        let page = answer.text().await.expect("a page");
        self.rest().await;
        page
    }

    /// Submits the boleto form in the frame.
    pub async fn takes_boleto(&self, session: &str) -> Value {
        let form = json!({ "boleto": { "tax_id": "529.982.247-25" } });
        self.posts(&format!("/_test/checkout/{session}"), form).await
    }

    /// Pays the boleto at the bank.
    pub async fn pays_boleto(&self, session: &str) -> Value {
        self.posts(&format!("/_test/boletos/{session}/pay"), json!({})).await
    }

    /// A purchase by card, come to rest.
    pub async fn subscribes(&self, who: &SignedInUser, plan: &str, interval: &str) -> String {
        self.subscribes_with("4242424242424242", who, plan, interval).await
    }

    /// The same with this card.
    pub async fn subscribes_with(
        &self,
        card: &str,
        who: &SignedInUser,
        plan: &str,
        interval: &str,
    ) -> String {
        let session = self.opens(who, plan, interval, "").await.expect("a checkout opens");
        self.pays_by_card(&session, card).await;
        self.rest().await;
        session
    }

    /// The same in a checkout that is open.
    pub async fn subscribes_in(&self, session: &str) {
        self.pays_by_card(session, "4242424242424242").await;
        self.rest().await;
    }

    /// A purchase whose boleto waits for its payment, come to rest.
    pub async fn orders_by_boleto(&self, who: &SignedInUser, plan: &str, interval: &str) -> String {
        let session = self.opens(who, plan, interval, "").await.expect("a checkout opens");
        self.takes_boleto(&session).await;
        self.rest().await;
        session
    }

    /// A purchase by boleto, paid and come to rest.
    pub async fn subscribes_by_boleto(&self, who: &SignedInUser, plan: &str, interval: &str) {
        let slip = self.orders_by_boleto(who, plan, interval).await;
        self.pays_boleto(&slip).await;
        self.rest().await;
    }

    /// Answers the question of consent for an account.
    pub async fn answers(&self, who: &SignedInUser, consent: Option<bool>) {
        support::answer_consent(self.app.store(), &who.uid, consent).await.expect("it is stored");
    }

    /// The state of a checkout.
    pub async fn checkout(&self, session: &str) -> Result<pb::GetCheckoutSessionResponse, Status> {
        let request = pb::GetCheckoutSessionRequest { session_id: session.to_owned() };
        Ok(self.billing().get_checkout_session(request).await?.into_inner())
    }

    /// The subscription as its account sees it.
    pub async fn account_of(&self, who: &SignedInUser) -> pb::GetSubscriptionResponse {
        let asked =
            self.billing().get_subscription(bearer(pb::GetSubscriptionRequest {}, &who.session)).await;
        asked.expect("GetSubscription answers").into_inner()
    }

    /// The subscription's status and whether it is active.
    pub async fn status_of(&self, who: &SignedInUser) -> Option<(String, Option<bool>)> {
        let subscription = self.account_of(who).await.subscription?;
        Some((subscription.status, subscription.active))
    }

    /// Cancels, for a reason.
    pub async fn cancels(&self, who: &SignedInUser, reason: &str) -> Result<pb::Subscription, Status> {
        let request = pb::CancelSubscriptionRequest { reason: Some(reason.to_owned()), request_id: None };
        self.cancels_as(who, request).await
    }

    /// Cancels as given.
    pub async fn cancels_as(
        &self,
        who: &SignedInUser,
        request: pb::CancelSubscriptionRequest,
    ) -> Result<pb::Subscription, Status> {
        let answer = self.billing().cancel_subscription(bearer(request, &who.session)).await?;
        Ok(answer.into_inner().subscription.expect("a subscription is answered"))
    }

    /// Takes a cancellation back.
    pub async fn resumes(&self, who: &SignedInUser) -> Result<pb::Subscription, Status> {
        let request = bearer(pb::ResumeSubscriptionRequest {}, &who.session);
        let answer = self.billing().resume_subscription(request).await?;
        Ok(answer.into_inner().subscription.expect("a subscription is answered"))
    }

    /// Asks the money back.
    pub async fn wants_back(
        &self,
        who: &SignedInUser,
        request_id: Option<&str>,
    ) -> Result<pb::RequestRefundResponse, Status> {
        let request = pb::RequestRefundRequest { request_id: request_id.map(str::to_owned) };
        Ok(self.billing().request_refund(bearer(request, &who.session)).await?.into_inner())
    }

    /// A page of invoices.
    pub async fn invoices_of(
        &self,
        who: &SignedInUser,
        page_size: i32,
        page_token: &str,
    ) -> Result<pb::ListInvoicesResponse, Status> {
        let request = pb::ListInvoicesRequest { page_size, page_token: page_token.to_owned() };
        Ok(self.billing().list_invoices(bearer(request, &who.session)).await?.into_inner())
    }
}

/// A checkout request without extras.
pub fn order(
    who: &SignedInUser,
    plan: &str,
    interval: &str,
    coupon: &str,
) -> pb::CreateCheckoutSessionRequest {
    pb::CreateCheckoutSessionRequest {
        email: who.email.clone(),
        plan_name: plan.to_owned(),
        interval: interval.to_owned(),
        coupon_id: coupon.to_owned(),
        shown_price_centavos: None,
        request_id: None,
        ..Default::default()
    }
}
