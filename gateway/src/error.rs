//! From a gRPC status to what a REST caller reads: HTTP status, reason and a text in pt-BR.

use crate::budget::{self, Exceeded};
use axum::response::{IntoResponse, Response};
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::reasons::{DOMAIN, reason_name, reason_of};
use http::header::ALLOW;
use http::{HeaderValue, StatusCode};
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// A refused or failed REST call.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    reason: ErrorReason,
    /// Names of the fields that are wrong, as the REST body spells them, each with what is wrong.
    fields: Vec<(String, String)>,
    retry_after: Option<Duration>,
    /// What was behind it, for the log alone.
    cause: Option<String>,
    shape: Shape,
}

/// The body around the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{"error", "code"}`.
    Plain,
    /// The same with `"ok": false` (/api/password-reset).
    WithOk,
}

impl ApiError {
    /// A refusal with a reason alone.
    pub fn new(reason: ErrorReason) -> Self {
        Self { reason, fields: Vec::new(), retry_after: None, cause: None, shape: Shape::Plain }
    }

    /// Fields that are missing or of a wrong type.
    pub fn fields(fields: Vec<(String, String)>) -> Self {
        Self { fields, ..Self::new(ErrorReason::InvalidArgument) }
    }

    /// The refusal of a client whose limit is reached, with the pause.
    pub fn too_many_requests(pause: Duration) -> Self {
        Self { retry_after: Some(pause), ..Self::new(ErrorReason::TooManyRequests) }
    }

    /// The same error in another body.
    pub fn shaped(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    /// HTTP status of the answer.
    pub fn status(&self) -> StatusCode {
        http_status(self.reason)
    }

    /// The answer with its body, which gives the request id where the fault is ours. What the router put on the bare
    /// answer (`Allow`) stays.
    pub fn rendered(&self, bare: Response, request_id: &HeaderValue) -> Response {
        let status = self.status();
        let id = request_id.to_str().unwrap_or_default();
        let mut body = serde_json::Map::new();
        if self.shape == Shape::WithOk {
            body.insert("ok".into(), false.into());
        }
        body.insert("error".into(), self.message(id).into());
        body.insert("code".into(), reason_name(self.reason).into());
        let mut response = (status, axum::Json(body)).into_response();
        let headers = response.headers_mut();
        headers.extend(bare.headers().get(ALLOW).map(|allow| (ALLOW, allow.clone())));
        if let Some(after) = self.retry_after {
            headers.insert(http::header::RETRY_AFTER, HeaderValue::from(after.as_secs().max(1)));
        }
        response
    }

    /// The reason.
    pub fn reason(&self) -> ErrorReason {
        self.reason
    }

    /// The reason's name, as callers read it.
    pub fn reason_name(&self) -> &'static str {
        reason_name(self.reason)
    }

    /// What was behind it, for the log alone.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    fn message(&self, request_id: &str) -> String {
        let said = text(self.reason);
        match self.reason {
            ErrorReason::Internal => format!("{said} Código do atendimento: {request_id}."),
            ErrorReason::InvalidArgument if !self.fields.is_empty() => {
                let fields: Vec<_> = self.fields.iter().map(|(name, why)| format!("{name} {why}")).collect();
                format!("Dados inválidos: {}.", fields.join("; "))
            }
            _ => said.to_owned(),
        }
    }
}

impl From<Status> for ApiError {
    /// Fields are named as most bodies spell them: `displayName`.
    fn from(status: Status) -> Self {
        Self::naming(status, camel_case)
    }
}

impl ApiError {
    /// A refusal of a call whose body spells its fields as the services do: `event_time`.
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
        let code = match exceeded {
            Exceeded::Client | Exceeded::Network => Code::ResourceExhausted,
            Exceeded::Total | Exceeded::Evicted => Code::Unavailable,
        };
        let mut details =
            ErrorDetails::with_error_info(reason_name(reason), DOMAIN, std::collections::HashMap::new());
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

/// The body is written by [`ApiError::rendered`], which knows the request.
impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// A status that carries a reason, for refusals that the gateway makes itself on gRPC calls.
pub(crate) fn refused(code: Code, reason: ErrorReason, message: &str) -> Status {
    let details =
        ErrorDetails::with_error_info(reason_name(reason), DOMAIN, std::collections::HashMap::new());
    Status::with_error_details(code, message, details)
}

/// The reason of a status that carries none: the transport made it.
fn reason_of_bare(code: Code) -> ErrorReason {
    match code {
        Code::Unavailable | Code::DeadlineExceeded | Code::Cancelled => ErrorReason::Unavailable,
        Code::Unimplemented => ErrorReason::Unimplemented,
        _ => ErrorReason::Internal,
    }
}

fn camel_case(snake: &str) -> String {
    let mut parts = snake.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut name, part| {
        let mut letters = part.chars();
        name.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        name.push_str(letters.as_str());
        name
    })
}

