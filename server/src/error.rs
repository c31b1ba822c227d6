//! Converts errors to gRPC: the only file that creates a `tonic::Status`.
//!
//! A reason decides the code. ErrorInfo carries the reason's name in the domain `garimpo`,
//! BadRequest the fields, RetryInfo the pause. Messages are English and for developers. An internal
//! failure is returned as INTERNAL with the request id alone. Its status carries the cause to the
//! place where the call ends, which logs it ([`log_failure`]).

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

pub use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::reasons::{DOMAIN, reason_name};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt as _};

use crate::causes::Causes;
use crate::providers::stripe::StripeError;
use crate::request_id;
use crate::store::{StoreError, WriteError};

/// Retry-After of an unavailable payment provider that names no time itself.
const RETRY_AFTER: Duration = Duration::from_secs(2);
/// Retry-After of a refused key: the operator has to replace it first.
const REFUSED_KEY_RETRY_AFTER: Duration = Duration::from_mins(1);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A refusal for a reason of the catalogue.
    #[error("{}{}", .0.message, .0.detail)]
    Refused(Box<Refusal>),
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// Any other internal failure.
    #[error("an unexpected failure")]
    Internal(#[source] anyhow::Error),
}

/// A result of a service.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A refusal and its details for the caller.
#[derive(Debug)]
pub struct Refusal {
    pub reason: ErrorReason,
    /// For the caller: it names no setting.
    pub message: String,
    /// What only the operator reads, in logs and commands.
    pub detail: String,
    /// Names of wrong fields, each with the reason.
    pub fields: Vec<(String, String)>,
    /// Keys as listed in the reason's comment in the proto.
    pub metadata: HashMap<String, String>,
    pub retry_after: Option<Duration>,
}

impl Error {
    pub fn refused(reason: ErrorReason, message: impl Into<String>) -> Self {
        Self::Refused(Box::new(Refusal {
            reason,
            message: message.into(),
            detail: String::new(),
            fields: Vec::new(),
            metadata: HashMap::new(),
            retry_after: None,
        }))
    }

    /// An internal failure.
    pub fn internal(cause: impl Into<anyhow::Error>) -> Self {
        Self::Internal(cause.into())
    }

    /// A charge that the payer's bank declined.
    pub fn payment_declined(decline_code: &str) -> Self {
        Self::refused(ErrorReason::PaymentDeclined, "the payment provider refused the charge")
            .with_metadata("decline_code", decline_code)
    }

    /// A limit that resets after `pause`.
    pub fn too_many_requests(pause: Duration) -> Self {
        Self::refused(ErrorReason::TooManyRequests, "a limit was reached").retry_after(pause)
    }

    /// Adds a wrong field.
    pub fn with_field(self, name: impl Into<String>, why: impl Into<String>) -> Self {
        self.with(|refusal| refusal.fields.push((name.into(), why.into())))
    }

    /// Adds metadata, with a key of the reason's comment.
    pub fn with_metadata(self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.with(|refusal| drop(refusal.metadata.insert(key.into(), value.into())))
    }

    /// Adds what only the operator reads, after the caller's message.
    fn with_detail(self, detail: impl Display) -> Self {
        self.with(|refusal| refusal.detail = format!(" ({detail})"))
    }

    pub fn retry_after(self, pause: Duration) -> Self {
        self.with(|refusal| refusal.retry_after = Some(pause))
    }

    /// The pause after which a retry may succeed.
    pub fn pause(&self) -> Option<Duration> {
        if let Self::Refused(refusal) = self { refusal.retry_after } else { None }
    }

    /// The reason returned to the caller.
    pub fn reason(&self) -> ErrorReason {
        match self {
            Self::Refused(refusal) => refusal.reason,
            Self::Store(
                StoreError::Unavailable(_)
                | StoreError::Closing
                | StoreError::Conflict(_)
                | StoreError::LockTimeout(_)
                | StoreError::StatementTimeout(_),
            ) => ErrorReason::Unavailable,
            Self::Store(_) | Self::Internal(_) => ErrorReason::Internal,
        }
    }

    /// Whether the call failed because the provider cannot be used now: it does not respond or it
    /// refuses our key. Stored work waits and continues afterwards.
    pub fn is_provider_down(&self) -> bool {
        matches!(self.reason(), ErrorReason::ProviderUnavailable | ErrorReason::PaymentsDown)
    }

    /// Whether the payment provider refuses our key.
    pub fn is_refused_key(&self) -> bool {
        self.reason() == ErrorReason::PaymentsDown
    }

    fn with(mut self, change: impl FnOnce(&mut Refusal)) -> Self {
        if let Self::Refused(refusal) = &mut self {
            change(refusal);
        }
        self
    }
}

