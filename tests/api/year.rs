//! A year of one subscription, replayed through the sandbox's clock, and its ledger
//! (docs/a-year.md).
//!
//! The document is generated from this run. After an intended change, write it again with
//! `GARIMPO_WRITE_DOCS=1` and read the difference.

mod book;

use std::path::Path;
use std::time::Instant;

use e2e::visitor::session_id;
use e2e::{App, Person, Visitor, ledger, soak};
use garimpo_proto::billing::v1::{
    CancelSubscriptionRequest, ChangePlanRequest, CreateCheckoutSessionRequest, PlanInterval,
    PreviewPlanChangeRequest, ResumeSubscriptionRequest,
};

use PlanInterval::{Monthly, Quarterly};
use book::Book;

const VISA: &str = "4242424242424242";
/// Can be saved, and every later charge is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// Margin for the duration of a step, so that it changes no minute and no centavo.
const MINUTE: i64 = 60;
const BEGIN: &str = "2026-01-05T13:00:00Z";

/// The account, its ledger and its paid period at each step.
struct Year {
    app: App,
    ana: Visitor,
    book: Book,
    /// Start and end of the paid period, in Unix seconds.
    from: i64,
    until: i64,
}

#[tokio::test]
async fn a_year_of_one_subscription_matches_its_ledger() {
    let app = App::start_with(&[("GARIMPO_SANDBOX_CLOCK", BEGIN)]).await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let book = Book::opens(&app, &ana).await;
    let began = Instant::now();
    let mut year = Year { app, ana, book, from: 0, until: 0 };

    year.replay().await;

    let took = began.elapsed();
    ledger::eventually_agrees(&year.app.provider(), &year.ana).await;
    eprintln!("a year: {:.1} s for {} days", took.as_secs_f64(), year.book.days());
    let written = year.book.closes().await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/a-year.md");
    if soak::setting("GARIMPO_WRITE_DOCS").is_some() {
        std::fs::write(&path, &written).expect("the document can be written");
    }
    let kept = std::fs::read_to_string(&path).expect("the document");
    assert_eq!(kept, written, "docs/a-year.md differs from this year: GARIMPO_WRITE_DOCS=1 rewrites it");
}

impl Year {
    async fn replay(&mut self) {
        let provider = self.app.provider();
        let begin = e2e::provider::unix_seconds(BEGIN);
        provider.goes_to(begin + 10 * MINUTE).await;
        self.book.row("Account opened; the free trial of 7 days begins").await;
        provider.goes_to(begin + 3 * DAY).await;
        self.buys().await;
        self.book.row("Bought Top Afiliado, monthly, by card, with the coupon NOVO10").await;
        self.renews("Renewed").await;

        self.gives_card(CARD_OF_ONE_CHARGE).await;
        provider.goes_to(self.until + HOUR + MINUTE).await;
        self.ana.becomes("suspended").await;
        self.book.row("Renewal refused by the card: access is suspended").await;
        provider.goes_to(self.until + 3 * DAY + 2 * HOUR).await;
        self.book.row("Tried again and refused").await;
        provider.goes_to(self.until + 4 * DAY).await;
        self.gives_card(VISA).await;
        self.wait_until_renewed(30).await;
        self.book.row("Another card given: charged at once, access is back").await;

        provider.goes_to(self.from + 15 * DAY).await;
        self.changes("elite_nivel_1", Monthly).await;
        self.book.row("Upgrade to Elite Nível 1 on day 15 of 30").await;
        self.renews("Renewed").await;
        provider.goes_to(self.from + 10 * DAY).await;
        self.changes("top_afiliado", Monthly).await;
        self.book.row("Downgrade to Top Afiliado on day 10 of 30: the difference is credit").await;
        self.renews("Renewed; credit is used first").await;
        provider.goes_to(self.from + 15 * DAY).await;
        self.changes("top_afiliado", Quarterly).await;
        self.book.row("Interval changed to quarterly on day 15 of 30: a period begins today").await;
        self.renews("Renewed").await;
        self.renews("Renewed").await;

        provider.goes_to(self.from + 20 * DAY).await;
        self.cancels().await;
        self.book.row("Cancelled: access lasts to the end of the period").await;
        provider.goes_to(self.from + 25 * DAY).await;
        self.resumes().await;
        self.book.row("Cancellation undone").await;
        provider.goes_to(self.from + 60 * DAY).await;
        self.cancels().await;
        self.book.row("Cancelled again").await;
        provider.goes_to(self.until + MINUTE).await;
        self.ana.becomes("canceled").await;
        self.book.row("The period is over, and nothing is charged any more").await;
    }

    async fn buys(&mut self) {
        let request = CreateCheckoutSessionRequest {
            email: self.ana.email.clone(),
            plan_name: "top_afiliado".into(),
            interval: "monthly".into(),
            coupon_id: "novo10".into(),
            shown_price_centavos: Some(8_811),
            ..Default::default()
        };
        let opened = self.ana.billing().await.create_checkout_session(self.ana.authorized(request)).await;
        let session = session_id(&opened.expect("a checkout").into_inner().client_secret);
        assert_eq!(self.app.provider().pays_by_card(&session, VISA).await, 200);
        self.ana.becomes_active().await;
        self.reads_period().await;
    }

    /// Moves the clock to one hour after the end of the period, when the renewal is charged.
    async fn renews(&mut self, what: &str) {
        let length = (self.until - self.from) / DAY;
        self.app.provider().goes_to(self.until + HOUR + MINUTE).await;
        self.wait_until_renewed(length).await;
        self.book.row(what).await;
    }

    async fn wait_until_renewed(&mut self, days: i64) {
        let end = self.until + days * DAY;
        e2e::eventually("the renewed period", || async {
            (self.ana.record().await["subscription_end"] == end).then_some(())
        })
        .await;
        self.reads_period().await;
    }

    async fn reads_period(&mut self) {
        let record = self.ana.record().await;
        self.from = record["subscription_start"].as_i64().expect("a start");
        self.until = record["subscription_end"].as_i64().expect("an end");
    }

    async fn gives_card(&self, number: &str) {
        self.app.provider().portal_does_everything().await;
        self.app.provider().takes_card_in_portal(&self.ana.portal().await, number).await;
    }

    async fn changes(&mut self, plan: &str, interval: PlanInterval) {
        let mut billing = self.ana.billing().await;
        let asked = PreviewPlanChangeRequest { plan_id: plan.into(), interval: interval.into() };
        let shown = billing.preview_plan_change(self.ana.authorized(asked)).await.expect("a preview");
        let (preview_token, request_id) = (shown.into_inner().preview_token, None);
        let confirmed = ChangePlanRequest { preview_token, request_id };
        billing.change_plan(self.ana.authorized(confirmed)).await.expect("it is changed");
        self.reads_period().await;
    }

    async fn cancels(&self) {
        let asked = self.ana.authorized(CancelSubscriptionRequest::default());
        self.ana.billing().await.cancel_subscription(asked).await.expect("cancelled");
    }

    async fn resumes(&self) {
        let asked = self.ana.authorized(ResumeSubscriptionRequest {});
        self.ana.billing().await.resume_subscription(asked).await.expect("resumed");
    }
}
