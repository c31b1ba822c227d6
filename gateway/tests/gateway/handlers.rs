//! The fake services, for direct calls.

use crate::support::Services;
use tonic::{Request, Response, Status};

macro_rules! fakes {
    ($module:ident, $server:ident, $service:ident, $name:literal: $($method:ident $rpc:literal $request:ident $response:ident,)*) => {
        const _: () = {
            use garimpo_proto::$module::v1::*;

            #[tonic::async_trait]
            impl $server::$service for Services {
                $(async fn $method(&self, request: Request<$request>) -> Result<Response<$response>, Status> {
                    self.direct(concat!($name, "/", $rpc), request)
                })*
            }
        };
    };
}

fakes! { auth, auth_service_server, AuthService, "garimpo.auth.v1.AuthService":
    sign_up "SignUp" SignUpRequest SignUpResponse,
    sign_in "SignIn" SignInRequest SignInResponse,
    sign_out "SignOut" SignOutRequest SignOutResponse,
    get_session "GetSession" GetSessionRequest GetSessionResponse,
    set_session "SetSession" SetSessionRequest SetSessionResponse,
    request_password_reset "RequestPasswordReset" RequestPasswordResetRequest RequestPasswordResetResponse,
    check_password_reset "CheckPasswordReset" CheckPasswordResetRequest CheckPasswordResetResponse,
    confirm_password_reset "ConfirmPasswordReset" ConfirmPasswordResetRequest ConfirmPasswordResetResponse,
    change_password "ChangePassword" ChangePasswordRequest ChangePasswordResponse,
    list_sessions "ListSessions" ListSessionsRequest ListSessionsResponse,
    revoke_session "RevokeSession" RevokeSessionRequest RevokeSessionResponse,
    request_email_verification "RequestEmailVerification" RequestEmailVerificationRequest RequestEmailVerificationResponse,
    confirm_email "ConfirmEmail" ConfirmEmailRequest ConfirmEmailResponse,
    correct_email "CorrectEmail" CorrectEmailRequest CorrectEmailResponse,
}

fakes! { billing, billing_service_server, BillingService, "garimpo.billing.v1.BillingService":
    list_plans "ListPlans" ListPlansRequest ListPlansResponse,
    get_promotion "GetPromotion" GetPromotionRequest GetPromotionResponse,
    remove_promotion "RemovePromotion" RemovePromotionRequest RemovePromotionResponse,
    list_upsell_offers "ListUpsellOffers" ListUpsellOffersRequest ListUpsellOffersResponse,
    create_checkout_session "CreateCheckoutSession" CreateCheckoutSessionRequest CreateCheckoutSessionResponse,
    get_checkout_session "GetCheckoutSession" GetCheckoutSessionRequest GetCheckoutSessionResponse,
    create_portal_session "CreatePortalSession" CreatePortalSessionRequest CreatePortalSessionResponse,
    get_subscription "GetSubscription" GetSubscriptionRequest GetSubscriptionResponse,
    preview_plan_change "PreviewPlanChange" PreviewPlanChangeRequest PreviewPlanChangeResponse,
    change_plan "ChangePlan" ChangePlanRequest ChangePlanResponse,
    cancel_plan_change "CancelPlanChange" CancelPlanChangeRequest CancelPlanChangeResponse,
    cancel_subscription "CancelSubscription" CancelSubscriptionRequest CancelSubscriptionResponse,
    resume_subscription "ResumeSubscription" ResumeSubscriptionRequest ResumeSubscriptionResponse,
    request_refund "RequestRefund" RequestRefundRequest RequestRefundResponse,
    get_payment_authentication "GetPaymentAuthentication" GetPaymentAuthenticationRequest GetPaymentAuthenticationResponse,
    list_invoices "ListInvoices" ListInvoicesRequest ListInvoicesResponse,
}

fakes! { billing, webhook_service_server, WebhookService, "garimpo.billing.v1.WebhookService":
    receive_event "ReceiveEvent" ReceiveEventRequest ReceiveEventResponse,
}

fakes! { tracking, tracking_service_server, TrackingService, "garimpo.tracking.v1.TrackingService":
    track_event "TrackEvent" TrackEventRequest TrackEventResponse,
    count_step "CountStep" CountStepRequest CountStepResponse,
}

fakes! { users, user_service_server, UserService, "garimpo.users.v1.UserService":
    get_user "GetUser" GetUserRequest GetUserResponse,
    save_user "SaveUser" SaveUserRequest SaveUserResponse,
    save_consent "SaveConsent" SaveConsentRequest SaveConsentResponse,
    get_consent "GetConsent" GetConsentRequest GetConsentResponse,
    export_my_data "ExportMyData" ExportMyDataRequest ExportMyDataResponse,
    preview_my_deletion "PreviewMyDeletion" PreviewMyDeletionRequest PreviewMyDeletionResponse,
    delete_my_account "DeleteMyAccount" DeleteMyAccountRequest DeleteMyAccountResponse,
}
