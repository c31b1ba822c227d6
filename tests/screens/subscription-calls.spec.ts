/** Cancellation, refund and plan change: what is sent, and the text of each refusal. */

import type { Page } from '@playwright/test'
import {
  BillingService,
  CancelSubscriptionRequestSchema,
  ChangePlanRequestSchema,
} from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { dialog } from '../browser/account-page'
import { hold, messageOf } from '../browser/calls'
import { createSubscriber } from './account'
import type { Backend, Reason } from './backend'
import { monthlyOf, preview, subscription, subscriptions } from './messages'
import { expect, test } from './screen-test'

// On a phone the other plans of a change are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const billing = BillingService.method
const card = (page: Page) => page.getByRole('region', { name: 'Assinatura', exact: true })

async function openDialog(page: Page, button: string) {
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: button }).first().click()
  await expect(dialog(page)).toBeVisible()
}

/** Reasons that mean the same for every call of the subscription. */
const COMMON: [Reason, string][] = [
  ['PAYMENTS_DOWN', 'Os pagamentos estão fora do ar'],
  ['NO_SUBSCRIPTION', 'Não há uma assinatura que possa ser alterada.'],
  ['CHANGE_IN_PROGRESS', 'Outra mudança da sua assinatura ainda está sendo concluída.'],
  ['TOO_MANY_REQUESTS', 'Muitas tentativas. Tente novamente mais tarde'],
]

test('a cancellation sends its reason, and its notice has the focus', async ({ page, backend }) => {
  await createSubscriber(page, backend)
  await openDialog(page, 'Cancelar assinatura')
  await dialog(page).getByLabel('Por que você está cancelando? (opcional)').selectOption('Uso pouco')
  await dialog(page).getByLabel('Quer contar mais? (opcional)').fill('Volto em janeiro.')
  const sent = page.waitForRequest('**/CancelSubscription')
  await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()

  const { reason } = await messageOf(await sent, CancelSubscriptionRequestSchema)
  expect(reason).toMatch(/^Uso pouco\b.*Volto em janeiro\.$/s)
  await expect(page.getByRole('status').filter({ hasText: 'Cancelamento feito' })).toBeFocused()
  await expect(dialog(page)).toHaveCount(0)
})

test('each refusal of a cancellation has its text, and the button keeps the focus', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend)
  await openDialog(page, 'Cancelar assinatura')
  const send = dialog(page).getByRole('button', { name: 'Cancelar assinatura' })
  for (const [reason, text] of [
    ...COMMON,
    ['PROVIDER_UNAVAILABLE', 'Seu pedido está guardado: cancelamos assim que ele responder'],
    ['INTERNAL', 'Não foi possível cancelar. Tente novamente.'],
  ] as const) {
    backend.refuses(billing.cancelSubscription, reason)
    await send.click()
    await expect(dialog(page).getByRole('alert'), reason).toContainText(text)
    await expect(send).toBeFocused()
  }
})

