//! The order and the forms of an open session.

use maud::{Markup, html};
use serde_json::Value;

use crate::objects::CheckoutSession;
use crate::pages::challenge::question;
use crate::pages::html::quiet;
use crate::provider::amounts::{interval_in_words, reais};
use crate::provider::checkout::purchase::STATES;
use crate::state::Moment;

const PLACEHOLDER: &str = "{CHECKOUT_SESSION_ID}";

pub fn checkout(session: &CheckoutSession) -> Markup {
    let offers = |name: &str| session.payment_method_types.iter().any(|method| method == name);
    let (has_card, has_boleto) = (offers("card"), offers("boleto"));
    // The provider's own page goes on to success_url. A frame lets its site go on.
    let next = session.success_url.as_ref().or(session.return_url.as_ref());
    let return_url = next.map(|next| next.replace(PLACEHOLDER, &session.id)).unwrap_or_default();
    let redirect = session.redirect_on_completion.as_deref().unwrap_or("always");
    html! {
        main.pay data-redirect=(redirect) data-return-url=(return_url) {
            p.test { "Ambiente de testes: nenhuma cobrança é real" }
            div.pay-columns {
                (summary(session))
                section.pay-form aria-label="Forma de pagamento" {
                    div.tabs role="tablist" aria-label="Forma de pagamento" {
                        @if has_card { (tab("card", "Cartão", true)) }
                        @if has_boleto { (tab("boleto", "Boleto", !has_card)) }
                    }
                    @if has_card { (card_form(session)) }
                    @if has_boleto { (boleto_form(session, has_card)) }
                    (question(true))
                    section.done #done hidden tabindex="-1" {
                        span.check aria-hidden="true" {}
                        h1 { "Pagamento confirmado" }
                        p { "Estamos voltando ao site." }
                    }
                }
            }
        }
    }
}

fn tab(id: &str, name: &str, chosen: bool) -> Markup {
    html! {
        button type="button" role="tab" id={ "tab-" (id) } aria-controls={ "panel-" (id) }
            aria-selected=(chosen) data-tab=(id) { (name) }
    }
}

fn total(session: &CheckoutSession) -> String {
    reais(session.amount_total)
}

fn summary(session: &CheckoutSession) -> Markup {
    let items = &session.private.line_items;
    let off = session.private.discount;
    let later = match session.private.trial_end {
        Some(end) => {
            let date = Moment::from_seconds(end).date_br();
            let amount = reais(session.amount_subtotal - off);
            quiet(&format!("A primeira cobrança, de {amount}, será em {date}."))
        }
        None if off > 0 => {
            let interval = interval_in_words(&items[0].price["recurring"]);
            quiet(&format!("Nas próximas cobranças: {} {interval}.", reais(session.amount_subtotal)))
        }
        None => Markup::default(),
    };
    html! {
        section.order aria-label="Resumo do pedido" {
            h1 { "Assinar " (items[0].description.as_deref().unwrap_or_default()) }
            p.price { (total(session)) small { "hoje" } }
            dl {
                @for item in items {
                    div {
                        dt {
                            (item.description.as_deref().unwrap_or_default())
                            small { (interval(&item.price["recurring"])) }
                        }
                        dd { (reais(item.amount_subtotal)) }
                    }
                }
                @if off > 0 {
                    div {
                        dt {
                            "Desconto"
                            small { "Cupom " (coupon_name(session)) }
                        }
                        dd { "-" (reais(off)) }
                    }
                }
                div.sum { dt { "Total hoje" } dd { (total(session)) } }
            }
            (later)
        }
    }
}

/// The coupon's name, or its id, because a coupon may have no name.
fn coupon_name(session: &CheckoutSession) -> &str {
    let id = session.discounts.first().map(|discount| discount.coupon.as_str());
    session.private.coupon_name.as_deref().or(id).unwrap_or_default()
}

fn interval(recurring: &Value) -> String {
    if recurring.is_null() { "uma vez".into() } else { format!("cobrado {}", interval_in_words(recurring)) }
}

/// A field of a form.
struct Field<'f> {
    /// Name of the form and of the field, joined for the id.
    form: &'f str,
    name: &'f str,
    label: &'f str,
    autocomplete: &'f str,
    maxlength: u32,
    inputmode: Option<&'f str>,
    placeholder: Option<&'f str>,
    value: Option<&'f str>,
}

