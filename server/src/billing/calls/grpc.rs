//! BillingService: identifies the caller, calls one area of billing, and returns its reply.

use garimpo_domain::{CheckoutSessionId, Uid};
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::billing::v1::billing_service_server::BillingService;
use tonic::{Request, Response};

use crate::auth::Limits;
use crate::billing::checkout::open::PurchaseRequest;
use crate::billing::composition::Billing;
use crate::caller::{Caller, not_yours};
use crate::error::{Error, ErrorReason, Result};
use crate::store::{Account, accounts};
use crate::wire::Reply;

/// The gRPC service of billing.
#[derive(Clone)]
pub struct BillingApi {
    billing: Billing,
    limits: Limits,
}

impl BillingApi {
    /// Creates the service.
    pub fn new(billing: Billing, limits: Limits) -> Self {
        Self { billing, limits }
    }

    /// The caller's own account, if the request names its email.
    async fn require_own_account(&self, caller: &Caller, email: &str) -> Result<Account> {
        let uid = &caller.identity()?.uid;
        if email.trim().is_empty() {
            return Err(
                Error::refused(ErrorReason::EmailMissing, "email is missing").with_field("email", "missing")
            );
        }
        caller.identity_of_email(email)?;
        self.account(uid).await
    }

    /// The caller's own account, for calls that read a plan's price at the provider. Rate limited.
    async fn account_for_provider_call<T>(&self, request: &Request<T>) -> Result<Account> {
        let account = self.account(&Caller::of(request).identity()?.uid).await?;
        self.limits.count_provider_call(&account.uid).await?;
        Ok(account)
    }

    /// The caller's own account, for calls that end or resume a subscription. It has its own rate
    /// limit.
    async fn account_for_withdrawal<T>(&self, request: &Request<T>) -> Result<Account> {
        let account = self.account(&Caller::of(request).identity()?.uid).await?;
        self.limits.count_withdrawal(&account.uid).await?;
        Ok(account)
    }

    async fn account(&self, uid: &Uid) -> Result<Account> {
        accounts::by_uid(&self.billing.account.context.store, uid).await?.ok_or_else(not_yours)
    }
}

#[tonic::async_trait]
impl BillingService for BillingApi {
    async fn list_plans(&self, _: Request<pb::ListPlansRequest>) -> Reply<pb::ListPlansResponse> {
        Ok(Response::new(self.billing.offers.list_plans()))
    }

    async fn get_promotion(
        &self,
        request: Request<pb::GetPromotionRequest>,
    ) -> Reply<pb::GetPromotionResponse> {
        let caller = Caller::of(&request);
        let uid = caller.known().map(|identity| &identity.uid);
        Ok(Response::new(self.billing.offers.get_promotion(uid, request.get_ref()).await?))
    }

    async fn remove_promotion(
        &self,
        request: Request<pb::RemovePromotionRequest>,
    ) -> Reply<pb::RemovePromotionResponse> {
        let caller = Caller::of(&request);
        self.billing.offers.remove_promotion(&caller.identity()?.uid).await?;
        Ok(Response::new(pb::RemovePromotionResponse {}))
    }

    async fn list_upsell_offers(
        &self,
        request: Request<pb::ListUpsellOffersRequest>,
    ) -> Reply<pb::ListUpsellOffersResponse> {
        let caller = Caller::of(&request);
        let uid = caller.known().map(|identity| &identity.uid);
        let request = request.into_inner();
        Ok(Response::new(self.billing.offers.list_upsell_offers(uid, &request).await?))
    }

    async fn create_checkout_session(
        &self,
        request: Request<pb::CreateCheckoutSessionRequest>,
    ) -> Reply<pb::CreateCheckoutSessionResponse> {
        let caller = Caller::of(&request);
        let request = request.into_inner();
        caller.identity()?;
        let order = PurchaseRequest::read(&request)?;
        let account = self.require_own_account(&caller, &request.email).await?;
        self.limits.count_provider_call(&account.uid).await?;
        let open = self.billing.checkouts.open(&account, &order, &request).await?;
        Ok(Response::new(pb::CreateCheckoutSessionResponse {
            client_secret: open.client_secret,
            amount_total_centavos: open.amount_centavos,
        }))
    }

