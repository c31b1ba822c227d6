//! UserService: the user record here; `consent`, `export` and `deletion` in files of their own.

use std::sync::Arc;

use garimpo_domain::{DisplayName, Email, Phone, PhotoUrl, Uid};
use garimpo_proto::users::v1 as pb;
use garimpo_proto::users::v1::user_service_server::UserService as Rpc;
use tonic::{Request, Response};

mod consent;
pub(crate) mod deletion;
pub(crate) mod email_correction;
mod export;
pub mod payer_adoption;
#[cfg(test)]
mod tests;

use crate::audit::Audit;
use crate::auth::form_fields::read_email;
use crate::auth::{IdentityProvider, Limits, Sessions, run_to_completion};
use crate::billing::Billing;
use crate::caller::{Caller, Principal, Scope, not_yours};
use crate::error::{Error, ErrorReason, Result, Violations};
use crate::store::{Account, AccountRecord, Store, accounts, transaction};
use crate::wire::{Reply, timestamp};

#[derive(Clone)]
pub struct UserService {
    pub store: Store,
    pub billing: Billing,
    pub sessions: Arc<Sessions>,
    pub identity: Arc<dyn IdentityProvider>,
    pub limits: Limits,
    pub(crate) audit: Audit,
}

impl UserService {
    async fn get_user(&self, caller: &Caller, uid: &Uid) -> Result<pb::GetUserResponse> {
        let service = matches!(caller.principal, Principal::Service(_));
        if service {
            caller.require_scope(Scope::UsersRead)?;
        } else if caller.identity()?.uid != *uid {
            return Err(not_yours());
        }

        // No uid contains NUL, and PostgreSQL rejects NUL in a text.
        let account = if uid.contains('\0') { None } else { accounts::by_uid(&self.store, uid).await? };
        let account = account.ok_or_else(|| {
            if service { Error::refused(ErrorReason::UserNotFound, "no such account") } else { not_yours() }
        })?;
        Ok(pb::GetUserResponse { user: Some(self.user(account).await?) })
    }

    async fn save_user(&self, caller: &Caller, request: pb::SaveUserRequest) -> Result<pb::SaveUserResponse> {
        let identity = caller.identity()?;
        let current = accounts::by_uid(&self.store, &identity.uid).await?.ok_or_else(not_yours)?;
        let (email, record) = read_save_user(&request, &current)?;
        if request.uid != *identity.uid || email.as_str() != identity.email {
            return Err(not_yours());
        }

        let saved = transaction!(self.store, (uid = identity.uid.clone(), record), |tx| {
            accounts::save(tx, uid, record).await.map_err(Error::from)
        });
        let account = saved?.ok_or_else(not_yours)?;
        self.sessions.invalidate_account(&identity.uid);
        Ok(pb::SaveUserResponse { user: Some(self.user(account).await?) })
    }

    /// The record with the subscription's fields.
    async fn user(&self, account: Account) -> Result<pb::User> {
        let subscription = self.billing.account.subscription_view(&account).await?;
        Ok(pb::User {
            created_at: Some(timestamp(account.created_at)),
            uid: account.uid.into_string(),
            email: account.email.into(),
            display_name: account.display_name,
            email_verified: account.email_verified,
            phone_number: account.phone.clone().map(Into::into),
            phone: account.phone.map(Into::into),
            first_name: account.first_name,
            last_name: account.last_name,
            photo_url: account.photo_url.map(Into::into),
            subscription_plan: subscription.plan,
            subscription_active: subscription.active,
            subscription_status: subscription.status,
            subscription_start: subscription.start.map(garimpo_domain::Timestamp::as_unix_seconds),
            subscription_end: subscription.end.map(garimpo_domain::Timestamp::as_unix_seconds),
        })
    }
}

/// Reads every field, so that one refusal names all wrong ones. An absent phone or photo stays as
/// it is, a blank one is deleted.
fn read_save_user(request: &pb::SaveUserRequest, current: &Account) -> Result<(Email, AccountRecord)> {
    let mut wrong = Violations::new();
    if request.uid.is_empty() {
        wrong.add("uid", ErrorReason::InvalidArgument, "uid is missing");
    }
    let email = read_email(&mut wrong, "email", &request.email);
    let mut name =
        |field: &str, text: &str| wrong.take(field, ErrorReason::InvalidArgument, DisplayName::parse(text));
    let display_name = name("display_name", &request.display_name);
    let first_name = given(request.first_name.as_ref()).map(|text| name("first_name", text));
    let last_name = given(request.last_name.as_ref()).map(|text| name("last_name", text));
    let phone = match &request.phone_number {
        Some(typed) => {
            wrong.take("phone_number", ErrorReason::InvalidPhone, Phone::parse_optional(typed)).flatten()
        }
        None => current.phone.clone(),
    };
    let photo_url = match &request.photo_url {
        Some(typed) => {
            wrong.take("photo_url", ErrorReason::InvalidArgument, PhotoUrl::parse_optional(typed)).flatten()
        }
        None => current.photo_url.clone(),
    };
    let (email, display_name) = wrong.finish(email.zip(display_name))?;
    let own = |name: Option<Option<DisplayName>>| name.flatten().map(|name| name.as_str().to_owned());
    let from_display_name = first_name.is_none();
    let record = AccountRecord {
        first_name: Some(own(first_name).unwrap_or_else(|| display_name.first_name().to_owned())),
        last_name: own(last_name)
            .or_else(|| if from_display_name { display_name.last_name().map(str::to_owned) } else { None }),
        display_name,
        phone,
        photo_url,
    };
    Ok((email, record))
}

/// A field with more than blanks.
fn given(field: Option<&String>) -> Option<&String> {
    field.filter(|text| !text.trim().is_empty())
}

#[tonic::async_trait]
impl Rpc for UserService {
    async fn get_user(&self, request: Request<pb::GetUserRequest>) -> Reply<pb::GetUserResponse> {
        let caller = Caller::of(&request);
        Ok(Response::new(Self::get_user(self, &caller, &Uid::new(request.into_inner().uid)).await?))
    }

    async fn save_user(&self, request: Request<pb::SaveUserRequest>) -> Reply<pb::SaveUserResponse> {
        let caller = Caller::of(&request);
        Ok(Response::new(Self::save_user(self, &caller, request.into_inner()).await?))
    }

    async fn save_consent(&self, request: Request<pb::SaveConsentRequest>) -> Reply<pb::SaveConsentResponse> {
        let caller = Caller::of(&request);
        Ok(Response::new(self.store_consent(&caller, request.into_inner()).await?))
    }

    async fn get_consent(&self, request: Request<pb::GetConsentRequest>) -> Reply<pb::GetConsentResponse> {
        Ok(Response::new(self.read_consent(&Caller::of(&request)).await?))
    }

    async fn export_my_data(
        &self,
        request: Request<pb::ExportMyDataRequest>,
    ) -> Reply<pb::ExportMyDataResponse> {
        Ok(Response::new(self.export_data(&Caller::of(&request)).await?))
    }

    async fn preview_my_deletion(
        &self,
        request: Request<pb::PreviewMyDeletionRequest>,
    ) -> Reply<pb::PreviewMyDeletionResponse> {
        Ok(Response::new(self.preview_deletion(&Caller::of(&request)).await?))
    }

    async fn delete_my_account(
        &self,
        request: Request<pb::DeleteMyAccountRequest>,
    ) -> Reply<pb::DeleteMyAccountResponse> {
        let service = self.clone();
        run_to_completion(async move { service.delete_account(request).await }).await
    }
}
