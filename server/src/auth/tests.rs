//! Every response of AuthService, on both databases.

use garimpo_proto::auth::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use tonic::Code;
use tonic_types::StatusExt as _;

use super::*;
use crate::tests::server::{ANA, TestServer, ana, bearer, fields, from_address, reason, refusal, session_of};

mod audit;
mod challenge;
mod crash;
mod devices;
mod email;
mod email_correction;
mod identity;
mod life;
mod limits;
mod password;
mod recovery;
mod sign_in;
mod sign_up;
mod tokens;

fn sign_in(email: &str, password: &str) -> pb::SignInRequest {
    pb::SignInRequest { email: email.to_owned(), password: password.to_owned() }
}
