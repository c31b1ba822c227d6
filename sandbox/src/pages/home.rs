//! The front page: links, the clock's buttons, boletos that wait, the latest calls.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use maud::{Markup, html};

use crate::objects::PaymentIntent;
use crate::pages::html::{Failed, Page, quiet};
use crate::provider::amounts::reais;
use crate::state::{Moment, World};

/// Vouchers on the page.
const MAX_VOUCHERS: usize = 10;
/// Calls on the page.
const MAX_CALLS: usize = 20;

pub fn routes() -> Router<Arc<World>> {
    Router::new().route("/", get(show))
}

async fn show(State(world): State<Arc<World>>) -> Result<Page, Failed> {
    let intents: Vec<PaymentIntent> = world.read().await?.load_by("status", "requires_action").await?;
    let links = [
        ("/log", "Registro da API"),
        ("/log/deliveries", "Entregas de eventos"),
        ("/mail", "Correio"),
        ("/graph", "Conversões"),
        ("/pixel/events.json", "Pixels das páginas (JSON)"),
        ("/mail.json", "Correio (JSON)"),
        ("/clock", "Relógio (JSON)"),
        ("/_test/faults", "Falhas em vigor"),
    ];
    let body = html! {
        main.sheet.wide {
            h1 { "O mundo lá fora, de mentira" }
            p.quiet {
                "Pagamentos, correio, conversões e relógio do Garimpo, sem conta em lugar nenhum. Nada aqui vale dinheiro."
            }
            nav.links aria-label="Partes" { @for (href, name) in links { a href=(href) { (name) } } }
            section.order.clock aria-labelledby="clock-title" {
                h2 #clock-title { "Relógio" }
                p.price #now { (world.now().date_time_br()) }
                p.quiet { "Horário de São Paulo. O relógio só anda para a frente." }
                div.actions {
                    @for (seconds, name) in
                        [(3_600, "+1 hora"), (86_400, "+1 dia"), (604_800, "+7 dias"), (2_592_000, "+30 dias")] {
                        button.secondary type="button" data-advance=(seconds) { (name) }
                    }
                }
                label.tick { input #keep type="checkbox"; " Manter as sessões abertas" }
                p #walked role="status" {}
                (followers(&world))
            }
            section { h2 { "Boletos à espera" } (vouchers(&intents)) }
            section {
                h2 { "Últimas chamadas" }
                (calls(&world))
                p {
                    a href="/log" { "Registro da API" } ", com parâmetros e respostas · "
                    a href="/log/deliveries" { "Entregas de eventos" }
                }
            }
        }
    };
    Ok(Page::alone("Sandbox", "Início", body).with_script())
}

fn followers(world: &World) -> Markup {
    let followers = world.clock.followers.list();
    html! {
        @if !followers.is_empty() {
            p.quiet { "Quem segue:" }
            ul {
                @for (name, revision, silent) in followers {
                    li {
                        (name) " (revisão " (revision) ", " (if silent { "em silêncio" } else { "em dia" }) ")"
                    }
                }
            }
        }
    }
}

fn vouchers(intents: &[PaymentIntent]) -> Markup {
    if intents.is_empty() {
        return quiet("Nenhum.");
    }
    html! {
        ul.letters {
            @for intent in intents.iter().take(MAX_VOUCHERS) {
                @let shown = intent.open_voucher();
                @let payer = intent.private.voucher.as_ref().and_then(|voucher| voucher.payer.name.as_deref());
                li {
                    a href=(shown.map_or("#", |shown| &shown.hosted_voucher_url)) {
                        span { (payer.unwrap_or_default()) }
                        strong { (reais(intent.amount)) }
                        span {
                            "vence em "
                            (Moment::from_seconds(shown.map_or(0, |shown| shown.expires_at)).date_br())
                        }
                    }
                }
            }
        }
    }
}

fn calls(world: &World) -> Markup {
    let calls = world.calls.latest(MAX_CALLS, |_| true);
    if calls.is_empty() {
        return quiet("Nada ainda.");
    }
    html! {
        div.scroll tabindex="0" {
            table {
                thead {
                    tr { @for head in ["Quando", "Método", "Caminho", "Resposta", "Levou"] { th { (head) } } }
                }
                tbody {
                    @for call in calls {
                        tr {
                            td { (call.at.date_time_br()) }
                            td { (call.method) }
                            td { code { (short(&call.path)) } }
                            td { (call.status.map_or("sem resposta".to_owned(), |status| status.to_string())) }
                            td { (call.took_ms) " ms" }
                        }
                    }
                }
            }
        }
    }
}

/// A path whose long parts (ids and secrets) are cut.
fn short(path: &str) -> String {
    let cut = |part: &str| match part.char_indices().nth(20) {
        Some((at, _)) if part.len() > 30 => format!("{}…", &part[..at]),
        _ => part.to_owned(),
    };
    path.split('/').map(cut).collect::<Vec<_>>().join("/")
}
