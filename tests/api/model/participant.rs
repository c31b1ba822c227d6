//! The actions of one person at the product and at the model; `seen` compares both.

mod seen;

use std::time::{Duration, Instant};

use e2e::model::{Account, DAY, INTERVALS, Method, Offer, Refused, forty_off};
use e2e::provider::Provider;
use e2e::visitor::{is_outage, session_id};
use e2e::{Cluster, DEADLINE, Person, Visitor};
use garimpo_proto::billing::v1::{
    CancelSubscriptionRequest, ChangePlanRequest, CreateCheckoutSessionRequest, PreviewPlanChangeRequest,
    PreviewPlanChangeResponse, RequestRefundRequest, ResumeSubscriptionRequest,
};
use serde_json::{Value, json};
use tonic::Status;
use tonic_types::StatusExt as _;

use super::case::Act;

const VISA: &str = "4242424242424242";
/// Can be saved, and every later charge is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const DECLINED: &str = "4000000000000002";
/// Amount of a partial refund from the dashboard.
const PART: i64 = 1_000;
/// Seconds that a busy machine may need between two reads of the clock.
const SLACK: i64 = 120;

/// A person, and the model of their account.
pub struct Participant {
    pub who: Visitor,
    pub model: Account,
    provider: Provider,
    /// Checkout session of the running subscription.
    session: String,
    /// Two purchases that were paid at once, until it is known which one is kept.
    duplicate_purchases: Vec<(Offer, String)>,
    dispute: String,
    acts: u32,
}

/// The final reply of a call that was retried over outages, and whether an earlier reply may have
/// been lost.
struct Attempt<T> {
    answer: Result<T, String>,
    after_outage: bool,
}

impl Participant {
    pub async fn begins(cluster: &Cluster) -> Self {
        let (who, provider) = (cluster.visitor().signs_up(&Person::new()).await, cluster.provider());
        let trial_ends = who.get_subscription().await.trial_ends_at.expect("a trial").seconds;
        let (model, now) = (Account::new(trial_ends - 7 * DAY), provider.now().await);
        assert!((now - SLACK..=now).contains(&(trial_ends - 7 * DAY)), "a trial of seven days");
        let (session, dispute) = (String::new(), String::new());
        Self { who, model, provider, session, duplicate_purchases: vec![], dispute, acts: 0 }
    }

    /// Does one action at the product, and applies its expected result to the model.
    pub async fn does(&mut self, act: Act) {
        self.acts += 1;
        self.model.passes(self.provider.now().await);
        match act {
            Act::Nothing => {}
            Act::Buy { offer, coupon, by } => self.buys(offer, coupon, by).await,
            Act::BuyDeclined { offer } => self.buy_with_declined_card(offer).await,
            Act::BuyTwice { offers } => self.buys_twice(offers).await,
            Act::PayBoleto => self.pays_boleto().await,
            Act::GiveCard { good } => self.gives_card(good).await,
            Act::Change { to } => self.changes(to).await,
            Act::Cancel => self.cancels().await,
            Act::Resume => self.resumes().await,
            Act::RequestRefund => self.request_refund().await,
            Act::Refund { whole } => self.refund_at_dashboard(whole).await,
            Act::Dispute => self.disputes().await,
            Act::Decide { won } => self.decide_dispute(won).await,
        }
    }

    fn request_id(&self) -> String {
        format!("act-{}", self.acts)
    }

    /// Opens a checkout, or asserts the refusal that the model expects.
    async fn opens(&mut self, offer: Offer, coupon: bool, turn: u32) -> Option<String> {
        let request = CreateCheckoutSessionRequest {
            email: self.who.email.clone(),
            plan_name: offer.id().into(),
            interval: INTERVALS[offer.interval].1.into(),
            coupon_id: if coupon { "BF40" } else { "" }.into(),
            shown_price_centavos: Some(first_price(offer, coupon)),
            request_id: Some(format!("{}-{turn}", self.request_id())),
            ..Default::default()
        };
        let open = async || {
            let asked = self.who.authorized(request.clone());
            Ok(self.who.try_billing().await?.create_checkout_session(asked).await?.into_inner().client_secret)
        };
        let said = retry(open).await;
        match self.model.may_buy(self.provider.now().await) {
            Ok(()) => {
                self.model.opens_checkout();
                Some(session_id(&said.answer.expect("a checkout")))
            }
            Err(reason) => {
                assert_eq!(said.answer.expect_err("no second one"), reason);
                None
            }
        }
    }

