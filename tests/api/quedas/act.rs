//! What somebody does with an account that is there, and what came of it.

use std::collections::BTreeMap;

use e2e::ledger::balance::{self, Balance};
use e2e::provider::Provider;
use e2e::{Cluster, Survivor, ledger};
use serde_json::Value;

use crate::simultaneas::account::refunds;

const VISA: &str = "4242424242424242";
/// Attaches and pays once; every later charge fails.
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
    /// The bank takes the payment up and decides for its payer.
    Dispute,
    RenewByBoleto,
    /// The card of the renewal fails, and another one cures it.
    RenewByAnotherCard,
}

/// An account before its act.
pub struct Prepared {
    pub who: Survivor,
    pub customer: String,
    session: String,
    preview: String,
}

/// What came of an act. Two accounts that did the same have the same, whatever died meanwhile.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    standing: [Value; 3],
    /// Mails by subject, without its numbers.
    mails: BTreeMap<String, usize>,
    /// Names of the conversions that went to the platforms.
    told: Vec<String>,
    charges: usize,
    refunded: usize,
    by_pix: usize,
    running: usize,
    open: usize,
}

impl Act {
    /// Whether the clock walks over a renewal, which is everybody's.
    pub fn is_renewal(self) -> bool {
        matches!(self, Self::RenewByBoleto | Self::RenewByAnotherCard)
    }

    /// Somebody who has paid, and what the act needs.
    pub async fn prepares(self, cluster: &Cluster) -> Prepared {
        let mut who = cluster.survivor();
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

    /// Does it, however often somebody has to ask.
    pub async fn is_done(self, own: &mut Prepared) {
        let Prepared { who, customer, session, preview } = own;
        match self {
            Self::ChangeUp | Self::ChangeDown => who.changes_plan(preview).await,
            Self::CancelAndResume => who.cancels_and_resumes().await,
            Self::RefundByCard => assert_eq!(who.wants_back().await, "card"),
            Self::RefundByPix => assert_eq!(who.wants_back().await, "pix"),
            Self::Delete => {
                who.deletes_account().await;
                who.is_forgotten(customer).await;
            }
            Self::RecoverPassword => who.recovers_password().await,
            Self::ChangePassword => who.changes_password().await,
            Self::Dispute => who.disputes_and_wins().await,
            Self::RenewByBoleto => who.renews_by_boleto(session).await,
            Self::RenewByAnotherCard => who.renews_by_another_card().await,
        }
    }

    /// The invariants, from outside; answers what came of it.
    pub async fn is_sound(self, cluster: &Cluster, own: &Prepared) -> Outcome {
        let (who, provider) = (&own.who, cluster.provider());
        cluster.is_whole().await;
        cluster.comes_to_rest().await;
        cluster.stored_every_event(&[]).await;
        who.finds_all_again().await;
        if self == Self::Delete {
            who.is_not_let_in().await;
        } else {
            ledger::eventually_agrees(&provider, who.visitor()).await;
        }
        cluster.comes_to_rest().await;
        cluster.agrees_object_by_object().await;
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
        // A boleto that is paid at once is not told of.
        mails.remove("Seu boleto vence em");
        // Who got no answer asks for a link again.
        mails.entry("Link para redefinir sua senha".into()).and_modify(|count| *count = 1);
        let told = if self.is_renewal() {
            told_by_all(&provider).await
        } else {
            cluster.told(&who.visitor().uid).await
        };
        let charges = provider.all(&format!("/v1/charges?customer={}", own.customer)).await;
        let count = |is: &dyn Fn(&Value) -> bool| charges.iter().filter(|charge| is(charge)).count();
        Outcome {
            standing,
            mails,
            told,
            charges: count(&|charge| charge["status"] == "succeeded"),
            refunded: count(&|charge| charge["refunded"] == true),
            by_pix,
            running: money.running,
            open: money.open,
        }
    }
}

/// What the platform counted. Our own jobs are removed after the 30 days that a renewal takes.
async fn told_by_all(provider: &Provider) -> Vec<String> {
    let counted = provider.conversions().await;
    let mut names: Vec<String> =
        counted.iter().map(|one| one["event"].as_str().expect("a name").to_owned()).collect();
    names.sort();
    names
}
