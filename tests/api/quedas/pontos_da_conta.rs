//! Acts on an account that has paid, each over a death at a crash point: what comes of it is what
//! comes of it undisturbed.

use std::sync::Arc;

use e2e::{Cluster, Layout, soak};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::act::{Act, Outcome};
use super::{Apart, Together, at_once, repeated_mails};

/// The points that an act can pass.
const POINTS: [&str; 9] = [
    "intent.stored",
    "provider.answered",
    "event.stored",
    "projection.committed",
    "job.delivered",
    "session.stored",
    "code.stored",
    "password.stored",
    "account.deleted",
];

#[tokio::test]
async fn mudar_para_um_plano_mais_caro_cobra_uma_vez() {
    dies_within(Act::ChangeUp, Together, &["intent.stored", "provider.answered", "projection.committed"])
        .await;
}

#[tokio::test]
async fn mudar_para_um_plano_mais_barato_credita_uma_vez() {
    dies_within(Act::ChangeDown, Apart, &["provider.answered", "event.stored"]).await;
}

#[tokio::test]
async fn cancelar_e_retomar_deixa_a_assinatura_como_estava() {
    dies_within(Act::CancelAndResume, Apart, &["intent.stored", "provider.answered"]).await;
}

#[tokio::test]
async fn reembolso_no_cartao_devolve_uma_vez() {
    dies_within(Act::RefundByCard, Together, &["intent.stored", "job.delivered"]).await;
}

#[tokio::test]
async fn reembolso_de_boleto_pede_um_pix() {
    dies_within(Act::RefundByPix, Apart, &["intent.stored", "job.delivered:2"]).await;
}

#[tokio::test]
async fn excluir_a_conta_devolve_uma_vez_e_apaga_tudo() {
    dies_within(Act::Delete, Together, &["account.deleted", "job.delivered", "job.delivered:3"]).await;
}

#[tokio::test]
async fn recuperar_a_senha_da_um_codigo_que_abre() {
    dies_within(Act::RecoverPassword, Apart, &["code.stored", "job.delivered", "password.stored"]).await;
}

#[tokio::test]
async fn trocar_a_senha_encerra_o_que_valia_antes() {
    dies_within(Act::ChangePassword, Together, &["password.stored"]).await;
}

#[tokio::test]
async fn contestacao_perdida_encerra_o_acesso() {
    dies_within(Act::Dispute, Apart, &["event.stored", "projection.committed"]).await;
}

#[tokio::test]
async fn renovacao_por_boleto_e_paga_uma_vez() {
    dies_within(Act::RenewByBoleto, Together, &["event.stored:2", "job.delivered:2"]).await;
}

#[tokio::test]
async fn renovacao_recusada_e_paga_uma_vez_por_outro_cartao() {
    dies_within(Act::RenewByAnotherCard, Apart, &["intent.stored", "provider.answered"]).await;
}

/// Dies at these passes; the long run dies at every pass of every point in both layouts.
async fn dies_within(act: Act, layout: Layout, passes: &[&str]) {
    if !soak::is_long() {
        let mut stage = Stage::begins(act, layout).await;
        for crash_at in passes {
            assert!(stage.plays(crash_at).await, "{crash_at} {act:?} {layout:?} was never reached");
        }
        return;
    }
    let (mut all, places) = (JoinSet::new(), Arc::new(Semaphore::new(at_once())));
    for layout in [Together, Apart] {
        // Two halves, so that both layouts have as many clusters as a run has places.
        for half in [&POINTS[..4], &POINTS[4..]] {
            let places = places.clone();
            all.spawn(async move {
                let _place = places.acquire().await;
                let mut stage = Stage::begins(act, layout).await;
                for point in half {
                    let (mut pass, repeats) = (1, stage.repeated_mails);
                    while stage.plays(&format!("{point}:{pass}")).await {
                        pass += 1;
                    }
                    let repeats = stage.repeated_mails - repeats;
                    eprintln!(
                        "{point}: {} passes of {act:?} {layout:?}, {repeats} mails came twice",
                        pass - 1
                    );
                }
            });
        }
    }
    all.join_all().await;
}

/// Where an act is played again and again, each time by a new account.
struct Stage {
    act: Act,
    layout: Layout,
    cluster: Cluster,
    undisturbed: Outcome,
    repeated_mails: usize,
}

impl Stage {
    async fn begins(act: Act, layout: Layout) -> Self {
        let cluster = Cluster::start(layout).await;
        let mut own = act.prepares(&cluster).await;
        cluster.comes_to_rest().await;
        act.is_done(&mut own).await;
        let undisturbed = act.is_sound(&cluster, &own).await;
        Self { act, layout, cluster, undisturbed, repeated_mails: 0 }
    }

    /// Plays the act over one death; answers whether the point was reached at all.
    async fn plays(&mut self, crash_at: &str) -> bool {
        let (act, layout) = (self.act, self.layout);
        if act.is_renewal() {
            self.cluster = Cluster::start(layout).await;
        }
        let cluster = &mut self.cluster;
        let mut own = act.prepares(cluster).await;
        cluster.comes_to_rest().await;
        let before = cluster.repeated_mails().await;
        cluster.is_doomed(crash_at);
        let acting = tokio::spawn(async move {
            act.is_done(&mut own).await;
            own
        });
        let died = cluster.dies_within(&acting).await;
        if died {
            cluster.rise().await;
        } else {
            cluster.is_pardoned().await;
        }
        let own = acting.await.unwrap_or_else(|error| panic!("{crash_at} {act:?} {layout:?}: {error}"));
        let outcome = act.is_sound(cluster, &own).await;
        assert_eq!(outcome, self.undisturbed, "{crash_at} {act:?} {layout:?}, and undisturbed");
        self.repeated_mails += repeated_mails(cluster, &before).await;
        died
    }
}
