//! One account of a batch: prepared in its state, called, and checked afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use e2e::ledger::{self, balance};
use e2e::provider::Provider;
use e2e::visitor::session_id;
use e2e::{Cluster, Person, Visitor};
use garimpo_proto::billing::v1::{
    CancelSubscriptionRequest, ChangePlanRequest, CreateCheckoutSessionRequest, PlanInterval,
    PreviewPlanChangeRequest, RequestRefundRequest, ResumeSubscriptionRequest,
};
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use garimpo_proto::users::v1::user_service_client::UserServiceClient;
use serde_json::json;
use tokio::sync::Barrier;
use tonic::Status;
use tonic::transport::Channel;
use tonic_types::StatusExt as _;

use super::case::{Act, Case, State, Time};

const VISA: &str = "4242424242424242";
/// Can be saved and pays once; every later charge is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
/// How long a refused refund is retried.
const RETRY_FOR: Duration = Duration::from_secs(2);
const MASTERCARD: &str = "5555555555554444";
/// The plan of every account, and a cheaper and a more expensive one.
const BOUGHT: &str = "elite_nivel_5";
const CHEAPER: &str = "top_afiliado";
const DEARER: &str = "elite_pro_6";

pub struct Account {
    pub who: Visitor,
    pub case: Case,
    person: Person,
    provider: Provider,
    customer: String,
    sessions: Vec<String>,
    preview: String,
    portal: String,
    charge: String,
    users: UserServiceClient<Channel>,
    /// The customer's money before the calls.
    before: Option<balance::Balance>,
    /// The result of each call.
    pub outcomes: Vec<String>,
}

impl Account {
    /// Signs up and makes the payments of its state; the batch may move the clock afterwards.
    pub async fn begins(cluster: &Cluster, case: Case) -> Self {
        let person = Person::new();
        let (who, provider) = (cluster.visitor().signs_up(&person).await, cluster.provider());
        let users = UserServiceClient::new(
            Channel::from_shared(cluster.url().to_owned()).expect("an address").connect_lazy(),
        );
        let (case_state, sessions) = (case.state, vec![]);
        let mut own = Self {
            who,
            case,
            person,
            provider,
            customer: String::new(),
            sessions,
            preview: String::new(),
            portal: String::new(),
            charge: String::new(),
            users,
            before: None,
            outcomes: vec![],
        };
        own.sessions.push(own.who.opens_checkout(BOUGHT, "monthly").await);
        match case_state {
            State::TwoCheckouts => own.sessions.push(own.who.opens_checkout(CHEAPER, "anual").await),
            State::Boleto => {
                assert_eq!(own.provider.asks_for_boleto(&own.sessions[0]).await, 200);
                own.sessions.push(own.who.opens_checkout(CHEAPER, "anual").await);
            }
            State::PaidByBoleto => {
                assert_eq!(own.provider.asks_for_boleto(&own.sessions[0]).await, 200);
                assert_eq!(own.provider.pays_boleto(&own.sessions[0]).await, 200);
                own.who.becomes_active().await;
            }
            State::BadCard => own.pay(CARD_OF_ONE_CHARGE).await,
            State::Paid | State::Downgraded | State::Upgraded | State::Cancelled => own.pay(VISA).await,
        }
        match case_state {
            State::Downgraded => own.changed(CHEAPER).await,
            State::Upgraded => own.changed(DEARER).await,
            State::Cancelled => own.cancels().await.expect("it is cancelled"),
            _ => {}
        }
        own.customer = own.provider.customer_of(&own.who.email).await;
        own
    }

    async fn pay(&self, card: &str) {
        assert_eq!(self.provider.pays_by_card(&self.sessions[0], card).await, 200, "it can be paid");
        self.who.becomes_active().await;
    }

    async fn changed(&mut self, plan: &str) {
        self.preview = self.previews(plan).await.expect("a preview");
        self.changes().await.expect("it is changed");
    }

