/**
 * One walk through each screen of the app, and through pages of the site that have little to press,
 * while the browser translates them (translation.ts).
 */

import type { Page } from '@playwright/test'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { dialog } from '../browser/account-page'
import { arriveAtUpsell, createAccount, newPerson, signIn, signUp } from '../browser/product'
import { translate } from '../browser/translation'
import { createSubscriber, SESSION } from './account'
import { boleto, checkout, preview, subscription as subscribed, subscriptions } from './messages'
import { expect, test } from './screen-test'

const main = (page: Page) => page.getByRole('main')
async function open(page: Page, path: string) {
  await page.goto(path)
  await expect(page.locator('h1').first()).toBeVisible()
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  await translate(page)
}

const openPlans = async (page: Page) => {
  await page.getByRole('button', { name: 'Abrir menu' }).click()
  await page.getByRole('banner').getByRole('link', { name: 'Planos' }).click()
  await expect(page.getByRole('heading', { level: 1, name: /plano/i })).toBeVisible()
}

/** Pages with little that changes: an address each, and one action there. */
const PAGES: [path: string, act: (page: Page) => Promise<void>][] = [
  [
    '/promo-landing?promo=final50',
    async (page) => {
      const card = page.getByRole('region', { name: 'Elite', exact: true })
      await card.getByRole('tab', { name: 'Nível 3' }).click()
      await expect(card.getByRole('heading', { name: 'Elite Nível 3', exact: true })).toBeVisible()
      await page.locator('summary').last().click()
      await expect(page.locator('details[open]').last()).toBeVisible()
    },
  ],
  [
    '/solucoes',
    async (page) => {
      const carousel = page.getByRole('tablist', { name: 'Ferramentas do Garimpo' })
      for (const name of ['Filas de Envio', 'Busca com IA']) {
        await carousel.getByRole('tab', { name }).click()
        await expect(page.getByRole('tabpanel', { name })).toBeInViewport()
      }
      await page.getByRole('button', { name: 'Pausar', exact: true }).last().click()
      await expect(page.getByRole('button', { name: 'Continuar', exact: true }).last()).toBeVisible()
    },
  ],
  ['/sobre', openPlans],
  ['/termos', openPlans],
  ['/politicas-de-privacidade', openPlans],
  [
    '/bio',
    async (page) => {
      const product = page.getByRole('radio').last()
      await product.check({ force: true })
      await expect(product).toBeChecked()
    },
  ],
  ['/nao-existe', openPlans],
]
for (const [path, act] of PAGES)
  test(`translated: ${path} keeps working`, async ({ page, pageErrors }) => {
    if (path === '/nao-existe')
      pageErrors.expect(/status of 404 .*\/nao-existe/, /No route answers \/nao-existe/)
    await open(page, path)
    await act(page)
  })

/** Ends the session of this browser without the page. */
async function clearSession(page: Page) {
  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
}

test('translated: a failed login shows its error, and the next one succeeds', async ({ page }) => {
  const who = await createAccount(page)
  await clearSession(page)
  await open(page, '/login')
  await signIn(page, { ...who, password: 'errada99' })
  await expect(main(page).getByText('Email ou senha inválidos').first()).toBeVisible()
  await signIn(page, who)
  await page.waitForURL('**/area-usuario')
  await expect(page.getByRole('heading', { level: 1, name: 'Minha Conta' })).toBeVisible()
})

test('translated: the sign-up form shows its errors one after the other and creates the account', async ({
  page,
}) => {
  await open(page, '/cadastro')
  const who = newPerson()
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await expect(
    main(page).getByText('Por favor, preencha todos os campos obrigatórios.').first(),
  ).toBeVisible()
  await page.getByLabel('Senha', { exact: true }).fill('abc')
  await page.getByLabel('Email').fill('ana@hotmail.con')
  await signUp(page, who)
  await page.waitForURL('**/account-confirmation')
  await expect(page.getByRole('heading', { level: 1, name: 'Conta criada com sucesso!' })).toBeVisible()
  await expect(page.getByRole('timer')).toContainText('06')
})

test('translated: a recovery link is sent, and asked for again', async ({ page }) => {
  await open(page, '/esqueci-senha')
  for (const send of [1, 2]) {
    await page.getByLabel('Email').fill(newPerson().email)
    await page.getByRole('button', { name: 'Enviar Email de Recuperação' }).click()
    const again = page.getByRole('button', { name: 'Tentar novamente' })
    await expect(again, `link ${send}`).toBeVisible()
    await again.click()
  }
  await expect(page.getByRole('button', { name: 'Enviar Email de Recuperação' })).toBeVisible()
})

