//! The documented REST contract over the running binary: one file per call, with its success and
//! every failure compared as a whole. `every_call` has the rules of all calls.

mod check_cookie;
mod clear_cookie;
mod config;
mod create_checkout;
mod create_portal;
mod every_call;
mod get_user;
mod meta_capi;
mod openapi;
mod save_user;
mod session_status;
mod set_cookie;
mod webhook;

use e2e::rest::Refusal;

const UNAUTHENTICATED: Refusal = (401, "UNAUTHENTICATED", "Entre na sua conta para continuar.");
const PERMISSION_DENIED: Refusal = (403, "PERMISSION_DENIED", "Você não tem permissão para fazer isso.");
const NOT_FOUND: Refusal = (404, "NOT_FOUND", "Não encontrado.");
const METHOD_NOT_ALLOWED: Refusal = (405, "METHOD_NOT_ALLOWED", "Este endereço não aceita esse método.");
const PAYLOAD_TOO_LARGE: Refusal = (413, "PAYLOAD_TOO_LARGE", "O conteúdo enviado é grande demais.");
const UNSUPPORTED_MEDIA_TYPE: Refusal =
    (415, "UNSUPPORTED_MEDIA_TYPE", "Envie o conteúdo como application/json.");
const TOO_MANY_REQUESTS: Refusal =
    (429, "TOO_MANY_REQUESTS", "Muitas tentativas. Tente novamente mais tarde");
const PROVIDER_UNAVAILABLE: Refusal =
    (502, "PROVIDER_UNAVAILABLE", "Um serviço externo não respondeu. Tente novamente em instantes.");
const PAYMENTS_DOWN: Refusal =
    (503, "PAYMENTS_DOWN", "Os pagamentos estão fora do ar no momento. Tente novamente mais tarde.");
const UNAVAILABLE: Refusal =
    (503, "UNAVAILABLE", "Serviço temporariamente indisponível. Tente novamente em instantes.");

/// Headers by which a browser marks a write from another site.
const FOREIGN_ORIGIN_HEADERS: [(&str, &str); 4] = [
    ("origin", "http://outro.exemplo"),
    ("origin", "null"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-site"),
];