    /// Prepares what the calls need, right before they are made.
    pub async fn prepares(&mut self, refunds: &balance::Refunds) {
        if self.case.acts.contains(&Act::ReplaceCard) {
            self.portal = self.who.portal().await;
        }
        if self.case.acts.iter().any(|act| act.is_outside()) {
            let charges = self.provider.all(&format!("/v1/charges?customer={}", self.customer)).await;
            let first = charges.iter().rfind(|charge| charge["status"] == "succeeded");
            self.charge =
                first.map(|charge| charge["id"].as_str().expect("an id").to_owned()).unwrap_or_default();
        }
        let change = self.case.acts.iter().find(|act| matches!(act, Act::ChangeUp | Act::ChangeDown));
        if let Some(change) = change {
            // A preview of the current plan is refused, and then nothing can be confirmed.
            let wanted = match (change, self.case.state) {
                (Act::ChangeUp, State::Upgraded) => "elite_pro_5",
                (Act::ChangeUp, _) => DEARER,
                (_, State::Downgraded) => "elite_nivel_1",
                _ => CHEAPER,
            };
            self.preview = self.previews(wanted).await.unwrap_or_default();
        }
        self.before = Some(balance::read(&self.provider, &self.customer, refunds).await);
    }

    /// Makes every call of the case at the same moment.
    pub async fn make_calls(&mut self) {
        let barrier = Arc::new(Barrier::new(self.case.acts.len()));
        let all = self.case.acts.iter().map(|act| {
            let (barrier, own) = (barrier.clone(), &*self);
            async move {
                barrier.wait().await;
                own.does(*act).await
            }
        });
        self.outcomes = futures::future::join_all(all.collect::<Vec<_>>()).await;
    }

    async fn does(&self, act: Act) -> String {
        let said = match act {
            Act::OpenCheckout => self.opens().await.map(drop),
            Act::PayByCard(at) => {
                return self.provider.pays_by_card(&self.sessions[at], VISA).await.to_string();
            }
            Act::PayBoleto => return self.provider.pays_boleto(&self.sessions[0]).await.to_string(),
            Act::ChangeUp | Act::ChangeDown => self.changes().await,
            Act::Cancel => self.cancels().await,
            Act::Resume => {
                let asked = self.who.authorized(ResumeSubscriptionRequest {});
                self.who.billing().await.resume_subscription(asked).await.map(drop)
            }
            Act::Refund => self.request_refund().await,
            Act::Delete => {
                let request = DeleteMyAccountRequest { password: self.person.password.clone() };
                self.users.clone().delete_my_account(self.who.with_cookie(request)).await.map(drop)
            }
            Act::ReplaceCard => {
                let taken = self.provider.tries_card_in_portal(&self.portal, MASTERCARD).await;
                return taken.to_string();
            }
            Act::Dispute => return self.provider.tries("/_test/disputes", &self.charge).await.to_string(),
            Act::RefundAtDashboard => {
                let form = [("charge", self.charge.as_str())];
                return self.provider.tries_change("/v1/refunds", &form).await.to_string();
            }
        };
        match said {
            Ok(()) => "ok".into(),
            Err(status) => {
                status.get_details_error_info().map_or_else(|| status.to_string(), |info| info.reason)
            }
        }
    }

    /// Decides the disputes of this account; returns whether there were any.
    pub async fn decide_disputes(&self, is_won: bool) -> bool {
        if !self.case.acts.contains(&Act::Dispute) {
            return false;
        }
        let disputes = self.provider.list(&format!("/v1/disputes?charge={}", self.charge)).await;
        let open = disputes.iter().filter(|dispute| dispute["status"] == "needs_response");
        let mut is_any = false;
        for dispute in open {
            let id = dispute["id"].as_str().expect("an id");
            let end = if is_won { "win" } else { "lose" };
            self.provider.acts(&format!("/_test/disputes/{id}/{end}"), json!({})).await;
            is_any = true;
        }
        is_any
    }

    async fn opens(&self) -> Result<String, Status> {
        let request = CreateCheckoutSessionRequest {
            email: self.who.email.clone(),
            plan_name: "elite_nivel_2".into(),
            interval: "semestral".into(),
            ..Default::default()
        };
        let asked = self.who.authorized(request);
        let answer = self.who.billing().await.create_checkout_session(asked).await?;
        Ok(session_id(&answer.into_inner().client_secret))
    }

    async fn previews(&self, plan: &str) -> Result<String, Status> {
        let interval = PlanInterval::Monthly.into();
        let asked = self.who.authorized(PreviewPlanChangeRequest { plan_id: plan.into(), interval });
        Ok(self.who.billing().await.preview_plan_change(asked).await?.into_inner().preview_token)
    }

