//! Every answer of UserService, on both databases.

use garimpo_proto::auth::v1::GetSessionRequest;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::users::v1 as pb;

use crate::tests::server::{SignedInUser, TestServer, bearer, fields, reason, refusal};

mod consent;
mod deletion;
mod export;

fn get_user(uid: &str) -> pb::GetUserRequest {
    pb::GetUserRequest { uid: uid.to_owned() }
}

fn save_user(of: &SignedInUser) -> pb::SaveUserRequest {
    pb::SaveUserRequest {
        uid: of.uid.to_string(),
        email: of.email.clone(),
        display_name: "Ana Lima".to_owned(),
        email_verified: true,
        phone_number: Some("2133334444".to_owned()),
        first_name: None,
        last_name: None,
        photo_url: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_record_exists_from_sign_up_with_the_specified_fields() {
    let (server, ana) = TestServer::with_ana().await;

    let read = server.users().get_user(bearer(get_user(&ana.uid), &ana.session)).await.expect("it is theirs");

    let user = read.into_inner().user.expect("a record");
    assert_eq!((user.uid, user.email), (ana.uid.into_string(), ana.email));
    assert_eq!(user.display_name, "Ana Maria Souza");
    assert_eq!(user.first_name.as_deref(), Some("Ana"));
    assert_eq!(user.last_name.as_deref(), Some("Maria Souza"));
    assert_eq!(user.phone_number.as_deref(), Some("11987654321"));
    assert_eq!(user.phone, user.phone_number);
    assert!(!user.email_verified);
    assert_eq!(user.created_at.expect("a moment").seconds, 1_795_176_000);
    assert_eq!((user.subscription_plan, user.subscription_active), (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_of_another_user_cannot_be_read_whether_it_exists_or_not() {
    let (server, ana) = TestServer::with_ana().await;
    let rui = server.signs_up("rui@exemplo.com.br").await;

    for uid in [&*ana.uid, "usr_nao_existe", ""] {
        let refused =
            server.users().get_user(bearer(get_user(uid), &rui.id_token)).await.expect_err("foreign");
        assert_eq!(reason(&refused), ErrorReason::PermissionDenied);
        assert_eq!(refused.message(), "only the caller's own uid and email are allowed");
    }
    let nobody = server.users().get_user(get_user(&ana.uid)).await.expect_err("nobody reads");
    assert_eq!(reason(&nobody), ErrorReason::Unauthenticated);
}

#[tokio::test(flavor = "multi_thread")]
async fn saving_twice_leaves_the_same_record() {
    let (server, ana) = TestServer::with_ana().await;
    let save = || server_save(&server, save_user(&ana), &ana.id_token);

    let first = save().await;
    let second = save().await;

    assert_eq!(first, second);
    assert_eq!((first.display_name.as_str(), first.first_name.as_deref()), ("Ana Lima", Some("Ana")));
    assert_eq!((first.last_name.as_deref(), first.phone.as_deref()), (Some("Lima"), Some("2133334444")));
    assert!(!first.email_verified, "only the confirmation link sets it");
    let without_phone = pb::SaveUserRequest { phone_number: None, ..save_user(&ana) };
    assert_eq!(server_save(&server, without_phone, &ana.session).await.phone.as_deref(), Some("2133334444"));
    let one_word = pb::SaveUserRequest { display_name: "Ana".into(), ..save_user(&ana) };
    assert_eq!(server_save(&server, one_word, &ana.session).await.last_name, None);
}

async fn server_save(server: &TestServer, record: pb::SaveUserRequest, token: &str) -> pb::User {
    let saved = server.users().save_user(bearer(record, token)).await.expect("it is theirs");
    saved.into_inner().user.expect("a record")
}

#[tokio::test(flavor = "multi_thread")]
async fn saving_another_user_or_invalid_fields_is_rejected() {
    let (server, ana) = TestServer::with_ana().await;
    let rui = server.signs_up("rui@exemplo.com.br").await;
    let good = || save_user(&ana);
    let cases = [
        (pb::SaveUserRequest { email: rui.email.clone(), ..good() }, ErrorReason::PermissionDenied),
        (pb::SaveUserRequest { uid: rui.uid.to_string(), ..good() }, ErrorReason::PermissionDenied),
        (pb::SaveUserRequest { email: "x".into(), ..good() }, ErrorReason::InvalidEmail),
        (pb::SaveUserRequest { phone_number: Some("1".into()), ..good() }, ErrorReason::InvalidPhone),
        (pb::SaveUserRequest { display_name: "a\0b".into(), ..good() }, ErrorReason::InvalidArgument),
    ];

    for (record, expected) in cases {
        let refused = server.users().save_user(bearer(record, &ana.session)).await.expect_err("refused");
        assert_eq!(reason(&refused), expected);
    }
    let all = pb::SaveUserRequest { phone_number: Some("1".into()), ..pb::SaveUserRequest::default() };
    let refused = server.users().save_user(bearer(all, &ana.session)).await.expect_err("refused");
    assert_eq!(fields(&refused), ["uid", "email", "display_name", "phone_number"]);
    let nobody = server.users().save_user(good()).await.expect_err("refused");
    assert_eq!(reason(&nobody), ErrorReason::Unauthenticated);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_https_photo_stays_until_it_is_replaced_or_deleted() {
    let (server, ana) = TestServer::with_ana().await;
    let with =
        |photo: Option<&str>| pb::SaveUserRequest { photo_url: photo.map(str::to_owned), ..save_user(&ana) };
    let photo = "https://example.com/ana.jpg";
    for (sent, kept) in [(Some(photo), Some(photo)), (None, Some(photo)), (Some(" "), None), (None, None)] {
        let saved = server_save(&server, with(sent), &ana.session).await;
        assert_eq!(saved.photo_url.as_deref(), kept, "{sent:?}");
    }
    for wrong in ["http://example.com/a.jpg", "javascript:alert(1)", "a"] {
        let refused = server.users().save_user(bearer(with(Some(wrong)), &ana.session)).await;
        let refused = refused.expect_err("refused");
        assert_eq!(refusal(&refused), (ErrorReason::InvalidArgument, "photo_url".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_name_is_visible_immediately_in_existing_sessions() {
    let (server, ana) = TestServer::with_ana().await;
    let asked = || bearer(GetSessionRequest {}, &ana.session);
    let before = server.auth().get_session(asked()).await.expect("GetSession answers").into_inner();
    assert_eq!(before.user.expect("a user").display_name, "Ana Maria Souza");

    server.users().save_user(bearer(save_user(&ana), &ana.session)).await.expect("it is theirs");

    let after = server.auth().get_session(asked()).await.expect("GetSession answers").into_inner();
    assert_eq!(after.user.expect("a user").display_name, "Ana Lima");
}