    async fn buys(&mut self, offer: Offer, coupon: bool, by: Method) {
        let Some(session) = self.opens(offer, coupon, 0).await else { return };
        let price = first_price(offer, coupon);
        if by == Method::Boleto {
            let asked = self.provider.asks_for_boleto(&session).await == 200;
            assert_eq!(asked, self.model.may_ask_for_boleto(price), "a boleto of {price} centavos");
            if asked {
                let issued = self.begun_at(&session).await;
                self.model.asks_for_boleto(&session, offer, price, issued);
            }
            return;
        }
        let card = if by == Method::Card { VISA } else { CARD_OF_ONE_CHARGE };
        assert_eq!(self.provider.pays_by_card(&session, card).await, 200, "it can be paid");
        let from = self.begun_at(&session).await;
        self.model.buys(offer, price, by, from);
        self.session = session;
    }

    async fn buy_with_declined_card(&mut self, offer: Offer) {
        let Some(session) = self.opens(offer, false, 0).await else { return };
        assert_eq!(self.provider.pays_by_card(&session, DECLINED).await, 402, "the bank refuses");
    }

    async fn buys_twice(&mut self, offers: [Offer; 2]) {
        if offers[0] == offers[1] {
            return;
        }
        let Some(one) = self.opens(offers[0], false, 0).await else { return };
        let Some(other) = self.opens(offers[1], false, 1).await else { return };
        let (one_paid, other_paid) =
            tokio::join!(self.provider.pays_by_card(&one, VISA), self.provider.pays_by_card(&other, VISA));
        let paid = [(offers[0], one, one_paid), (offers[1], other, other_paid)];
        // The second session may have been expired by then.
        self.duplicate_purchases =
            paid.into_iter().filter(|(.., code)| *code == 200).map(|(o, s, _)| (o, s)).collect();
        assert!(!self.duplicate_purchases.is_empty(), "one of two can be paid");
    }

    /// The product chooses which of two simultaneous purchases is kept, and refunds the other.
    pub async fn settle_duplicate_purchases(&mut self) {
        let duplicate_purchases = std::mem::take(&mut self.duplicate_purchases);
        let mut standing = vec![];
        for (offer, session) in duplicate_purchases {
            let subscription = self.subscription_of(&session).await;
            // The start of its first period, because it may have renewed since.
            let from = subscription["start_date"].as_i64().expect("a start");
            let due = self.first_due_of(&subscription).await;
            standing.push((subscription["status"] == "active", offer, session, from, due));
        }
        standing.sort_by_key(|(stands, ..)| !stands);
        for (at, (stands, offer, session, from, due)) in standing.into_iter().enumerate() {
            assert_eq!(stands, at == 0, "one of two purchases is kept: {session}");
            if stands {
                self.model.buys_beside(offer, due, from);
                self.session = session;
            } else {
                self.model.bought_twice(offer.price(), due, from);
            }
        }
    }

    /// Amount that the first invoice of a subscription charged, after credit.
    async fn first_due_of(&self, subscription: &Value) -> i64 {
        let id = subscription["id"].as_str().expect("an id");
        let invoices = self.provider.all(&format!("/v1/invoices?subscription={id}")).await;
        let first = invoices.iter().find(|invoice| invoice["billing_reason"] == "subscription_create");
        first.expect("a first invoice")["amount_due"].as_i64().expect("a number")
    }

    async fn subscription_of(&self, session: &str) -> Value {
        let held = self.provider.object(&format!("/v1/checkout/sessions/{session}")).await;
        let id = held["subscription"].as_str().expect("a subscription");
        self.provider.object(&format!("/v1/subscriptions/{id}")).await
    }

    /// Start of the period that a session paid for.
    async fn begun_at(&self, session: &str) -> i64 {
        let (bought, now) = (self.subscription_of(session).await, self.provider.now().await);
        let begun = bought["items"]["data"][0]["current_period_start"].as_i64().expect("a start");
        assert!((now - SLACK..=now).contains(&begun), "a period begins now");
        begun
    }

