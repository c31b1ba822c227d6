//! Crashes within the operator's commands and the push of the catalogue.

use e2e::{App, Cluster, Layout, Person, soak};
use garimpo_proto::billing::v1::RequestRefundRequest;
use serde_json::{Value, json};

use super::{Apart, Together};

const DRY_RUN: [&str; 3] = ["catalog", "push", "--dry-run"];

#[tokio::test]
async fn a_first_catalogue_push_that_crashes_continues_without_duplicate_objects() {
    for (layout, pass) in [(Together, 1), (Apart, 40)] {
        let passes: Vec<usize> = if soak::is_long() { (1..400).step_by(12).collect() } else { vec![pass] };
        let cluster = Cluster::start(layout).await;
        let whole = objects(&cluster).await;
        let mut died = 0;
        for pass in &passes {
            if !crash_first_push(layout, *pass, &whole).await {
                break;
            }
            died += 1;
        }
        eprintln!("catalog.pushed: {died} passes of a first start {layout:?}");
        assert!(died > 0, "it was never reached");
    }
}

/// A first start that crashes after `pass` objects, and the next start; returns whether it crashed.
async fn crash_first_push(layout: Layout, pass: usize, whole: &[Vec<String>; 3]) -> bool {
    let mut cluster = Cluster::start_with_crash_point(layout, &format!("catalog.pushed:{pass}")).await;
    let mut who = cluster.retrying_visitor();
    let buying = tokio::spawn(async move {
        who.signs_up().await;
        who.opens_checkout("Elite Nível 5", "mensal").await;
        who
    });
    let died = loop {
        if cluster.has_aborted() {
            break true;
        }
        if buying.is_finished() {
            break false;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    cluster.restart().await;
    let who = buying.await.expect("a checkout opens");
    cluster.wait_until_idle().await;
    who.assert_acknowledged_kept().await;
    assert_eq!(&objects(&cluster).await, whole, "{pass} {layout:?}");
    let compared = cluster.admin(&DRY_RUN).await;
    assert_eq!((compared.code, compared.stdout.as_str()), (0, "0 differences\n"), "{compared:?}");
    died
}

/// Products, prices and coupons at the provider, by the ids that the catalogue gives them.
async fn objects(cluster: &Cluster) -> [Vec<String>; 3] {
    let provider = cluster.provider();
    let named = async |path: &str, key: &str| {
        let all = provider.all(path).await;
        let mut names: Vec<String> =
            all.iter().map(|one| one[key].as_str().unwrap_or_default().to_owned()).collect();
        names.sort();
        names
    };
    [
        named("/v1/products?", "id").await,
        named("/v1/prices?", "lookup_key").await,
        named("/v1/coupons?", "id").await,
    ]
}

#[tokio::test]
async fn an_operators_catalogue_push_that_crashes_is_finished_by_the_next() {
    let app = App::start().await;
    let provider = app.provider();
    let coupons = provider.all("/v1/coupons?").await;
    let coupon = coupons.iter().find(|coupon| coupon["percent_off"].is_number()).expect("a coupon");
    let (id, ours) = (coupon["id"].as_str().expect("an id"), coupon["percent_off"].clone());
    // Each push repairs a renamed product and a replaced coupon.
    for pass in 1..=3 {
        provider.changes("/v1/products/top_afiliado", &[("name", "Top")]).await;
        let other = [("id", id), ("name", id), ("percent_off", "1"), ("duration", "once")];
        provider.deletes(&format!("/v1/coupons/{id}")).await;
        provider.changes("/v1/coupons", &other).await;

        app.admin_dies(&["catalog", "push"], &format!("catalog.pushed:{pass}")).await;
        let left = app.admin(&DRY_RUN).await;
        assert_eq!(left.code, i32::from(pass < 3), "{pass}: {left:?}");
        let pushed = app.admin(&["catalog", "push"]).await;

        assert_eq!(pushed.code, 0, "{pass}: {pushed:?}");
        let compared = app.admin(&DRY_RUN).await;
        assert_eq!((compared.code, compared.stdout.as_str()), (0, "0 differences\n"), "{compared:?}");
        assert_eq!(provider.object("/v1/products/top_afiliado").await["name"], "Top Afiliado");
        assert_eq!(provider.object(&format!("/v1/coupons/{id}")).await["percent_off"], ours);
    }
}

#[tokio::test]
async fn a_backup_that_crashes_leaves_no_backup_and_the_next_removes_its_remains() {
    let app = App::start().await;
    if app.database_url().is_some() {
        // PostgreSQL has its own tool.
        return;
    }
    let person = Person::new();
    app.visitor().signs_up(&person).await;
    let (folder, parent) = (app.folder("copias/hoje"), app.folder("copias"));
    let target = folder.to_str().expect("UTF-8").to_owned();
    for crash_at in ["backup.copied", "backup.copied:2"] {
        app.admin_dies(&["backup", &target], crash_at).await;
        let left = std::fs::read_dir(&parent).expect("it is there").count();
        assert_eq!((folder.exists(), left), (false, 1), "{crash_at}: the unfinished copy alone");
    }

    let made = app.admin(&["backup", &target]).await;

    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(std::fs::read_dir(&parent).expect("it is there").count(), 1, "nothing unfinished is left");
    let app = app.restored_from(&folder).await;
    app.visitor().signs_in(&person).await;
}

#[tokio::test]
async fn a_paid_pix_mark_that_crashes_is_kept_and_can_be_repeated() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let slip = ana.opens_checkout("Elite Nível 1", "mensal").await;
    provider.asks_for_boleto(&slip).await;
    provider.pays_boleto(&slip).await;
    ana.becomes_active().await;
    let back = ana.authorized(RequestRefundRequest { request_id: None });
    ana.billing().await.request_refund(back).await.expect("it is refunded");
    let waiting = app.admin(&["refunds", "list", "--json"]).await;
    let waiting: Value = serde_json::from_str(&waiting.stdout).expect("JSON");
    let id = waiting[0]["id"].as_str().expect("an id");
    let paid = ["refunds", "paid", id, "--note", "TED do banco"];

    app.admin_dies(&paid, "refund.paid").await;
    let again = app.admin(&paid).await;
    let other = app.admin(&["refunds", "paid", id, "--note", "outra TED"]).await;

    assert_eq!((again.code, other.code), (0, 2), "{again:?} {other:?}");
    let listed = app.admin(&["refunds", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed.stdout).expect("JSON");
    let seen = (&listed[0]["state"], &listed[0]["paid_note"]);
    assert_eq!(seen, (&json!("paid"), &json!("TED do banco")));
    let about_it = async || {
        let mails = provider.mails_to(&ana.email).await;
        mails.into_iter().filter(|mail| mail["subject"] == "Reembolso pago: R$ 197,90").count()
    };
    e2e::eventually("the mail of the Pix", || async { (about_it().await > 0).then_some(()) }).await;
    assert_eq!(about_it().await, 1);
}