test('translated: links of a mail that are no longer valid show an error', async ({ page }) => {
  await open(page, '/confirmar-email?code=nenhum')
  await page.getByRole('button', { name: 'Confirmar meu email' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Este link não vale mais' })).toBeVisible()
  await page.goto('/redefinir-senha?code=nenhum')
  await translate(page)
  await expect(page.getByRole('link', { name: /link/ }).first()).toBeVisible()
})

test('translated: the account saves the profile, sends the link again and signs out', async ({ page }) => {
  await createAccount(page)
  await open(page, '/area-usuario')
  await expect(page.getByRole('button', { name: 'Enviar link novamente' })).toBeVisible()
  await page.getByRole('button', { name: 'Enviar link novamente' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Link enviado' })).toBeVisible()
  await page.getByRole('button', { name: 'Editar perfil' }).click()
  await dialog(page).getByLabel('Nome completo').fill('Ana Paula Lima')
  await dialog(page).getByRole('button', { name: 'Salvar' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Ana Paula Lima' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'Perfil atualizado' })).toBeVisible()
  await page.getByRole('button', { name: 'Sair', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Logout realizado com sucesso' })).toBeVisible()
  await expect(page.locator('h1').first()).toBeVisible()
})

test('translated: a subscriber changes the plan', async ({ page, backend }) => {
  // On a phone the other plans are folded.
  await page.setViewportSize({ width: 1280, height: 844 })
  await createSubscriber(page, backend)
  backend.returns(BillingService.method.previewPlanChange, preview())
  backend.returns(BillingService.method.changePlan, {
    subscription: subscribed({ planId: 'elite_nivel_3' }),
    chargedCentavos: 3_000n,
  })
  await open(page, '/area-usuario')
  const subscription = page.getByRole('region', { name: 'Assinatura', exact: true })
  await subscription.getByRole('button', { name: 'Fazer Upgrade' }).click()
  for (const plan of ['Elite Nível 1', 'Elite PRO 1', 'Elite Nível 3'])
    await dialog(page).getByRole('radio', { name: plan }).check()
  await dialog(page).getByRole('radio', { name: 'Anual', exact: true }).check()
  await dialog(page).getByRole('radio', { name: 'Mensal', exact: true }).check()
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
  await expect(dialog(page).getByRole('heading', { name: 'Confira a mudança' })).toBeVisible()
  await dialog(page)
    .getByRole('button', { name: /Mudar e pagar/ })
    .click()
  await expect(page.getByText('Seu plano agora é o Elite Nível 3')).toBeVisible()
})

test('translated: the page of a boleto moves on once it is paid', async ({ page, backend }) => {
  await createSubscriber(page, backend, subscriptions.awaitingBoleto)
  const issued = checkout({ status: 'complete', boleto: boleto() })
  backend.returns(BillingService.method.getCheckoutSession, issued)
  await open(page, `/payment-awaited?session_id=${SESSION}`)
  await expect(
    page
      .getByRole('button', { name: 'Copiar código' })
      .or(page.getByText(/\d{5}\.\d{5}/))
      .first(),
  ).toBeVisible()
  issued.paymentStatus = 'paid'
  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('translated: the return from the provider leads to the result of the payment', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend)
  let reply = () => {}
  const replied = new Promise<void>((done) => {
    reply = done
  })
  backend.on(BillingService.method.getCheckoutSession, async () => {
    await replied
    return checkout({ status: 'complete', paymentStatus: 'paid' })
  })
  await page.goto(`/checkout-return?session_id=${SESSION}`)
  await expect(page.getByRole('status').first()).toBeVisible()
  await translate(page)
  reply()
  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('translated: a payment that cannot be confirmed is read again', async ({ page, backend }) => {
  await createAccount(page)
  backend.refuses(BillingService.method.getPaymentAuthentication, 'INTERNAL')
  await open(page, '/confirmar-pagamento')
  const again = page.getByRole('button', { name: 'Tentar novamente' })
  await expect(again).toBeVisible()
  backend.refuses(BillingService.method.getPaymentAuthentication, 'NOT_FOUND')
  await again.click()
  await expect(page.getByText('Nenhum pagamento espera a sua confirmação')).toBeVisible()
})

test('translated: a canceled payment is resumed', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await open(page, '/payment-canceled')
  await page.getByRole('link', { name: 'Retomar assinatura' }).click()
  await page.waitForURL('**/upsell')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('translated: the page of a deleted account leads to the site', async ({ page }) => {
  await page.goto('/login')
  await page.evaluate(() => sessionStorage.setItem('deletionProtocol', '2026-1130-0001'))
  await open(page, '/conta-excluida')
  await expect(page.getByText('2026-1130-0001')).toBeVisible()
  await page.getByRole('link', { name: 'Ir para o início' }).click()
  await page.waitForURL('/')
})