    async fn pays_boleto(&mut self) {
        let now = self.provider.now().await;
        let waiting = self.model.waiting_boleto().map(str::to_owned);
        match waiting {
            Some(key) => {
                assert_eq!(self.provider.pays_boleto(&key).await, 200, "it waits");
                self.model.pays_first_boleto(&key, now);
                self.session = key;
            }
            None if self.model.owes_boleto() => {
                assert_eq!(self.provider.pays_boleto(&self.session).await, 200, "a renewal's waits");
                self.model.pays_renewal_boleto();
            }
            None => {}
        }
    }

    async fn gives_card(&mut self, good: bool) {
        let body = json!({ "email": self.who.email });
        let path = "/api/create-customer-portal-session";
        let answer = e2e::eventually("the portal", || async {
            let answer = self.who.tries("POST", path, Some(body.clone())).await.ok()?;
            (!matches!(answer.status, 502 | 503)).then_some(answer)
        })
        .await;
        if answer.status == 404 {
            assert_eq!((answer.code(), self.model.payments.len()), ("NO_CUSTOMER", 0));
            return;
        }
        let portal = answer.body["url"].as_str().expect("an address");
        let (method, number) =
            if good { (Method::Card, VISA) } else { (Method::BadCard, CARD_OF_ONE_CHARGE) };
        self.provider.takes_card_in_portal(portal, number).await;
        self.model.gives_card(method, self.provider.now().await);
    }

    async fn changes(&mut self, to: Offer) {
        let request =
            PreviewPlanChangeRequest { plan_id: to.id().into(), interval: INTERVALS[to.interval].0.into() };
        let preview = async || {
            let asked = self.who.authorized(request.clone());
            Ok(self.who.try_billing().await?.preview_plan_change(asked).await?.into_inner())
        };
        let shown = match retry(preview).await.answer {
            Ok(shown) => shown,
            Err(reason) => {
                let expected = self.model.change(to, self.provider.now().await);
                return assert_eq!(Some(reason.as_str()), expected.err(), "{to:?}");
            }
        };
        let at = shown.lines[0].starts_at.expect("a start").seconds;
        self.assert_preview_matches_model(to, at, &shown);
        let change = self.model.change(to, at).expect("compared");
        let request = ChangePlanRequest {
            preview_token: shown.preview_token.clone(),
            request_id: Some(self.request_id()),
        };
        let confirm = async || {
            let asked = self.who.authorized(request.clone());
            Ok(self.who.try_billing().await?.change_plan(asked).await?.into_inner())
        };
        let said = retry(confirm).await.answer;
        match self.model.pays(&change) {
            Ok(()) => {
                let done = said.unwrap_or_else(|reason| panic!("{to:?} was refused: {reason}"));
                let own = done.subscription.as_ref().expect("it runs");
                let ends = own.ends_at.expect("an end").seconds;
                assert!((change.until..=change.until + SLACK).contains(&ends), "{ends}: {change:?}");
                self.model.changes(to, at, at + ends - change.until);
                let credit = (-self.model.balance).max(0);
                assert_eq!((done.charged_centavos, done.credit_centavos), (change.due, credit));
            }
            Err(reason) => assert_eq!(said.expect_err("it is refused"), reason),
        }
    }

    /// Asserts that the preview has the model's amounts, to the centavo.
    fn assert_preview_matches_model(&self, to: Offer, at: i64, shown: &PreviewPlanChangeResponse) {
        let change = self.model.change(to, at).expect("it was shown");
        let lines: Vec<i64> = shown.lines.iter().map(|line| line.amount_centavos).collect();
        assert_eq!(lines, [change.unused, change.charged], "the lines of {to:?} at {at}: {shown:?}");
        let total = change.unused + change.charged;
        // If the total is negative, amounts left over from earlier invoices are subtracted from the
        // new credit.
        let owed = self.model.balance.max(0) - change.balance.max(0);
        let due = if total < 0 { total + owed } else { change.due };
        let next = if self.model.ends_with_its_period(to) { 0 } else { to.price() };
        let amounts = (shown.amount_due_centavos, shown.credit_after_centavos, shown.next_payment_centavos);
        assert_eq!(amounts, (due, (-change.balance).max(0), next), "{shown:?}");
        // The provider starts a new period by its own clock, a moment after the model.
        let late = shown.next_payment_at.expect("an end").seconds - change.until;
        assert!((0..=SLACK).contains(&late), "{shown:?}");
    }