impl From<StripeError> for Error {
    /// Temporary failures become PROVIDER_UNAVAILABLE with a pause. A final refusal is an internal
    /// failure and is logged with its code where it ends.
    fn from(error: StripeError) -> Self {
        let unavailable =
            || Self::refused(ErrorReason::ProviderUnavailable, "the payment provider does not answer");
        match &error {
            // The call itself has logged this failure and the next one.
            StripeError::Unavailable { retry_after, .. } => {
                unavailable().retry_after(retry_after.unwrap_or(RETRY_AFTER))
            }
            StripeError::Refused { status: 401 | 403, .. } => {
                Self::refused(ErrorReason::PaymentsDown, "the payment provider refuses our key")
                    .with_detail("GARIMPO_STRIPE_SECRET_KEY")
                    .retry_after(REFUSED_KEY_RETRY_AFTER)
            }
            StripeError::TooManyOfClient => {
                Self::refused(ErrorReason::TooManyRequests, error.to_string()).retry_after(RETRY_AFTER)
            }
            // The check itself has logged it.
            StripeError::OtherAccount { .. } => unavailable().with_detail(&error).retry_after(RETRY_AFTER),
            StripeError::Refused { status: 402, decline_code, .. } => {
                Self::payment_declined(decline_code.as_deref().unwrap_or_default())
            }
            _ => Self::internal(error),
        }
    }
}

impl WriteError for Error {
    fn as_store(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        let reason = error.reason();
        let (refusal, cause) = match error {
            Error::Refused(refusal) => (*refusal, None),
            cause => (internal_refusal(reason, &cause), Some(cause)),
        };
        let mut details = ErrorDetails::with_error_info(reason_name(reason), DOMAIN, refusal.metadata);
        if !refusal.fields.is_empty() {
            let violations = refusal.fields.into_iter().map(|(name, why)| FieldViolation::new(name, why));
            details.set_bad_request(violations.collect::<Vec<_>>());
        }
        if refusal.retry_after.is_some() {
            details.set_retry_info(refusal.retry_after);
        }
        let mut status = Self::with_error_details(code(reason), refusal.message, details);
        if let Some(cause) = cause {
            status.set_source(Arc::new(cause));
        }
        status
    }
}

/// Logs the cause of an internal failure, where its call ends.
pub(crate) fn log_failure(status: &Status) {
    let source = std::error::Error::source(status);
    if let Some(cause) = source.and_then(|source| source.downcast_ref::<Error>()) {
        let request_id = request_id::current();
        tracing::error!(
            request.id = request_id.as_deref().unwrap_or_default(),
            error = %Causes(cause),
            "a call failed"
        );
    }
}

/// The refusal of an internal failure. It hides the cause from the caller.
fn internal_refusal(reason: ErrorReason, cause: &Error) -> Refusal {
    let request_id = request_id::current();
    let (message, retry_after) = match reason {
        ErrorReason::Unavailable if is_timeout(cause) => {
            ("the database took too long", Some(Duration::from_secs(1)))
        }
        ErrorReason::Unavailable => ("not available now", Some(Duration::from_secs(1))),
        _ => ("a failure of ours", None),
    };
    Refusal {
        reason,
        message: message.to_owned(),
        detail: String::new(),
        fields: Vec::new(),
        metadata: request_id.map(|id| ("request_id".to_owned(), id)).into_iter().collect(),
        retry_after,
    }
}

fn is_timeout(cause: &Error) -> bool {
    matches!(cause, Error::Store(StoreError::LockTimeout(_) | StoreError::StatementTimeout(_)))
}

/// The gRPC code of a reason.
pub fn code(reason: ErrorReason) -> Code {
    use ErrorReason as Reason;
    match reason {
        Reason::InvalidCredential | Reason::WrongPassword | Reason::Unauthenticated => Code::Unauthenticated,
        Reason::PermissionDenied => Code::PermissionDenied,
        Reason::UserNotFound | Reason::NotFound | Reason::NoCustomer | Reason::NoSubscription => Code::NotFound,
        Reason::EmailInUse => Code::AlreadyExists,
        Reason::TooManyRequests => Code::ResourceExhausted,
        Reason::InvalidArgument
        | Reason::InvalidEmail
        | Reason::InvalidPhone
        | Reason::WeakPassword
        | Reason::EmailMissing
        | Reason::UnknownPlan
        | Reason::UnknownInterval
        | Reason::UnknownEvent
        | Reason::InvalidSignature
        // Only the gateway returns the last three.
        | Reason::PayloadTooLarge
        | Reason::MethodNotAllowed
        | Reason::UnsupportedMediaType => Code::InvalidArgument,
        Reason::PlanNotForSale
        | Reason::CouponNotApplicable
        | Reason::RefundWindowClosed
        | Reason::ResetCodeInvalid
        | Reason::ResetCodeExpired
        | Reason::EmailCodeInvalid
        | Reason::EmailCodeExpired
        | Reason::AlreadySubscribed
        | Reason::PriceChanged
        | Reason::PreviewExpired
        | Reason::CardRequired
        | Reason::EmailConfirmed
        | Reason::CursorExpired
        | Reason::ChallengeRequired
        | Reason::PaymentDeclined => Code::FailedPrecondition,
        Reason::ChangeInProgress => Code::Aborted,
        Reason::ProviderUnavailable | Reason::PaymentsDown | Reason::Unavailable => Code::Unavailable,
        Reason::Unimplemented => Code::Unimplemented,
        Reason::Internal | Reason::Unspecified => Code::Internal,
    }
}