impl<'f> Field<'f> {
    fn new(form: &'f str, name: &'f str, label: &'f str, autocomplete: &'f str, maxlength: u32) -> Self {
        Self { form, name, label, autocomplete, maxlength, inputmode: None, placeholder: None, value: None }
    }

    fn numeric(self) -> Self {
        Self { inputmode: Some("numeric"), ..self }
    }

    fn placeholder(self, text: &'f str) -> Self {
        Self { placeholder: Some(text), ..self }
    }

    fn value(self, text: &'f str) -> Self {
        Self { value: Some(text), ..self }
    }

    fn id(&self) -> String {
        format!("{}-{}", self.form, self.name.replace('_', "-"))
    }

    fn input(&self) -> Markup {
        self.around(&html! {
            input id=(self.id()) name=(self.name) inputmode=[self.inputmode] autocomplete=(self.autocomplete)
                placeholder=[self.placeholder] value=[self.value] maxlength=(self.maxlength)
                aria-describedby={ (self.id()) "-error" };
        })
    }

    fn select(&self, options: &[&str]) -> Markup {
        self.around(&html! {
            select id=(self.id()) name=(self.name) autocomplete=(self.autocomplete)
                aria-describedby={ (self.id()) "-error" } {
                option value="" { "Escolha" }
                @for option in options { option { (option) } }
            }
        })
    }

    fn around(&self, input: &Markup) -> Markup {
        html! {
            div.field {
                label for=(self.id()) { (self.label) }
                (input)
                p.error id={ (self.id()) "-error" } {}
            }
        }
    }
}

fn card_form(session: &CheckoutSession) -> Markup {
    html! {
        div #panel-card role="tabpanel" aria-labelledby="tab-card" {
            form.panel #card-form novalidate {
                p.alert role="alert" data-alert hidden {}
                (Field::new("card", "number", "Número do cartão", "cc-number", 23)
                    .numeric().placeholder("1234 1234 1234 1234").input())
                div.row {
                    (Field::new("card", "expiry", "Validade", "cc-exp", 9).numeric().placeholder("MM / AA").input())
                    (Field::new("card", "cvc", "CVC", "cc-csc", 4).numeric().placeholder("123").input())
                }
                (Field::new("card", "name", "Nome no cartão", "cc-name", 120).input())
                button.primary type="submit" data-busy="Processando..." { "Assinar" }
                (quiet(&format!("Você paga {} agora. A assinatura renova sozinha até que você cancele.", total(session))))
                details.hint {
                    summary { "Cartões de teste" }
                    ul {
                        li { code { "4242 4242 4242 4242" } " aprovado" }
                        li { code { "4000 0000 0000 0002" } " recusado" }
                        li { code { "4000 0000 0000 9995" } " sem saldo" }
                        li { code { "4000 0027 6000 3184" } " pede autorização" }
                        li { code { "4000 0000 0000 0341" } " falha na renovação" }
                    }
                    p { "Validade futura e CVC quaisquer." }
                }
            }
        }
    }
}

fn boleto_form(session: &CheckoutSession, hidden: bool) -> Markup {
    let due = match session.private.boleto_days {
        0 => "hoje".to_owned(),
        1 => "em 1 dia".to_owned(),
        days => format!("em {days} dias"),
    };
    let name = session.private.customer_name.as_deref().unwrap_or_default();
    let field =
        |name, label, autocomplete, maxlength| Field::new("boleto", name, label, autocomplete, maxlength);
    html! {
        div #panel-boleto role="tabpanel" aria-labelledby="tab-boleto" hidden[hidden] {
            form.panel #boleto-form novalidate {
                p.alert role="alert" data-alert hidden {}
                (field("tax_id", "CPF ou CNPJ", "off", 18).placeholder("000.000.000-00").input())
                (field("name", "Nome completo", "name", 120).value(name).input())
                (field("postal_code", "CEP", "postal-code", 9).numeric().placeholder("00000-000").input())
                (field("line1", "Endereço", "address-line1", 160).input())
                div.row {
                    (field("city", "Cidade", "address-level2", 80).input())
                    (field("state", "Estado", "address-level1", 2).select(&STATES))
                }
                button.primary type="submit" data-busy="Gerando..." { "Gerar boleto" }
                p.quiet {
                    "Boleto de " (total(session)) ", com vencimento " (due)
                    ". A assinatura fica ativa quando o pagamento for confirmado."
                }
                p.hint { "Para testar, use o CPF 529.982.247-25." }
            }
        }
    }
}