    async fn cancels(&mut self) {
        let request = CancelSubscriptionRequest {
            reason: Some("Vou parar.".into()),
            request_id: Some(self.request_id()),
        };
        let cancel = async || {
            let asked = self.who.authorized(request.clone());
            self.who.try_billing().await?.cancel_subscription(asked).await.map(drop)
        };
        let (said, now) = (retry(cancel).await, self.provider.now().await);
        let expected = self.model.cancels(now);
        self.assert_same_reply(&said, expected);
    }

    async fn resumes(&mut self) {
        let resume = async || {
            let asked = self.who.authorized(ResumeSubscriptionRequest {});
            self.who.try_billing().await?.resume_subscription(asked).await.map(drop)
        };
        let said = retry(resume).await;
        let expected = self.model.resumes();
        self.assert_same_reply(&said, expected);
    }

    async fn request_refund(&mut self) {
        let request = RequestRefundRequest { request_id: Some(self.request_id()) };
        let ask = async || {
            let asked = self.who.authorized(request.clone());
            Ok(self.who.try_billing().await?.request_refund(asked).await?.into_inner())
        };
        let said = retry(ask).await.answer;
        match self.model.request_refund(self.provider.now().await) {
            Ok((centavos, by_pix)) => {
                let refund = said.unwrap_or_else(|reason| panic!("no refund of {centavos}: {reason}"));
                let method = if by_pix { "pix" } else { "card" };
                assert_eq!((refund.amount_centavos, refund.method.as_str()), (centavos, method));
            }
            Err(reason) => assert_eq!(said.expect_err("nothing is refunded"), reason),
        }
    }

    /// After a lost reply the action is already done, so a repeated call may be refused.
    fn assert_same_reply(&self, said: &Attempt<()>, expected: Result<(), Refused>) {
        let reply = said.answer.as_ref().copied().map_err(String::as_str);
        if said.after_outage && expected.is_ok() && reply == Err("NO_SUBSCRIPTION") {
            return;
        }
        assert_eq!(reply, expected, "{}", self.who.email);
    }

    /// The charge of a payment. The provider's charges have the model's order.
    async fn charge(&self, payment: usize) -> String {
        let customer = self.provider.customer_of(&self.who.email).await;
        let mut charges = self.provider.all(&format!("/v1/charges?customer={customer}")).await;
        charges.retain(|charge| charge["status"] == "succeeded");
        charges.reverse();
        let before = self.model.payments[..payment].iter().filter(|paid| paid.due > 0).count();
        charges[before]["id"].as_str().expect("an id").to_owned()
    }

    async fn refund_at_dashboard(&mut self, whole: bool) {
        let Some(at) = self.model.refundable() else { return };
        let left = self.model.payments[at].due - self.model.payments[at].back;
        let part = if whole { left } else { PART.min(left) };
        let charge = self.charge(at).await;
        let form = [("charge", charge.as_str()), ("amount", &part.to_string())];
        self.provider.retry_change("/v1/refunds", &form).await;
        self.model.refund(at, part);
    }

    async fn disputes(&mut self) {
        let Some(at) = self.model.disputable().filter(|_| self.model.disputed().is_none()) else { return };
        let charge = self.charge(at).await;
        let made = self.provider.acts("/_test/disputes", json!({ "charge": charge })).await;
        made["id"].as_str().expect("an id").clone_into(&mut self.dispute);
        self.model.open_dispute(at);
    }

    async fn decide_dispute(&mut self, won: bool) {
        let Some(at) = self.model.disputed() else { return };
        let verdict = if won { "win" } else { "lose" };
        self.provider.acts(&format!("/_test/disputes/{}/{verdict}", self.dispute), json!({})).await;
        self.model.decide_dispute(at, won);
    }
}

fn first_price(offer: Offer, coupon: bool) -> i64 {
    if coupon { forty_off(offer.price()) } else { offer.price() }
}

/// Retries a call over outages until it gets a reply. A refusal is a reply.
async fn retry<T>(call: impl AsyncFn() -> Result<T, Status>) -> Attempt<T> {
    let (began, mut after_outage) = (Instant::now(), false);
    loop {
        match call().await {
            Ok(answer) => return Attempt { answer: Ok(answer), after_outage },
            Err(status) if is_outage(&status) => after_outage = true,
            Err(status) => return Attempt { answer: Err(reason(&status)), after_outage },
        }
        assert!(began.elapsed() < DEADLINE, "no answer in {DEADLINE:?}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

fn reason(status: &Status) -> String {
    status.get_details_error_info().map_or_else(|| status.to_string(), |info| info.reason)
}
