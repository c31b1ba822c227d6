//! Actions on an account that has paid, and their outcome.

use std::collections::BTreeMap;

use e2e::ledger::balance::{self, Balance};
use e2e::provider::Provider;
use e2e::{Cluster, RetryingVisitor, ledger};
use serde_json::Value;

use crate::simultaneous_calls::account::refunds;

const VISA: &str = "4242424242424242";
/// Can be saved and pays once; every later charge is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const BOUGHT: &str = "Elite Nível 5";

/// An act on an account that has paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    ChangeUp,
    ChangeDown,
    CancelAndResume,
    RefundByCard,
    RefundByPix,
    Delete,
    RecoverPassword,
    ChangePassword,
    /// The bank opens a dispute and decides for the payer.
    Dispute,
    RenewByBoleto,
    /// The card of the renewal is declined, and another card pays it.
    RenewByAnotherCard,
}

/// An account before its act.
pub struct Prepared {
    pub who: RetryingVisitor,
    pub customer: String,
    session: String,
    preview: String,
}

/// The outcome of an action. It must be the same with and without a crash.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    standing: [Value; 3],
    /// Mails by subject, without its numbers.
    mails: BTreeMap<String, usize>,
    /// Names of the conversions that were sent to the platforms.
    conversions: Vec<String>,
    charges: usize,
    refunded: usize,
    by_pix: usize,
    running: usize,
    open: usize,
}

impl Act {
    /// Whether the clock moves over a renewal, which concerns every account of the cluster.
    pub fn is_renewal(self) -> bool {
        matches!(self, Self::RenewByBoleto | Self::RenewByAnotherCard)
    }

    /// Creates a subscriber and whatever the action needs.
    pub async fn prepares(self, cluster: &Cluster) -> Prepared {
        let mut who = cluster.retrying_visitor();
        who.signs_up().await;
        let session = who.opens_checkout(BOUGHT, "mensal").await;
        match self {
            Self::RefundByPix | Self::RenewByBoleto => {
                assert!(who.asks_for_boleto(&session).await);
                assert!(who.pays_boleto(&session).await);
            }
            Self::RenewByAnotherCard => assert!(who.pays_by(CARD_OF_ONE_CHARGE, &session).await),
            _ => assert!(who.pays_by(VISA, &session).await),
        }
        who.becomes_active().await;
        let preview = match self {
            Self::ChangeUp => who.previews("elite_pro_6").await,
            Self::ChangeDown => who.previews("top_afiliado").await,
            _ => String::new(),
        };
        let customer = cluster.provider().customer_of(&who.visitor().email).await;
        Prepared { who, customer, session, preview }
    }

    /// Does the action, and retries its calls until they get a reply.
    pub async fn perform(self, own: &mut Prepared) {
        let Prepared { who, customer, session, preview } = own;
        match self {
            Self::ChangeUp | Self::ChangeDown => who.changes_plan(preview).await,
            Self::CancelAndResume => who.cancels_and_resumes().await,
            Self::RefundByCard => assert_eq!(who.request_refund().await, "card"),
            Self::RefundByPix => assert_eq!(who.request_refund().await, "pix"),
            Self::Delete => {
                who.deletes_account().await;
                who.wait_until_customer_deleted(customer).await;
            }
            Self::RecoverPassword => who.recovers_password().await,
            Self::ChangePassword => who.changes_password().await,
            Self::Dispute => who.open_and_lose_dispute().await,
            Self::RenewByBoleto => who.renews_by_boleto(session).await,
            Self::RenewByAnotherCard => who.renews_by_another_card().await,
        }
    }

    /// Asserts the invariants from outside, and returns the outcome.
    pub async fn verify(self, cluster: &Cluster, own: &Prepared) -> Outcome {
        let (who, provider) = (&own.who, cluster.provider());
        cluster.assert_files_intact().await;
        cluster.wait_until_idle().await;
        cluster.assert_every_event_stored(&[]).await;
        who.assert_acknowledged_kept().await;
        if self == Self::Delete {
            who.assert_cannot_sign_in().await;
        } else {
            ledger::eventually_agrees(&provider, who.visitor()).await;
        }
        cluster.wait_until_idle().await;
        cluster.assert_objects_match().await;
        let refunds = refunds(cluster).await.remove(&who.visitor().uid).unwrap_or_default();
        let money = balance::read(&provider, &own.customer, &refunds).await;
        assert!(money.holds(), "cash in - cash back is not value + credit: {money:?}");
        self.outcome(cluster, own, &money, refunds.by_pix.len()).await
    }

    async fn outcome(self, cluster: &Cluster, own: &Prepared, money: &Balance, by_pix: usize) -> Outcome {
        let (who, provider) = (&own.who, cluster.provider());
        let standing = if self == Self::Delete {
            [Value::Null, Value::Null, Value::Null]
        } else {
            let record = who.record().await;
            ["subscription_plan", "subscription_status", "subscription_active"]
                .map(|name| record[name].clone())
        };
        let mut mails = BTreeMap::new();
        for mail in provider.mails_to(&who.visitor().email).await {
            let subject = mail["subject"].as_str().expect("a subject");
            let ends = |letter: char| letter.is_ascii_digit() || ":(".contains(letter);
            let kind = subject.split(ends).next().unwrap_or_default().trim().to_owned();
            *mails.entry(kind).or_default() += 1;
        }
        // A boleto that is paid at once is not announced.
        mails.remove("Seu boleto vence em");
        // A caller without a response asks for another link.
        mails.entry("Link para redefinir sua senha".into()).and_modify(|count| *count = 1);
        let conversions = if self.is_renewal() {
            counted_conversions(&provider).await
        } else {
            cluster.sent_conversions(&who.visitor().uid).await
        };
        let charges = provider.all(&format!("/v1/charges?customer={}", own.customer)).await;
        let count = |is: &dyn Fn(&Value) -> bool| charges.iter().filter(|charge| is(charge)).count();
        Outcome {
            standing,
            mails,
            conversions,
            charges: count(&|charge| charge["status"] == "succeeded"),
            refunded: count(&|charge| charge["refunded"] == true),
            by_pix,
            running: money.running,
            open: money.open,
        }
    }
}

/// Names of the conversions that the platform counted. Our own jobs are deleted within the 30 days
/// of a renewal.
async fn counted_conversions(provider: &Provider) -> Vec<String> {
    let counted = provider.conversions().await;
    let mut names: Vec<String> =
        counted.iter().map(|one| one["event"].as_str().expect("a name").to_owned()).collect();
    names.sort();
    names
}
