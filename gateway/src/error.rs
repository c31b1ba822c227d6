//! Errors of the public port. A gRPC status becomes an HTTP status, a reason and a text in pt-BR.

use crate::budget::{self, Exceeded};
use axum::response::{IntoResponse, Response};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::reasons::{DOMAIN, reason_name, reason_of};
use heck::ToLowerCamelCase;
use http::header::ALLOW;
use http::{HeaderValue, StatusCode};
use std::collections::HashMap;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub reason: ErrorReason,
    /// Wrong fields, named as in the REST body, each with the error.
    fields: Vec<(String, String)>,
    retry_after: Option<Duration>,
    /// For the log alone.
    pub cause: Option<String>,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{"error", "code"}`.
    Plain,
    /// The same with `"ok": false` (/api/password-reset).
    WithOk,
}

impl ApiError {
    pub fn new(reason: ErrorReason) -> Self {
        Self { reason, fields: Vec::new(), retry_after: None, cause: None, shape: Shape::Plain }
    }

    /// Fields that are missing or of a wrong type.
    pub fn fields(fields: Vec<(String, String)>) -> Self {
        Self { fields, ..Self::new(ErrorReason::InvalidArgument) }
    }

    pub fn too_many_requests(pause: Duration) -> Self {
        Self { retry_after: Some(pause), ..Self::new(ErrorReason::TooManyRequests) }
    }

    pub fn shaped(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    pub fn status(&self) -> StatusCode {
        http_status(self.reason)
    }

    /// The response with its body. If the fault is ours, the text contains the request id. The
    /// header `Allow` of the router stays.
    pub fn rendered(&self, bare: Response, request_id: &str) -> Response {
        let status = self.status();
        let mut body = serde_json::Map::new();
        if self.shape == Shape::WithOk {
            body.insert("ok".into(), false.into());
        }
        body.insert("error".into(), self.message(request_id).into());
        body.insert("code".into(), reason_name(self.reason).into());
        let mut response = (status, axum::Json(body)).into_response();
        let headers = response.headers_mut();
        headers.extend(bare.headers().get(ALLOW).map(|allow| (ALLOW, allow.clone())));
        if let Some(after) = self.retry_after {
            headers.insert(http::header::RETRY_AFTER, HeaderValue::from(after.as_secs().max(1)));
        }
        response
    }

    pub fn reason_name(&self) -> &'static str {
        reason_name(self.reason)
    }

    fn message(&self, request_id: &str) -> String {
        let (_, text) = row(self.reason);
        match self.reason {
            ErrorReason::Internal => format!("{text} Código do atendimento: {request_id}."),
            ErrorReason::InvalidArgument if !self.fields.is_empty() => {
                let fields: Vec<_> = self.fields.iter().map(|(name, why)| format!("{name} {why}")).collect();
                format!("Dados inválidos: {}.", fields.join("; "))
            }
            _ => text.to_owned(),
        }
    }
}

impl From<Status> for ApiError {
    /// Fields are named in camel case, as in most bodies: `displayName`.
    fn from(status: Status) -> Self {
        Self::naming(status, ToLowerCamelCase::to_lower_camel_case)
    }
}

impl ApiError {
    /// Fields are named in snake case, as the services name them: `event_time`.
    pub fn in_snake_case(status: Status) -> Self {
        Self::naming(status, str::to_owned)
    }

    fn naming(status: Status, spell: fn(&str) -> String) -> Self {
        let details = status.get_error_details();
        let reason = details
            .error_info()
            .filter(|info| info.domain == DOMAIN)
            .and_then(|info| reason_of(&info.reason))
            .unwrap_or_else(|| reason_of_bare(status.code()));
        let fields = details.bad_request().map(|bad| {
            bad.field_violations.iter().map(|v| (spell(&v.field), "não é válido".to_owned())).collect()
        });
        Self {
            reason,
            fields: fields.unwrap_or_default(),
            retry_after: details.retry_info().and_then(|r| r.retry_delay),
            cause: Some(format!("{:?}: {}", status.code(), status.message())),
            shape: Shape::Plain,
        }
    }
}

impl From<Exceeded> for ApiError {
    fn from(exceeded: Exceeded) -> Self {
        Self { retry_after: Some(budget::RETRY_AFTER), ..Self::new(reason_of_exceeded(exceeded)) }
    }
}

impl From<Exceeded> for Status {
    fn from(exceeded: Exceeded) -> Self {
        let reason = reason_of_exceeded(exceeded);
        let code = match reason {
            ErrorReason::TooManyRequests => Code::ResourceExhausted,
            _ => Code::Unavailable,
        };
        let mut details = error_details(reason);
        details.set_retry_info(Some(budget::RETRY_AFTER));
        Status::with_error_details(code, "too much is under way at once", details)
    }
}

fn reason_of_exceeded(exceeded: Exceeded) -> ErrorReason {
    match exceeded {
        Exceeded::Client | Exceeded::Network => ErrorReason::TooManyRequests,
        Exceeded::Total | Exceeded::Evicted => ErrorReason::Unavailable,
    }
}

/// [`ApiError::rendered`] adds the body, which needs the request.
impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// A status with a reason, for refusals of gRPC calls by the gateway itself.
pub(crate) fn refused(code: Code, reason: ErrorReason, message: &str) -> Status {
    Status::with_error_details(code, message, error_details(reason))
}

fn error_details(reason: ErrorReason) -> ErrorDetails {
    ErrorDetails::with_error_info(reason_name(reason), DOMAIN, HashMap::new())
}

/// Reason of a status without one, which comes from the transport.
fn reason_of_bare(code: Code) -> ErrorReason {
    match code {
        Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => ErrorReason::Unavailable,
        Code::Unimplemented => ErrorReason::Unimplemented,
        _ => ErrorReason::Internal,
    }
}

pub(crate) fn http_status(reason: ErrorReason) -> StatusCode {
    row(reason).0
}

/// HTTP status of a reason, and its text for a person.
fn row(reason: ErrorReason) -> (StatusCode, &'static str) {
    use ErrorReason as R;
    use StatusCode as S;
    match reason {
        R::InvalidCredential => (S::UNAUTHORIZED, "Email ou senha inválidos"),
        R::WrongPassword => (S::UNAUTHORIZED, "Senha incorreta"),
        R::Unauthenticated => (S::UNAUTHORIZED, "Entre na sua conta para continuar."),
        R::PermissionDenied => (S::FORBIDDEN, "Você não tem permissão para fazer isso."),
        R::ChallengeRequired => (S::FORBIDDEN, "Confirme que você não é um robô para criar a conta."),
        R::UserNotFound => (S::NOT_FOUND, "Usuário não encontrado"),
        R::NotFound => (S::NOT_FOUND, "Não encontrado."),
        R::NoCustomer => (S::NOT_FOUND, "Esta conta ainda não tem pagamentos para gerenciar."),
        R::NoSubscription => (S::NOT_FOUND, "Esta conta não tem assinatura."),
        R::EmailInUse => (S::CONFLICT, "Este email já está em uso. Tente outro ou faça login."),
        R::TooManyRequests => (S::TOO_MANY_REQUESTS, "Muitas tentativas. Tente novamente mais tarde"),
        R::InvalidArgument => (S::BAD_REQUEST, "Dados inválidos."),
        R::InvalidEmail => (S::BAD_REQUEST, "Email inválido"),
        R::InvalidPhone => (S::BAD_REQUEST, "Digite um número de WhatsApp válido com DDD."),
        R::WeakPassword => (S::BAD_REQUEST, "A senha deve ter pelo menos 6 caracteres."),
        R::EmailMissing => (S::BAD_REQUEST, "Email não encontrado"),
        R::UnknownPlan => (S::BAD_REQUEST, "Este plano não existe."),
        R::UnknownInterval => (S::BAD_REQUEST, "Este período não existe."),
        R::UnknownEvent => (S::BAD_REQUEST, "Este evento não existe."),
        R::InvalidSignature => (S::BAD_REQUEST, "Assinatura do evento inválida."),
        R::PlanNotForSale => (S::BAD_REQUEST, "Este plano não está à venda."),
        R::CouponNotApplicable => (S::BAD_REQUEST, "Este cupom não vale para esta compra."),
        R::RefundWindowClosed => (S::BAD_REQUEST, "O prazo de 7 dias da garantia terminou."),
        R::ResetCodeInvalid => (S::BAD_REQUEST, "Este link de recuperação não é válido. Peça um novo."),
        R::ResetCodeExpired => (S::BAD_REQUEST, "Este link de recuperação expirou. Peça um novo."),
        R::EmailCodeInvalid => (S::BAD_REQUEST, "Este link de confirmação não vale mais. Peça um novo."),
        R::EmailCodeExpired => (S::BAD_REQUEST, "Este link de confirmação expirou. Peça um novo."),
        R::AlreadySubscribed => (S::CONFLICT, "Você já tem uma assinatura ativa!"),
        R::PriceChanged => (S::CONFLICT, "O preço mudou. Confira o valor atualizado."),
        R::PreviewExpired => (S::CONFLICT, "Os valores mostrados expiraram. Confira os valores atualizados."),
        R::CardRequired => {
            (S::CONFLICT, "Para pagar a diferença agora, cadastre um cartão. O boleto não é cobrado na hora.")
        }
        R::EmailConfirmed => (S::CONFLICT, "Este e-mail já foi confirmado e não pode mais ser corrigido."),
        R::ChangeInProgress => (
            S::CONFLICT,
            "Outra mudança da sua assinatura ainda está sendo concluída. Tente novamente em instantes.",
        ),
        R::CursorExpired => (S::CONFLICT, "O ponto de leitura expirou. Comece de novo."),
        R::PaymentDeclined => (S::PAYMENT_REQUIRED, "O pagamento foi recusado."),
        R::ProviderUnavailable => {
            (S::BAD_GATEWAY, "Um serviço externo não respondeu. Tente novamente em instantes.")
        }
        R::PaymentsDown => {
            (S::SERVICE_UNAVAILABLE, "Os pagamentos estão fora do ar no momento. Tente novamente mais tarde.")
        }
        R::Unavailable => {
            (S::SERVICE_UNAVAILABLE, "Serviço temporariamente indisponível. Tente novamente em instantes.")
        }
        R::Unspecified | R::Internal => {
            (S::INTERNAL_SERVER_ERROR, "Ocorreu um erro inesperado. Tente novamente.")
        }
        R::Unimplemented => (S::NOT_IMPLEMENTED, "Este recurso ainda não está disponível."),
        R::PayloadTooLarge => (S::PAYLOAD_TOO_LARGE, "O conteúdo enviado é grande demais."),
        R::MethodNotAllowed => (S::METHOD_NOT_ALLOWED, "Este endereço não aceita esse método."),
        R::UnsupportedMediaType => (S::UNSUPPORTED_MEDIA_TYPE, "Envie o conteúdo como application/json."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = ErrorReason> {
        (1..).map_while(|n| ErrorReason::try_from(n).ok())
    }

    #[test]
    fn each_reason_has_an_error_status_and_a_text() {
        for reason in all() {
            assert!(http_status(reason).as_u16() >= 400, "{reason:?}");
            assert!(!row(reason).1.is_empty(), "{reason:?}");
        }
        assert!(all().count() >= 38);
    }

    #[test]
    fn each_reason_survives_the_round_trip_through_grpc() {
        for reason in all() {
            let status = refused(Code::FailedPrecondition, reason, "in English");
            let error = ApiError::from(status);
            assert_eq!(error.reason, reason);
            let response = error.rendered(Response::default(), "abc");
            assert_eq!(response.status(), http_status(reason));
        }
    }

    #[test]
    fn a_status_without_a_reason_is_internal_unavailable_or_unimplemented() {
        for (code, reason) in [
            (Code::Unknown, ErrorReason::Internal),
            (Code::NotFound, ErrorReason::Internal),
            (Code::DeadlineExceeded, ErrorReason::Unavailable),
            (Code::Unavailable, ErrorReason::Unavailable),
            (Code::Unimplemented, ErrorReason::Unimplemented),
        ] {
            assert_eq!(ApiError::from(Status::new(code, "x")).reason, reason, "{code:?}");
        }
    }

    #[test]
    fn a_wrong_field_is_named_as_in_rest() {
        let mut details = ErrorDetails::with_bad_request_violation("display_name", "is empty");
        details.set_error_info("INVALID_ARGUMENT", DOMAIN, HashMap::new());
        let error = ApiError::from(Status::with_error_details(Code::InvalidArgument, "x", details));
        assert_eq!(error.message("id"), "Dados inválidos: displayName não é válido.");
    }
}