/// HTTP status of a reason.
pub(crate) fn http_status(reason: ErrorReason) -> StatusCode {
    use ErrorReason as R;
    match reason {
        R::InvalidCredential | R::WrongPassword | R::Unauthenticated => StatusCode::UNAUTHORIZED,
        R::PermissionDenied => StatusCode::FORBIDDEN,
        R::UserNotFound | R::NotFound | R::NoCustomer | R::NoSubscription => StatusCode::NOT_FOUND,
        R::EmailInUse
        | R::AlreadySubscribed
        | R::PriceChanged
        | R::PreviewExpired
        | R::CardRequired
        | R::CursorExpired
        | R::ChangeInProgress => StatusCode::CONFLICT,
        R::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        R::InvalidArgument
        | R::InvalidEmail
        | R::InvalidPhone
        | R::WeakPassword
        | R::EmailMissing
        | R::UnknownPlan
        | R::UnknownInterval
        | R::UnknownEvent
        | R::InvalidSignature
        | R::PlanNotForSale
        | R::CouponNotApplicable
        | R::RefundWindowClosed
        | R::ResetCodeInvalid
        | R::ResetCodeExpired
        | R::EmailCodeInvalid
        | R::EmailCodeExpired => StatusCode::BAD_REQUEST,
        R::PaymentDeclined => StatusCode::PAYMENT_REQUIRED,
        R::ProviderUnavailable => StatusCode::BAD_GATEWAY,
        R::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        R::Unspecified | R::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        R::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        R::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        R::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        R::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
    }
}

/// What a person reads.
fn text(reason: ErrorReason) -> &'static str {
    use ErrorReason as R;
    match reason {
        R::InvalidCredential => "Email ou senha inválidos",
        R::WrongPassword => "Senha incorreta",
        R::Unauthenticated => "Entre na sua conta para continuar.",
        R::PermissionDenied => "Você não tem permissão para fazer isso.",
        R::UserNotFound => "Usuário não encontrado",
        R::NotFound => "Não encontrado.",
        R::NoCustomer => "Esta conta ainda não tem pagamentos para gerenciar.",
        R::NoSubscription => "Esta conta não tem assinatura.",
        R::EmailInUse => "Este email já está em uso. Tente outro ou faça login.",
        R::TooManyRequests => "Muitas tentativas. Tente novamente mais tarde",
        R::InvalidArgument => "Dados inválidos.",
        R::InvalidEmail => "Email inválido",
        R::InvalidPhone => "Digite um número de WhatsApp válido com DDD.",
        R::WeakPassword => "A senha deve ter pelo menos 6 caracteres.",
        R::EmailMissing => "Email não encontrado",
        R::UnknownPlan => "Este plano não existe.",
        R::UnknownInterval => "Este período não existe.",
        R::UnknownEvent => "Este evento não existe.",
        R::InvalidSignature => "Assinatura do evento inválida.",
        R::PlanNotForSale => "Este plano não está à venda.",
        R::CouponNotApplicable => "Este cupom não vale para esta compra.",
        R::RefundWindowClosed => "O prazo de 7 dias da garantia terminou.",
        R::ResetCodeInvalid => "Este link de recuperação não é válido. Peça um novo.",
        R::ResetCodeExpired => "Este link de recuperação expirou. Peça um novo.",
        R::EmailCodeInvalid => "Este link de confirmação não vale mais. Peça um novo.",
        R::EmailCodeExpired => "Este link de confirmação expirou. Peça um novo.",
        R::AlreadySubscribed => "Você já tem uma assinatura ativa!",
        R::PriceChanged => "O preço mudou. Confira o valor atualizado.",
        R::PreviewExpired => "Os valores mostrados expiraram. Confira os valores atualizados.",
        R::CardRequired => {
            "Para pagar a diferença agora, cadastre um cartão. O boleto não é cobrado na hora."
        }
        R::ChangeInProgress => {
            "Outra mudança da sua assinatura ainda está sendo concluída. Tente novamente em instantes."
        }
        R::CursorExpired => "O ponto de leitura expirou. Comece de novo.",
        R::PaymentDeclined => "O pagamento foi recusado.",
        R::ProviderUnavailable => "Um serviço externo não respondeu. Tente novamente em instantes.",
        R::Unavailable => "Serviço temporariamente indisponível. Tente novamente em instantes.",
        R::Unspecified | R::Internal => "Ocorreu um erro inesperado. Tente novamente.",
        R::Unimplemented => "Este recurso ainda não está disponível.",
        R::PayloadTooLarge => "O conteúdo enviado é grande demais.",
        R::MethodNotAllowed => "Este endereço não aceita esse método.",
        R::UnsupportedMediaType => "Envie o conteúdo como application/json.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = ErrorReason> {
        (1..).map_while(|n| ErrorReason::try_from(n).ok())
    }

    #[test]
    fn toda_razao_tem_status_de_erro_e_texto() {
        for reason in all() {
            assert!(http_status(reason).as_u16() >= 400, "{reason:?}");
            assert!(!text(reason).is_empty(), "{reason:?}");
        }
        assert!(all().count() >= 38);
    }

    #[test]
    fn toda_razao_atravessa_o_grpc_e_volta() {
        for reason in all() {
            let status = refused(Code::FailedPrecondition, reason, "in English");
            let error = ApiError::from(status);
            assert_eq!(error.reason, reason);
            let response = error.rendered(Response::default(), &HeaderValue::from_static("abc"));
            assert_eq!(response.status(), http_status(reason));
        }
    }

    #[test]
    fn status_sem_razao_e_falha_interna_ou_indisponibilidade() {
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
    fn campo_errado_aparece_com_o_nome_do_rest() {
        let mut details = ErrorDetails::with_bad_request_violation("display_name", "is empty");
        details.set_error_info("INVALID_ARGUMENT", DOMAIN, std::collections::HashMap::new());
        let error = ApiError::from(Status::with_error_details(Code::InvalidArgument, "x", details));
        assert_eq!(error.message("id"), "Dados inválidos: displayName não é válido.");
    }
}
