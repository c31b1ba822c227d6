//! A person's own account: devices, password, email, data, deletion.

mod aparelhos;
mod auditoria;
mod confirmacao;
mod dados;
mod erasure;
mod exclusao;
mod senha;

use tonic_types::StatusExt;

/// The reason of a refusal.
fn reason(refused: &tonic::Status) -> String {
    refused.get_details_error_info().expect("a reason").reason
}