/// The wrong fields of a request, collected so that one refusal names all of them.
#[derive(Debug, Default)]
pub struct Violations {
    fields: Vec<(ErrorReason, String, String)>,
    metadata: Vec<(String, String)>,
}

impl Violations {
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a parsed field, or records why it is refused.
    pub fn take<T, E: std::fmt::Display>(
        &mut self,
        field: &str,
        reason: ErrorReason,
        parsed: Result<T, E>,
    ) -> Option<T> {
        parsed.map_err(|why| self.add(field, reason, why.to_string())).ok()
    }

    /// Records a refused field.
    pub fn add(&mut self, field: &str, reason: ErrorReason, why: impl Into<String>) {
        self.fields.push((reason, field.to_owned(), why.into()));
    }

    /// Records metadata for the caller.
    pub fn add_metadata(&mut self, key: &str, value: impl Into<String>) {
        self.metadata.push((key.to_owned(), value.into()));
    }

    /// Returns what was read if no field is wrong, and refuses the request otherwise.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, Error> {
        self.refuse()?;
        read.ok_or_else(|| Error::refused(ErrorReason::InvalidArgument, "a field is missing or malformed"))
    }

    /// Refuses the request if a field is wrong: with the field's own reason if it is the only one,
    /// with INVALID_ARGUMENT otherwise.
    pub fn refuse(self) -> Result<(), Error> {
        let Some((first, ..)) = self.fields.first() else { return Ok(()) };
        let reason = if self.fields.len() == 1 { *first } else { ErrorReason::InvalidArgument };
        let refusal = Error::refused(reason, "the request has fields that are missing or malformed");
        let refusal =
            self.metadata.into_iter().fold(refusal, |error, (key, value)| error.with_metadata(key, value));
        Err(self.fields.into_iter().fold(refusal, |error, (_, field, why)| error.with_field(field, why)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_reason_has_a_status_code_and_is_sent_by_its_name() {
        let mut walked = 0;
        for reason in (1..).map_while(|number| ErrorReason::try_from(number).ok()) {
            let status = Status::from(Error::refused(reason, "no").with_metadata("k", "v"));
            let info = status.get_details_error_info().expect("every status carries ErrorInfo");
            assert_eq!(info.domain, "garimpo");
            assert_eq!(format!("ERROR_REASON_{}", info.reason), reason.as_str_name());
            assert_eq!(info.metadata["k"], "v");
            assert_eq!(status.code(), code(reason));
            walked += 1;
        }
        assert!(walked >= 38, "the whole enum is walked");
    }

    #[test]
    fn several_invalid_fields_are_returned_as_one_error_that_names_all() {
        let mut violations = Violations::new();
        violations.add("email", ErrorReason::InvalidEmail, "not an address");
        violations.add("password", ErrorReason::WeakPassword, "too short");

        let status = Status::from(violations.refuse().expect_err("it refuses"));

        let fields = status.get_details_bad_request().expect("fields are named").field_violations;
        assert_eq!(
            fields.iter().map(|field| field.field.as_str()).collect::<Vec<_>>(),
            ["email", "password"]
        );
        assert_eq!(status.get_details_error_info().expect("a reason").reason, "INVALID_ARGUMENT");
    }

    #[test]
    fn a_single_invalid_field_returns_its_own_reason() {
        let mut violations = Violations::new();
        violations.add("email", ErrorReason::InvalidEmail, "not an address");

        assert_eq!(violations.refuse().expect_err("it refuses").reason(), ErrorReason::InvalidEmail);
    }

    #[test]
    fn each_class_of_provider_refusal_has_its_reason() {
        for (status, reason) in [
            (400, ErrorReason::Internal),
            (401, ErrorReason::PaymentsDown),
            (402, ErrorReason::PaymentDeclined),
            (403, ErrorReason::PaymentsDown),
            (404, ErrorReason::Internal),
        ] {
            let refused = StripeError::Refused {
                status,
                code: "card_declined".to_owned(),
                param: String::new(),
                decline_code: Some("insufficient_funds".to_owned()),
                message: String::new(),
            };
            assert_eq!(Error::from(refused).reason(), reason, "{status}");
        }
        for (asked, told) in [(None, 2), (Some(Duration::from_secs(30)), 30)] {
            let down = StripeError::Unavailable {
                why: "503".to_owned(),
                status: Some(503),
                retry_after: asked,
                source: None,
            };
            let error = Error::from(down);
            assert_eq!(error.reason(), ErrorReason::ProviderUnavailable);
            assert_eq!(error.pause(), Some(Duration::from_secs(told)));
        }
    }

    #[test]
    fn an_internal_error_does_not_reveal_its_cause() {
        let status = Status::from(Error::internal(anyhow::anyhow!("password of the database is 123")));

        assert_eq!(status.code(), Code::Internal);
        assert!(!status.message().contains("123"));
    }
}
