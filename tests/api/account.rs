//! A person's own account: devices, password, email, data, deletion.

mod audit;
mod data_export;
mod deletion;
mod devices;
mod email_confirmation;
mod erasure;
mod password;

use tonic_types::StatusExt;

/// The reason of a refusal.
fn reason(refused: &tonic::Status) -> String {
    refused.get_details_error_info().expect("a reason").reason
}