    async fn changes(&self) -> Result<(), Status> {
        let request = ChangePlanRequest { preview_token: self.preview.clone(), request_id: None };
        self.who.billing().await.change_plan(self.who.authorized(request)).await.map(drop)
    }

    async fn cancels(&self) -> Result<(), Status> {
        let request = CancelSubscriptionRequest { reason: None, request_id: None };
        self.who.billing().await.cancel_subscription(self.who.authorized(request)).await.map(drop)
    }

    /// Requests a refund as the site does: retries while another change is in progress.
    async fn request_refund(&self) -> Result<(), Status> {
        let began = Instant::now();
        loop {
            let asked = self.who.authorized(RequestRefundRequest { request_id: None });
            match self.who.billing().await.request_refund(asked).await.map(drop) {
                // If the provider lost the response to the change, a job completes it later, and
                // this caller stops.
                Err(status) if status.code() == tonic::Code::Aborted && began.elapsed() < RETRY_FOR => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                said => return said,
            }
        }
    }

    /// Whether at least two of its calls had to meet at the pause point.
    pub fn should_meet(&self, time: Time) -> bool {
        let subscribed = !matches!(self.case.state, State::TwoCheckouts | State::Boleto);
        let outside = self.case.acts.iter().any(|act| act.is_outside());
        let pausing = self.case.acts.iter().filter(|act| act.pauses()).count();
        let has_preview = !self.preview.is_empty();
        let changes = self.case.acts.iter().any(|act| matches!(act, Act::ChangeUp | Act::ChangeDown));
        subscribed && !outside && pausing >= 2 && time == Time::Fresh && (has_preview || !changes)
    }

    /// Everything that is wrong once no work is left.
    pub async fn faults(&self, refunds: &balance::Refunds, is_deleted: bool) -> Vec<String> {
        let after = balance::read(&self.provider, &self.customer, refunds).await;
        let mut found = vec![];
        if after.running > 1 {
            found.push(format!("{} subscriptions run", after.running));
        }
        if is_deleted {
            if after.running > 0 || after.open > 0 {
                found.push(format!("something may still be charged to a deleted account: {after:?}"));
            }
            let before = self.before.as_ref().map_or(0, balance::Balance::kept);
            if after.kept() > before {
                found.push(format!("a deleted account paid more than before: {before}, {after:?}"));
            }
            return found;
        }
        if !after.holds() {
            found.push(format!("cash in - cash back is not value + credit: {after:?}"));
        }
        let differences = ledger::differences(&self.provider, &self.who).await;
        found.extend(
            differences
                .into_iter()
                .filter(|one| !self.is_expected_difference(one))
                .map(|one| shortened(&one)),
        );
        found
    }

    /// A plan change that is refunded at the same moment sends no mail of its own.
    fn is_expected_difference(&self, difference: &str) -> bool {
        let gives_back = |act: &Act| act.is_outside() || *act == Act::Refund;
        difference.starts_with("changes of plan and their mails") && self.case.acts.iter().any(gives_back)
    }

    /// Text of a case for a failure.
    pub fn description(&self) -> String {
        let calls: Vec<_> = self.case.acts.iter().zip(&self.outcomes).collect();
        format!("{} {:?}: {calls:?}", self.who.uid, self.case.state)
    }
}

/// Our refunds of every account, by uid.
pub async fn refunds(cluster: &Cluster) -> BTreeMap<String, balance::Refunds> {
    let sql =
        "SELECT uid || ' ' || invoice_id || ' ' || subscription_id || ' ' || method || ' ' || reason || ' '
               || amount_centavos FROM refunds";
    let mut all: BTreeMap<String, balance::Refunds> = BTreeMap::new();
    for row in cluster.ours(sql).await {
        let words: Vec<&str> = row.split(' ').collect();
        let [uid, invoice, subscription, method, reason, amount] = words[..] else { panic!("{row}") };
        let own = all.entry(uid.to_owned()).or_default();
        if method == "pix" {
            own.by_pix.insert(invoice.to_owned(), amount.parse().expect("centavos"));
        }
        if reason == "guarantee" {
            own.guaranteed.push(subscription.to_owned());
        }
    }
    all
}

/// Shortens the printed objects, because the seed creates them again.
fn shortened(difference: &str) -> String {
    difference.chars().take(600).collect()
}