    async fn get_checkout_session(
        &self,
        request: Request<pb::GetCheckoutSessionRequest>,
    ) -> Reply<pb::GetCheckoutSessionResponse> {
        self.limits.count_checkout_read(Caller::of(&request).limit_address())?;
        let session_id = CheckoutSessionId::new(request.into_inner().session_id);
        Ok(Response::new(self.billing.checkouts.get_status(&session_id).await?))
    }

    async fn create_portal_session(
        &self,
        request: Request<pb::CreatePortalSessionRequest>,
    ) -> Reply<pb::CreatePortalSessionResponse> {
        let caller = Caller::of(&request);
        let email = request.into_inner().email;
        let account = self.require_own_account(&caller, &email).await?;
        self.limits.count_provider_call(&account.uid).await?;
        let url = self.billing.checkouts.open_portal(&account).await?;
        Ok(Response::new(pb::CreatePortalSessionResponse { url }))
    }

    async fn get_subscription(
        &self,
        request: Request<pb::GetSubscriptionRequest>,
    ) -> Reply<pb::GetSubscriptionResponse> {
        let caller = Caller::of(&request);
        let account = self.account(&caller.identity()?.uid).await?;
        Ok(Response::new(self.billing.account.get_subscription(&account).await?))
    }

    async fn preview_plan_change(
        &self,
        request: Request<pb::PreviewPlanChangeRequest>,
    ) -> Reply<pb::PreviewPlanChangeResponse> {
        let account = self.account_for_provider_call(&request).await?;
        Ok(Response::new(self.billing.plan_changes.preview(&account, request.get_ref()).await?))
    }

    async fn change_plan(&self, request: Request<pb::ChangePlanRequest>) -> Reply<pb::ChangePlanResponse> {
        let account = self.account_for_provider_call(&request).await?;
        Ok(Response::new(self.billing.plan_changes.change(&account, request.get_ref()).await?))
    }

    async fn cancel_plan_change(
        &self,
        request: Request<pb::CancelPlanChangeRequest>,
    ) -> Reply<pb::CancelPlanChangeResponse> {
        let account = self.account_for_withdrawal(&request).await?;
        let subscription = self.billing.plan_changes.cancel(&account).await?;
        Ok(Response::new(pb::CancelPlanChangeResponse { subscription: Some(subscription) }))
    }

    async fn cancel_subscription(
        &self,
        request: Request<pb::CancelSubscriptionRequest>,
    ) -> Reply<pb::CancelSubscriptionResponse> {
        let account = self.account_for_withdrawal(&request).await?;
        let subscription = self.billing.endings.cancel(&account, request.into_inner()).await?;
        Ok(Response::new(pb::CancelSubscriptionResponse { subscription: Some(subscription) }))
    }

    async fn resume_subscription(
        &self,
        request: Request<pb::ResumeSubscriptionRequest>,
    ) -> Reply<pb::ResumeSubscriptionResponse> {
        let account = self.account_for_withdrawal(&request).await?;
        let subscription = self.billing.endings.resume(&account).await?;
        Ok(Response::new(pb::ResumeSubscriptionResponse { subscription: Some(subscription) }))
    }

    async fn request_refund(
        &self,
        request: Request<pb::RequestRefundRequest>,
    ) -> Reply<pb::RequestRefundResponse> {
        let account = self.account_for_withdrawal(&request).await?;
        Ok(Response::new(self.billing.endings.request_refund(&account, request.into_inner()).await?))
    }

    async fn get_payment_authentication(
        &self,
        request: Request<pb::GetPaymentAuthenticationRequest>,
    ) -> Reply<pb::GetPaymentAuthenticationResponse> {
        let account = self.account_for_provider_call(&request).await?;
        Ok(Response::new(self.billing.account.get_payment_authentication(&account, request.get_ref()).await?))
    }

    async fn list_invoices(
        &self,
        request: Request<pb::ListInvoicesRequest>,
    ) -> Reply<pb::ListInvoicesResponse> {
        let account = self.account(&Caller::of(&request).identity()?.uid).await?;
        Ok(Response::new(self.billing.account.list_invoices(&account, &request.into_inner()).await?))
    }
}
