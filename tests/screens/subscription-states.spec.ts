/** What the account shows of each state of a subscription and of its payments. */
import type { Page } from '@playwright/test'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { PlanInterval } from '../../web/src/gen/garimpo/billing/v1/plan_pb'
import { expectAccessible } from '../browser/accessibility'
import { createAccount } from '../browser/product'
import { createSubscriber } from './account'
import { accountState, boleto, inDays, invoice, refund, subscription, subscriptions } from './messages'
import { expect, test } from './screen-test'

const card = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })

const STATES = [
  [
    'an active subscription shows what is paid next, and can be changed and canceled',
    subscriptions.active,
    ['Ativa', 'R$ 217,90', 'Próximo pagamento', 'Fazer Upgrade', 'Gerenciar Plano', 'Cancelar assinatura'],
    ['Desfazer cancelamento'],
  ],
  [
    'a subscription bought in the trial can be canceled, and changed only after its first charge',
    subscriptions.trialing,
    ['Depois da primeira cobrança, você pode trocar de plano aqui.', 'Cancelar assinatura'],
    ['Fazer Upgrade', 'Concluir assinatura'],
  ],
  [
    'a canceled subscription shows its end, and the cancellation can be undone',
    subscriptions.canceledAtPeriodEnd,
    [/Sua assinatura termina em \d\d\/\d\d\/\d{4}/, 'Desfazer cancelamento', 'Ativa'],
    ['Cancelar assinatura', 'Próximo pagamento'],
  ],
  [
    'a declined renewal in its grace period says that access ends soon',
    subscriptions.pastDue,
    [
      'Pagamento não aprovado',
      'Seu acesso continua por poucos dias: pague para não parar.',
      'Atualizar pagamento',
    ],
    ['Fazer Upgrade'],
  ],
  [
    'a declined renewal after its grace period says that access is suspended',
    subscriptions.suspended,
    ['Inativa', 'Seu acesso está suspenso até um pagamento ser confirmado.', 'Atualizar pagamento'],
    ['Acessar o App'],
  ],
  [
    'a renewal that the bank asks to confirm leads to its page',
    subscriptions.authentication,
    ['O banco pediu a sua confirmação', 'Confirmar pagamento'],
    ['Atualizar pagamento'],
  ],
  [
    'a disputed payment leads to the support, because another card changes nothing',
    subscriptions.disputed,
    ['Pagamento contestado no banco', 'Falar com o suporte'],
    ['Atualizar pagamento'],
  ],
  [
    'an ended subscription leads to the plans, without a price',
    subscriptions.ended,
    ['Sua assinatura terminou', 'O acesso ao Elite Nível 2 acabou.', 'Ver Planos Disponíveis'],
    ['Preço do plano', 'Fazer Upgrade', 'Cancelar assinatura'],
  ],
] as const

for (const [name, changes, shown, hidden] of STATES)
  test(name, async ({ page, backend }) => {
    await createSubscriber(page, backend, changes)
    await page.goto('/area-usuario')

    for (const text of shown) await expect(card(page).getByText(text).first()).toBeVisible()
    for (const text of hidden) await expect(page.getByText(text)).toHaveCount(0)
  })

test('a suspended subscription states the open amount and the period that it pays', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, subscriptions.suspended)
  const open = invoice({ status: 'open', reason: 'renewal', amountDueCentavos: 21_790n, paidAt: undefined })
  backend.returns(BillingService.method.listInvoices, { invoices: [open] })
  await page.goto('/area-usuario')

  await expect(card(page)).toContainText(
    /A cobrança de R\$\s217,90 está em aberto: .* Ela paga o período que começou em \d\d\/\d\d\/\d{4}\./,
  )
})

test('an expired renewal boleto names the day of the next one', async ({ page, backend }) => {
  await createSubscriber(page, backend, { ...subscriptions.pastDue, paymentMethod: 'boleto' })
  const open = invoice({
    status: 'open',
    reason: 'renewal',
    paymentMethod: 'boleto',
    nextAttemptAt: inDays(2),
  })
  backend.returns(BillingService.method.listInvoices, { invoices: [open] })
  await page.goto('/area-usuario')

  await expect(card(page)).toContainText('Boleto da renovação não pago')
  await expect(card(page)).toContainText(/O próximo boleto sai em \d\d\/\d\d\./)
  await expect(card(page).getByRole('button', { name: 'Pagar com cartão' })).toBeVisible()
})

test('an open boleto of a purchase shows its code beside the trial', async ({ page, backend }) => {
  await createSubscriber(page, backend, subscriptions.awaitingBoleto)
  backend.state.boleto = boleto()
  await page.goto('/area-usuario')

  const waiting = page.getByRole('region', { name: 'Boleto aguardando pagamento' })
  await expect(waiting.getByText(/^\d{5}\.\d{5} \d{5}/)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Você está no teste grátis' })).toContainText(
    'Enquanto o pagamento não chega',
  )
  await expect(page.getByText('Concluir assinatura')).toHaveCount(0)
})

test('a boleto after its day says that a payment may still arrive, and offers another one', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, subscriptions.awaitingBoleto)
  await page.goto('/area-usuario')

  const overdue = page.getByRole('region', { name: 'O boleto venceu' })
  await expect(overdue).toContainText('A confirmação chega em até um dia útil')
  await overdue.getByRole('button', { name: 'Gerar novo boleto' }).click()
  await page.waitForURL('**/upsell')
  await expect(page.getByText('Você escolheu o Elite Nível 2.')).toBeVisible()
})