test('while a cancellation is sent, its dialog shows it and does not close', async ({ page, backend }) => {
  await createSubscriber(page, backend)
  await openDialog(page, 'Cancelar assinatura')
  const release = await hold(page, '**/CancelSubscription')
  await dialog(page).getByRole('button', { name: 'Cancelar assinatura' }).click()

  await expect(dialog(page).getByRole('button', { name: 'Cancelando...' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeVisible()
  await release()
  await expect(dialog(page)).toHaveCount(0)
})

test('the cancellation of an unpaid renewal says that the subscription ends at once', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend, subscriptions.suspended)
  await openDialog(page, 'Cancelar assinatura')
  await expect(dialog(page)).toContainText(
    'Sua assinatura termina agora, e a renovação em aberto não é mais cobrada.',
  )
})

test('each refusal to undo a cancellation has its text', async ({ page, backend }) => {
  await createSubscriber(page, backend, subscriptions.canceledAtPeriodEnd)
  await page.goto('/area-usuario')
  for (const [reason, text] of [
    ...COMMON,
    ['INTERNAL', 'Não foi possível desfazer o cancelamento. Tente novamente.'],
  ] as const) {
    backend.refuses(billing.resumeSubscription, reason)
    await card(page).getByRole('button', { name: 'Desfazer cancelamento' }).click()
    await expect(page.getByRole('alert').filter({ hasText: text }), reason).toBeVisible()
  }
})

test('each refusal of a refund has its text', async ({ page, backend }) => {
  await createSubscriber(page, backend)
  await openDialog(page, 'Pedir reembolso')
  for (const [reason, text] of [
    ...COMMON,
    ['REFUND_WINDOW_CLOSED', 'O prazo da garantia terminou.'],
    ['INTERNAL', 'Não foi possível pedir o reembolso. Tente novamente.'],
  ] as const) {
    backend.refuses(billing.requestRefund, reason)
    await dialog(page)
      .getByRole('button', { name: /^Receber R\$\s217,90 de volta$/ })
      .click()
    await expect(dialog(page).getByRole('alert'), reason).toContainText(text)
  }
})

test('a refund is by card, by Pix or by both, as the subscription was paid', async ({ page, backend }) => {
  for (const [changes, text] of [
    [{ refundMethod: 'card' }, 'No mesmo cartão. Costuma aparecer em 5 a 10 dias úteis.'],
    [{ refundMethod: 'pix', refundPixCentavos: 21_790n }, 'Por Pix, em até 30 dias.'],
    [
      { refundMethod: 'card_and_pix', refundPixCentavos: 9_790n },
      /R\$\s120,00 no mesmo cartão.* e R\$\s97,90 por Pix/,
    ],
  ] as const) {
    await createSubscriber(page, backend, changes)
    await openDialog(page, 'Pedir reembolso')
    await expect(dialog(page)).toContainText(text)
  }
})

async function openPreview(page: Page, backend: Backend) {
  await createSubscriber(page, backend)
  backend.returns(billing.previewPlanChange, preview())
  await openDialog(page, 'Fazer Upgrade')
  await dialog(page).getByRole('radio', { name: 'Elite Nível 3' }).check()
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
  await expect(dialog(page).getByRole('heading', { name: 'Confira a mudança' })).toBeVisible()
}

test('a plan change shows its bill, sends the previewed token and states what was charged', async ({
  page,
  backend,
}) => {
  await openPreview(page, backend)
  const bill = dialog(page).locator('dl[aria-label="Conta da mudança"]').getByRole('definition')
  await expect(bill).toHaveText([/210,00/, /240,00/, /30,00/])
  await expect(dialog(page)).toContainText(/A partir daí, R\$\s247,90\/mês\./)
  backend.returns(billing.changePlan, {
    subscription: subscription(monthlyOf('elite_nivel_3')),
    chargedCentavos: 3_000n,
  })
  const sent = page.waitForRequest('**/ChangePlan')
  await dialog(page)
    .getByRole('button', { name: /^Mudar e pagar R\$\s30,00$/ })
    .click()

  expect((await messageOf(await sent, ChangePlanRequestSchema)).previewToken).toBe('preview-1')
  const news = page.getByRole('status').filter({ hasText: 'Seu plano agora é o Elite Nível 3' })
  await expect(news).toBeFocused()
  await expect(news).toContainText(/Cobramos R\$\s30,00\./)
})

test('each refusal of a plan change has its text, and another card is offered where it helps', async ({
  page,
  backend,
}) => {
  await openPreview(page, backend)
  for (const [reason, metadata, text, portal] of [
    [
      'PAYMENT_DECLINED',
      { decline_code: 'insufficient_funds' },
      'o cartão está sem limite ou saldo.',
      'Trocar o cartão',
    ],
    ['PAYMENT_DECLINED', { decline_code: 'expired_card' }, 'o cartão está vencido.', 'Trocar o cartão'],
    ['PAYMENT_DECLINED', {}, 'O banco não aprovou a cobrança.', 'Trocar o cartão'],
    ['CARD_REQUIRED', {}, 'Sua assinatura é paga por boleto', 'Cadastrar um cartão'],
    ['PROVIDER_UNAVAILABLE', {}, 'O serviço de pagamento não respondeu. Sua escolha está guardada', null],
    ['PAYMENTS_DOWN', {}, 'Os pagamentos estão fora do ar', null],
  ] as const) {
    backend.refuses(billing.changePlan, reason, metadata)
    const send = dialog(page).getByRole('button', { name: /^Mudar e pagar/ })
    if ((await send.count()) === 0) await previewAgain(page)
    await send.click()
    await expect(dialog(page).getByRole('alert'), reason).toContainText(text)
    const offered = dialog(page).getByRole('button', { name: /cartão$/ })
    await expect(offered, text).toHaveText(portal ? [portal] : [])
  }
})

async function previewAgain(page: Page) {
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
}

test('an expired preview is made again and shows that its amounts are new', async ({ page, backend }) => {
  await openPreview(page, backend)
  backend.refuses(billing.changePlan, 'PREVIEW_EXPIRED')
  backend.returns(
    billing.previewPlanChange,
    preview({ amountDueCentavos: 3_500n, previewToken: 'preview-2' }),
  )
  await dialog(page)
    .getByRole('button', { name: /^Mudar e pagar/ })
    .click()

  await expect(
    dialog(page).getByRole('status').filter({ hasText: 'Os valores abaixo são os de agora' }),
  ).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: /^Mudar e pagar R\$\s35,00$/ })).toBeVisible()
})

test('without the plans the dialog of the plan change shows the error, and tries again', async ({
  page,
  backend,
  pageErrors,
}) => {
  await createSubscriber(page, backend)
  await page.route('**/ListPlans', (route) => route.abort())
  await openDialog(page, 'Fazer Upgrade')
  await expect(dialog(page)).toContainText('Não conseguimos buscar os planos. Nada mudou na sua assinatura.')
  await page.unroute('**/ListPlans')
  await dialog(page).getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(dialog(page).getByRole('radio', { name: /Afiliado|Elite/ })).toHaveCount(13)
  pageErrors.expect(/ERR_FAILED .*ListPlans/)
})

test('the present plan with the present period is not a change', async ({ page, backend }) => {
  await createSubscriber(page, backend)
  await openDialog(page, 'Fazer Upgrade')
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
  await expect(dialog(page).getByRole('alert')).toContainText('Este já é o seu plano.')
})
