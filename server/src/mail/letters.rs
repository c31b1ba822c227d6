//! The mails of the product, each with what it needs to know and what it says.

use garimpo_domain::guarantee::GUARANTEE_DAYS;
use serde::{Deserialize, Serialize};

use super::document::{Document, Site};

/// A mail that waits in the queue. A mail with a code never does, because its link is a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub(crate) enum Mail {
    /// A payment was confirmed.
    PaymentConfirmed { bought: Bought, paid_until: String },
    /// A purchase in the trial was made that is first charged at the trial's end.
    TrialPurchase { bought: Bought, charged_on: String },
    /// A boleto can be paid; `outcome` is what the payment does.
    BoletoIssued { boleto: Boleto, outcome: String },
    /// A boleto can be paid until tomorrow.
    BoletoExpiring { boleto: Boleto },
    /// A renewal's boleto expired, or access was suspended because of it.
    BoletoLapsed { bought: Bought, due_on: String, access: String },
    /// A first charge or a renewal could not be made.
    PaymentFailed(UnpaidCharge),
    /// The payer must authenticate a first charge or a renewal at the bank.
    PaymentAuthentication(UnpaidCharge),
    /// The plan was changed; `outcome` is what it cost, `next` the next payment.
    PlanChanged { before: Bought, after: Bought, outcome: String, next: String },
    /// The second of two payments is given back; `outcome` is a heading's end.
    PaymentReturned { bought: Bought, outcome: String, how: String },
    /// A payment that arrived after its subscription had ended is given back.
    PaymentAfterEnd { bought: Bought, how: String, protocol: String },
    /// A long period ends in a week and is renewed.
    RenewalComing { bought: Bought, renews_on: String, how: String },
    /// The subscription was canceled, now or at the end of its period. `because` follows
    /// 'cancelada'.
    SubscriptionCanceled { bought: Bought, because: String, access: String, undo: String },
    /// A refund under the guarantee was requested.
    RefundRequested { bought: Bought, how: String, protocol: String },
    /// A refund was paid by Pix.
    RefundPaid { amount: String, protocol: String },
    /// A refund from outside of the product: by the provider's dashboard or the payer's bank.
    RefundMade { bought: Bought, paid_on: String, how: String, access: String },
    /// The password was changed.
    PasswordChanged { changed_at: String },
    /// The email of the account was corrected: the last mail to the old address.
    EmailCorrected { changed_at: String },
    /// The account was deleted: its last mail. `outcome` is what became of its money.
    AccountDeleted { deleted_at: String, outcome: String, protocol: String },
}

/// A plan and a period with an amount, as mails write them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bought {
    pub plan: String,
    pub period: String,
    pub amount: String,
}

/// A boleto that can be paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Boleto {
    pub bought: Bought,
    /// Day, month and year, as `26/11/2026`.
    pub due_on: String,
    /// The digitable line, as banks print it.
    pub line: String,
    pub voucher_url: String,
}

impl Boleto {
    fn due_day(&self) -> &str {
        self.due_on.get(..5).unwrap_or_default()
    }
}

/// A charge that was not made, and what becomes of access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnpaidCharge {
    pub bought: Bought,
    /// Which charge, as it follows 'não foi aprovado': 'na renovação'.
    pub charge: String,
    pub access: String,
}

const OPEN_APP: &str = "Acessar a plataforma";
const OPEN_ACCOUNT: &str = "Abrir minha conta";
const PLAN_IN_ACCOUNT: &str = "Plano, datas e forma de pagamento ficam na sua conta";