test('a payment without a response is in review, and the account is read again until it has one', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, subscriptions.awaitingConfirmation)
  await page.goto('/area-usuario')
  const pending = page.getByRole('region', { name: 'Pagamento em conferência' })
  await expect(pending).toContainText('Se você já pagou, não pague de novo.')

  backend.state = accountState({ subscription: subscription() })
  await expect(card(page).getByText('Ativa', { exact: true })).toBeVisible()
  await expect(pending).toHaveCount(0)
})

test('a purchase whose boleto was not paid can be tried again or dismissed', async ({ page, backend }) => {
  await createAccount(page)
  const purchase = {
    id: 'sub_1',
    planId: 'elite_nivel_2',
    interval: PlanInterval.MONTHLY,
    amountCentavos: 21_790n,
  }
  backend.state = accountState({ lapsedPurchase: purchase })
  await page.goto('/area-usuario')

  const over = page.getByRole('region', { name: 'O prazo do seu pagamento acabou' })
  await expect(over).toContainText('Não recebemos o pagamento do Elite Nível 2.')
  await expect(over.getByRole('button', { name: 'Tentar de novo' })).toBeVisible()
  await over.getByRole('button', { name: 'Dispensar' }).click()
  await expect(over).toHaveCount(0)
})

test('the trial is calm at first, then names the price, and in its last hours asks for the subscription', async ({
  page,
  backend,
}) => {
  const trial = page.getByRole('region', { name: 'Você está no teste grátis' })
  const primary = 'rgb(11, 107, 75)'
  backend.state = accountState({ trialEndsAt: inDays(5) })
  await createAccount(page)
  await page.goto('/area-usuario')
  await expect(trial.getByRole('heading')).toHaveText('Você está no teste grátis')
  await expect(trial.getByRole('timer')).toContainText('dias')
  await expect(trial).not.toContainText('R$')
  await expect(trial.getByRole('link', { name: 'Acessar o App' })).toHaveCSS('background-color', primary)

  backend.state = accountState({ trialEndsAt: inDays(1.5) })
  await page.reload()
  await expect(trial.getByRole('heading')).toHaveText('Seu teste está acabando')
  await expect(trial).toContainText(/Para não parar: Elite\sNível\s1, R\$\s197,90\/mês\./)
  await expect(trial.getByRole('link', { name: 'Acessar o App' })).toHaveCSS('background-color', primary)

  backend.state = accountState({ trialEndsAt: inDays(104.5 / 1440) })
  await page.reload()
  await expect(trial.getByRole('heading')).toHaveText(/^Os envios param em 1\sh 4[45]\smin$/)
  // On its night ground the main button is light.
  await expect(trial.getByRole('link', { name: 'Acessar o App' })).toHaveCSS(
    'background-color',
    'rgba(0, 0, 0, 0)',
  )
  const subscribe = trial.getByRole('link', { name: /^Assinar o Elite\sNível\s1 por R\$\s197,90\/mês$/ })
  await expect(subscribe).toHaveCSS('background-color', 'rgb(143, 220, 187)')
  await expectAccessible(page)
  await subscribe.click()
  await page.waitForURL('**/upsell')
  await expect(page.getByText('Você escolheu o Elite Nível 1.')).toBeVisible()

  // The plan that was chosen is the one to go on with.
  await page.goto('/area-usuario')
  await expect(trial.getByRole('link', { name: /^Concluir assinatura do plano Elite Nível 1/ })).toHaveCSS(
    'background-color',
    'rgb(143, 220, 187)',
  )
  await expect(trial.getByRole('link', { name: /^Assinar/ })).toHaveCount(0)
})

test('after the trial the account leads to the plans', async ({ page, backend }) => {
  await createAccount(page)
  backend.state = accountState({ trialEndsAt: inDays(-1) })
  await page.goto('/area-usuario')

  await expect(page.getByRole('heading', { name: 'Você não tem uma assinatura ativa' })).toBeVisible()
  await expect(page.getByRole('timer')).toHaveCount(0)
  await expect(page.getByRole('link', { name: 'Ver Planos Disponíveis' })).toHaveAttribute('href', '/planos')
})

test('credit that covers the next payment is shown with it', async ({ page, backend }) => {
  await createSubscriber(page, backend, { nextPaymentCentavos: 0n })
  backend.state.creditCentavos = 30_000n
  await page.goto('/area-usuario')

  await expect(card(page).getByText(/^R\$\s0,00 em \d\d\/\d\d\/\d{4} \(o crédito cobre\)$/)).toBeVisible()
  await expect(card(page).getByText('R$ 300,00', { exact: true })).toBeVisible()
})

test('a refund shows its protocol, its amount and how it is paid', async ({ page, backend }) => {
  await createSubscriber(page, backend, subscriptions.ended)
  backend.state.refund = refund()
  await page.goto('/area-usuario')

  const shown = page.getByRole('region', { name: 'Reembolso em andamento' })
  await expect(shown).toContainText(/O valor chega por Pix até \d\d\/\d\d\/\d{4}\./)
  await expect(shown.getByRole('definition')).toContainText([
    /R\$\s217,90/,
    /\d\d\/\d\d\/\d{4}/,
    '2026-1130-0001',
  ])
})
