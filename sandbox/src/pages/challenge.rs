//! The question of the played bank.

use maud::{Markup, html};

pub fn question(hidden: bool) -> Markup {
    html! {
        section.panel.challenge #challenge aria-labelledby="challenge-title" tabindex="-1" hidden[hidden] {
            h2 #challenge-title { "O seu banco pede uma confirmação" }
            p {
                "Esta tela faz o papel do banco. Autorize para concluir a compra, ou recuse para ver o que acontece."
            }
            div.row {
                button.secondary type="button" data-challenge="refuse" { "Recusar" }
                button.primary type="button" data-challenge="authorize" { "Autorizar" }
            }
        }
    }
}