impl Mail {
    /// The mail as it is read.
    #[expect(clippy::too_many_lines, reason = "a table of the mails, one after the other")]
    pub fn document(&self, site: &Site<'_>) -> Document {
        let (brand, links, account) = (&site.brand.name, &site.brand.links, site.page("/area-usuario"));
        let (app, help) = (links.app_login.as_str(), links.help_center.as_str());
        match self {
            Self::PaymentConfirmed { bought: Bought { plan, period, amount }, paid_until } => Document::new(
                format!("Pagamento confirmado: {plan}"),
                "Pagamento confirmado",
                format!("O seu acesso vai até {paid_until}."),
            )
            .paragraph("Recebemos o seu pagamento.")
            .fact("Plano", format!("{plan} ({period})"))
            .fact("Valor", amount)
            .fact("Acesso até", paid_until)
            .button(OPEN_APP, app)
            .link(PLAN_IN_ACCOUNT, account),
            Self::TrialPurchase { bought: Bought { plan, period, amount }, charged_on } => Document::new(
                format!("Assinatura confirmada: {plan}"),
                "Assinatura confirmada",
                format!("Nada foi cobrado agora. A primeira cobrança será em {charged_on}."),
            )
            .paragraph(
                "A sua assinatura está confirmada, e nada foi cobrado agora. A primeira cobrança será no \
                 cartão, quando o seu teste grátis termina.",
            )
            .fact("Plano", format!("{plan} ({period})"))
            .fact("Primeira cobrança", charged_on)
            .fact("Valor", amount)
            .button(OPEN_APP, app)
            .link("Até lá você pode cancelar na sua conta, sem pagar nada", account),
            Self::BoletoIssued { boleto, outcome } => {
                let Boleto { bought: Bought { plan, period, amount }, due_on, line, voucher_url } = boleto;
                Document::new(
                    format!("Seu boleto vence em {}: {plan}", boleto.due_day()),
                    format!("Seu boleto vence em {due_on}"),
                    format!("O boleto de {amount} está pronto."),
                )
                .paragraph(format!(
                    "O boleto de {amount} do plano {plan} ({period}) está pronto. Ele vence em {due_on}."
                ))
                .copyable("Linha digitável", line)
                .button("Ver boleto", voucher_url)
                .paragraph(format!(
                    "Assim que o banco confirmar o pagamento, em até um dia útil, avisamos você e {outcome}."
                ))
                .link("O boleto também está na sua conta", account)
            }
            Self::BoletoExpiring { boleto } => {
                let Boleto { bought: Bought { plan, period, amount }, due_on, line, voucher_url } = boleto;
                Document::new(
                    format!("Seu boleto vence amanhã ({})", boleto.due_day()),
                    "Seu boleto vence amanhã",
                    format!("O boleto de {amount} ainda não foi pago."),
                )
                .paragraph(format!(
                    "O boleto do plano {plan} ({period}), de {amount}, vence amanhã, {due_on}, e ainda não foi \
                     pago."
                ))
                .copyable("Linha digitável", line)
                .button("Ver boleto", voucher_url)
                .paragraph("Já pagou? A confirmação leva até um dia útil, e avisamos você.")
                .link("Sua conta", account)
            }
            Self::BoletoLapsed { bought: Bought { plan, period, .. }, due_on, access } => Document::new(
                format!("Seu boleto venceu: {plan}"),
                "Seu boleto venceu",
                access,
            )
            .paragraph(format!(
                "O boleto da renovação do plano {plan} ({period}) venceu em {due_on}, e ainda não recebemos a \
                 confirmação do pagamento. {access}"
            ))
            .paragraph(
                "Já pagou? Não pague de novo: o banco leva até um dia útil para confirmar, e avisamos você.",
            )
            .paragraph(
                "Ainda não? Para pagar agora, escolha “Pagar com cartão” na sua conta. Se um novo boleto for \
                 emitido, enviaremos para este email.",
            )
            .button(OPEN_ACCOUNT, account),
            Self::PaymentFailed(UnpaidCharge { bought: Bought { plan, period, amount }, charge, access }) => {
                Document::new(format!("Pagamento não aprovado: {plan}"), "Pagamento não aprovado", access)
                    .paragraph(format!(
                        "O cartão não foi aprovado {charge} do plano {plan} ({period}), de {amount}."
                    ))
                    .paragraph(access)
                    .button("Atualizar o cartão", account)
                    .paragraph(
                        "Na sua conta, escolha “Atualizar pagamento”. O cartão novo é cobrado na hora. O mesmo \
                         cartão ainda será tentado nos próximos dias. Assim que o pagamento for confirmado, \
                         avisamos você.",
                    )
            }
            Self::PaymentAuthentication(UnpaidCharge {
                bought: Bought { plan, period, amount },
                charge,
                access,
            }) => Document::new(
                format!("Confirme o pagamento no seu banco: {plan}"),
                "O banco pediu a sua confirmação",
                "Sem ela, o cartão não é cobrado.",
            )
            .paragraph(format!(
                "O seu banco pediu a sua confirmação {charge} do plano {plan} ({period}), de {amount}. Sem ela, \
                 o cartão não é cobrado."
            ))
            .paragraph(access)
            .button("Confirmar o pagamento", site.page("/confirmar-pagamento"))
            .paragraph(
                "Tenha o app do seu banco à mão. Assim que o pagamento for confirmado, avisamos você.",
            )
            .link("Se preferir outro cartão, abra a sua conta e escolha “Gerenciar Plano”", account),
            Self::PlanChanged { before, after: Bought { plan, period, .. }, outcome, next } => Document::new(
                format!("Seu plano mudou: {plan}"),
                "Seu plano mudou",
                "O novo plano já está valendo.",
            )
            .paragraph(format!(
                "O seu plano mudou de {} ({}) para {plan} ({period}). O novo plano já está valendo.",
                before.plan, before.period
            ))
            .paragraph(outcome)
            .paragraph(next)
            .button(OPEN_APP, app)
            .link("Plano, faturas e crédito ficam na sua conta", account)
            .link("Não foi você? Fale com a gente", help),
            Self::PaymentReturned { bought: Bought { plan, period, amount }, outcome, how } => Document::new(
                format!("Pagamento em duplicidade: {amount} {outcome}"),
                "Pagamento em duplicidade",
                "A sua primeira assinatura continua como está.",
            )
            .paragraph(format!(
                "Recebemos dois pagamentos de assinatura da sua conta. Uma conta tem uma assinatura só, então o \
                 segundo volta para você: {amount}, do plano {plan} ({period})."
            ))
            .paragraph(format!("O valor volta {how}. Você não precisa fazer nada."))
            .paragraph("A sua primeira assinatura continua como está.")
            .link(PLAN_IN_ACCOUNT, account),
            Self::PaymentAfterEnd { bought: Bought { plan, period, amount }, how, protocol } => Document::new(
                format!("Seu pagamento foi confirmado depois do prazo: {plan}"),
                "Seu pagamento foi confirmado depois do prazo",
                "O valor volta para você.",
            )
            .paragraph(format!(
                "O banco confirmou um pagamento do plano {plan} ({period}) depois que a assinatura já tinha sido \
                 encerrada. Isso também acontece com quem paga um boleto no prazo, porque a confirmação leva até \
                 um dia útil. Como esse pagamento não libera o acesso, o valor volta para você."
            ))
            .fact("Protocolo", protocol)
            .fact("Valor", amount)
            .paragraph(format!("O valor volta {how}. Você não precisa fazer nada."))
            .paragraph(format!("Quer usar o {brand}? Faça uma nova assinatura na sua conta."))
            .button(OPEN_ACCOUNT, account),
            Self::RenewalComing { bought: Bought { plan, period, amount }, renews_on, how } => Document::new(
                format!("Sua assinatura renova em {renews_on}: {plan}"),
                "Sua assinatura renova em breve",
                how,
            )
            .paragraph(format!("A sua assinatura renova em {renews_on}."))
            .fact("Plano", format!("{plan} ({period})"))
            .fact("Valor", amount)
            .paragraph(how)
            .paragraph("Não quer renovar? Cancele na sua conta até lá, sem custo.")
            .button(OPEN_ACCOUNT, account),
            Self::SubscriptionCanceled { bought: Bought { plan, period, .. }, because, access, undo } => {
                Document::new(
                    format!("Assinatura cancelada{because}: {plan}"),
                    format!("Assinatura cancelada{because}"),
                    access,
                )
                .paragraph(format!("A sua assinatura do plano {plan} ({period}) foi cancelada{because}."))
                .paragraph(access)
                .paragraph(undo)
                .button(OPEN_ACCOUNT, account)
            }
            Self::RefundRequested { bought: Bought { plan, period, amount }, how, protocol } => Document::new(
                format!("Reembolso pedido: protocolo {protocol}"),
                "Recebemos o seu pedido",
                format!("{amount} voltam para você."),
            )
            .paragraph(format!(
                "Recebemos o seu pedido de reembolso do plano {plan} ({period}), pela garantia de {GUARANTEE_DAYS} dias."
            ))
            .fact("Protocolo", protocol)
            .fact("Valor", amount)
            .paragraph(format!("O valor volta {how}."))
            .paragraph("A assinatura foi encerrada e não haverá novas cobranças.")
            .button("Acompanhar na minha conta", account),
            Self::RefundPaid { amount, protocol } => Document::new(
                format!("Reembolso pago: {amount}"),
                "Reembolso pago",
                "O Pix foi para a chave que é este email.",
            )
            .paragraph(format!("Pagamos o seu reembolso de {amount} por Pix, para a chave que é este email."))
            .fact("Protocolo", protocol)
            .link("Não encontrou o valor? Fale com a gente", help)
            .link("Sua conta", account),
            Self::RefundMade { bought: Bought { plan, period, amount }, paid_on, how, access } => {
                Document::new(
                    format!("Reembolso de {amount}: {plan}"),
                    format!("Reembolso de {amount}"),
                    how,
                )
                .paragraph(format!(
                    "{amount} do seu pagamento de {paid_on}, do plano {plan} ({period}), voltam para você."
                ))
                .paragraph(how)
                .paragraph(access)
                .link("As suas faturas ficam na sua conta", account)
            }
            Self::PasswordChanged { changed_at } => Document::new(
                "Sua senha foi alterada",
                "Sua senha foi alterada",
                "Não foi você? Recupere a sua conta.",
            )
            .paragraph(format!("A senha da sua conta foi alterada em {changed_at} (horário de Brasília)."))
            .paragraph(
                "Por segurança, encerramos as outras sessões: nos outros aparelhos, entre de novo com a nova \
                 senha.",
            )
            .button(OPEN_ACCOUNT, account)
            .paragraph(
                "Não foi você? Alguém pode ter acesso ao seu email. Troque a senha do email e depois recupere a \
                 da sua conta.",
            )
            .link("Recuperar minha conta", site.page("/esqueci-senha")),
            Self::EmailCorrected { changed_at } => Document::new(
                "O email da sua conta foi alterado",
                "O email da sua conta foi alterado",
                "Este endereço não recebe mais mensagens desta conta.",
            )
            .paragraph(format!(
                "O email da sua conta no {brand} foi alterado em {changed_at} (horário de Brasília), com a senha \
                 da conta."
            ))
            .paragraph(
                "A partir de agora, os avisos e os reembolsos vão para o novo email. Este endereço não recebe \
                 mais mensagens desta conta.",
            )
            .paragraph("Foi você? Então não precisa fazer nada.")
            .link("Não foi você? Fale com a nossa equipe e informe este endereço de email", help),
            Self::AccountDeleted { deleted_at, outcome, protocol } => Document::new(
                format!("Sua conta foi excluída (protocolo {protocol})"),
                "Sua conta foi excluída",
                "Apagamos os seus dados pessoais.",
            )
            .paragraph(format!(
                "A sua conta no {brand} foi excluída em {deleted_at} (horário de Brasília), como você pediu."
            ))
            .paragraph(outcome)
            .paragraph(
                "Apagamos os seus dados pessoais. Guardamos só o que a lei exige: as faturas, sem o seu nome.",
            )
            .fact("Protocolo", protocol)
            .paragraph("Este é o último email que enviamos para esta conta."),
        }
    }
}

