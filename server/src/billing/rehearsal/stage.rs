//! The stage of a run: its tools, and the scenes that were played.

use tokio::sync::OnceCell;

use crate::billing::rehearsal::scenes::authentication::FailedAuthentication;
use crate::billing::rehearsal::scenes::boleto::{FirstBoleto, RenewalBoletos};
use crate::billing::rehearsal::scenes::browser::{PortalCard, Purchase};
use crate::billing::rehearsal::scenes::dunning::Dunning;
use crate::billing::rehearsal::scenes::plan_change::PlanChange;
use crate::billing::rehearsal::scenes::refunds::{Disputed, Refunded};
use crate::billing::rehearsal::scenes::trial::TrialEnd;
use crate::billing::rehearsal::tools::{Result, Scene, Tools, seen};

macro_rules! stage {
    ($($name:ident: $scene:ty),* $(,)?) => {
        /// The tools of a run, and its scenes.
        pub struct Stage {
            pub tools: Tools,
            $($name: Scene<$scene>),*
        }

        impl Stage {
            /// A stage without played scenes.
            pub fn new(tools: Tools) -> Self {
                Self { tools, $($name: OnceCell::new()),* }
            }

            $(
                /// Plays the scene at its first use.
                pub async fn $name(&self) -> Result<&$scene> {
                    seen(self.$name.get_or_init(|| <$scene>::play(&self.tools)).await)
                }
            )*
        }
    };
}

stage! {
    authentication: FailedAuthentication,
    disputed: Disputed,
    dunning: Dunning,
    first_boleto: FirstBoleto,
    plan_change: PlanChange,
    portal_card: PortalCard,
    purchase: Purchase,
    refunded: Refunded,
    renewal_boletos: RenewalBoletos,
    trial: TrialEnd,
}
