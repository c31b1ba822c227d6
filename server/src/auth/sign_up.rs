//! Sign-up: creates an account, its record and its first session in one transaction.

use std::sync::Arc;

use garimpo_domain::{DisplayName, Email, Password, PasswordPolicy, Phone, PromoCode};
use garimpo_proto::auth::v1 as pb;
use tonic::{Request, Response};

use super::form_fields::{read_email, read_new_password};
use super::new_account::{finish_sign_up, insert_account};
use super::sign_in::session_user;
use super::{AuthService, FreshSession, IdentityError, code_mail, refused};
use crate::audit::{AuditEvent, AuditKind};
use crate::caller::Caller;
use crate::crash::{self, CrashPoint};
use crate::error::{Error, ErrorReason, Result, Violations};
use crate::origin::Origin;
use crate::store::{Invoice, NewAccount, accounts, audit_events, deletions, invoices, transaction};
use crate::wire::Reply;

/// For so long after a sign-up the same one is taken for its repetition.
const REPEATED_WITHIN_MINUTES: i64 = 10;

/// The parsed fields of a sign-up.
struct SignUp {
    email: Email,
    password: Password,
    display_name: DisplayName,
    phone: Option<Phone>,
}

impl AuthService {
    pub(super) async fn sign_up(
        &self,
        request: Request<pb::SignUpRequest>,
    ) -> Reply<pb::SignUpResponse, Error> {
        let caller = Caller::of(&request);
        let request = request.into_inner();
        let form = read_sign_up(&request, &self.password_policy)?;
        let now = self.clock.now();
        let origin = Origin::read(request.consent.as_ref(), request.attribution.as_ref(), now);

        // Before the password is hashed, and before the response reveals whether the email is in
        // use.
        if self.limits.count_sign_up(&caller.limit_address()).await? {
            self.require_challenge(&request.challenge_response, &caller).await?;
        }
        // Anybody can write it into an address, so a bad one must not refuse the sign-up.
        let promo_code = PromoCode::parse(&request.promo_code).ok();
        let (user, session) = match self.create_account(form, promo_code, origin, &caller).await {
            Err(error) if error.reason() == ErrorReason::EmailInUse => {
                let repeated = pb::SignInRequest { email: request.email, password: request.password };
                self.repeat_sign_up(&repeated, &caller).await?.ok_or(error)?
            }
            created => created?,
        };
        let answer = pb::SignUpResponse { user: Some(user), id_token: session.id_token.clone() };
        self.give_session(&caller, &session);
        Ok(Response::new(answer))
    }

    async fn create_account(
        &self,
        form: SignUp,
        promo_code: Option<PromoCode>,
        origin: Origin,
        caller: &Arc<Caller>,
    ) -> Result<(pb::SessionUser, FreshSession)> {
        let client = caller.limit_address();
        let identity = self.identity.sign_up(&form.email, &form.password, &form.display_name, &client).await;
        let identity = identity.map_err(|error| refused(error, "password"))?;
        let session = self.sessions.fresh(&identity.uid, caller).with_id_token(identity.id_token);
        let user = pb::SessionUser {
            uid: identity.uid.to_string(),
            email: form.email.as_str().to_owned(),
            display_name: form.display_name.as_str().to_owned(),
        };
        let account = NewAccount {
            uid: identity.uid,
            email: form.email,
            password_hash: identity.password_hash,
            display_name: form.display_name,
            phone: form.phone,
            created_at: self.clock.now(),
            promo_code,
        };
        let event = self.audit.event(AuditKind::SignUp, &account.uid, caller);
        self.store_account(account, origin, session.clone(), (event, client)).await?;
        crash::point(CrashPoint::SessionStored);
        Ok((user, session))
    }

    /// Opens a session for a repeated sign-up whose first answer was lost: by the same password,
    /// soon after the first one, and before anything was paid. `None` for any other.
    async fn repeat_sign_up(
        &self,
        repeated: &pb::SignInRequest,
        caller: &Arc<Caller>,
    ) -> Result<Option<(pb::SessionUser, FreshSession)>> {
        let Ok(email) = Email::parse(&repeated.email) else { return Ok(None) };
        let Some(account) = accounts::by_email(&self.store, &email).await? else { return Ok(None) };
        let is_recent = account.created_at >= self.clock.now().plus_minutes(-REPEATED_WITHIN_MINUTES);
        let has_paid = async || {
            let invoices = invoices::by_uid(&self.store, &account.uid).await?;
            Ok::<_, Error>(invoices.iter().any(Invoice::is_paid))
        };
        if !is_recent || has_paid().await? {
            return Ok(None);
        }
        match self.open_session_by_password(repeated, caller).await {
            Ok((account, session)) => Ok(Some((session_user(account), session))),
            Err(error) => match error.reason() {
                ErrorReason::InvalidCredential | ErrorReason::WrongPassword => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Stores account, record and session in one transaction, with the mail that confirms the
    /// email; a session of the same cookie ends.
    async fn store_account(
        &self,
        account: NewAccount,
        origin: Origin,
        session: FreshSession,
        (event, client): (AuditEvent, String),
    ) -> Result<()> {
        let confirmation = self.ids.id("emc_");
        transaction!(self.store, (account, session, confirmation, event, origin, client), |tx| {
            let (uid, created_at) = (&account.uid, account.created_at);
            // A deleted account's identity exists until a job deletes it at its
            // provider.
            if deletions::was_account_deleted(tx, uid).await? {
                return Err(IdentityError::EmailInUse.into());
            }
            insert_account(tx, account.clone()).await?;
            origin.record(tx, uid, None, created_at).await?;
            session.insert(tx).await?;
            audit_events::insert(tx, event).await?;
            let key = confirmation.clone();
            code_mail::enqueue_confirmation(tx, key, uid, client, created_at).await?;
            Ok(finish_sign_up(tx, uid, created_at).await.map(drop)?)
        })
    }
}

/// Reads every field, so that one refusal names all wrong ones.
fn read_sign_up(form: &pb::SignUpRequest, policy: &PasswordPolicy) -> Result<SignUp> {
    let mut wrong = Violations::new();
    let email = read_email(&mut wrong, "email", &form.email);
    let password = read_new_password(&mut wrong, "password", &form.password, policy);
    let display_name =
        wrong.take("display_name", ErrorReason::InvalidArgument, DisplayName::parse(&form.display_name));
    let phone =
        wrong.take("phone_number", ErrorReason::InvalidPhone, Phone::parse_optional(&form.phone_number));
    let read = email.zip(password).zip(display_name.zip(phone));
    let ((email, password), (display_name, phone)) = wrong.finish(read)?;
    Ok(SignUp { email, password, display_name, phone })
}