const USE_THE_LAST_ONE: &str = "Se você pediu mais de um, use o mais recente.";

/// A link to choose a new password, valid for so many minutes.
pub(crate) fn password_reset(url: &str, minutes: i64) -> Document {
    Document::new(
        "Link para redefinir sua senha",
        "Redefina sua senha",
        format!("O link funciona uma vez e vale por {minutes} minutos."),
    )
    .paragraph(
        "Recebemos um pedido para redefinir a senha da sua conta. Abra o link e escolha uma nova senha:",
    )
    .button("Escolher nova senha", url)
    .paragraph(format!("O link funciona uma vez e vale por {minutes} minutos. {USE_THE_LAST_ONE}"))
    .button_address(url)
    .paragraph("Não foi você? Não precisa fazer nada: sem o link, a sua senha continua a mesma.")
}

/// A link that confirms the email, valid for so many hours.
pub(crate) fn email_confirmation(url: &str, hours: i64, site: &Site<'_>) -> Document {
    Document::new(
        format!("Confirme seu email no {}", site.brand.name),
        "Confirme seu email",
        "Falta só um passo.",
    )
    .paragraph("Falta só um passo: abra o link para confirmar que este email é seu.")
    .button("Confirmar email", url)
    .paragraph(format!("O link funciona uma vez e vale por {hours} horas. {USE_THE_LAST_ONE}"))
    .button_address(url)
    .link("Você já pode usar a sua conta", site.page("/area-usuario"))
    .paragraph("Não foi você? Não confirme. Alguém pode ter digitado o seu endereço por engano.")
}
