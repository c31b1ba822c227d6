/** The first screen on a phone, and what may cover it. */

import { boxOf, coveredControls } from '../browser/accessibility'
import { choosePlan, createAccount } from '../browser/product'
import { createSubscriber } from './account'
import { accountState, inDays } from './messages'
import { expect, test } from './screen-test'

test.use({ viewport: { width: 390, height: 844 } })

test('an error toast does not cover the sign-up button, and toasts appear one at a time', async ({
  page,
}) => {
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')
  const submit = page.getByRole('button', { name: 'Criar conta' })
  await submit.click()
  const toasts = page.getByRole('region', { name: 'Avisos' })
  await expect(toasts.getByRole('alert')).toHaveCount(1)
  await expect(submit).toBeInViewport()
  expect(await coveredControls(page)).toEqual([])

  await page.getByLabel('Nome completo').fill('Ana')
  await page.getByLabel('Email').fill('ana')
  await page.getByLabel('Senha', { exact: true }).fill('segredo1')
  await submit.click()
  await expect(toasts.getByRole('alert')).toHaveText([/Digite um email válido\./])
  expect(await coveredControls(page)).toEqual([])
})

test('an error toast does not cover the invalid field on a small screen', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 })
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')
  await page.getByLabel('Nome completo').fill('Ana')
  const email = page.getByLabel('Email')
  await email.fill('ana')
  await page.getByLabel('WhatsApp').fill('1')
  await page.getByLabel('Senha', { exact: true }).fill('1')
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await expect(email).toBeFocused()
  const toast = page.getByRole('region', { name: 'Avisos' }).getByRole('alert')
  // The page scrolls smoothly.
  const gap = async () => (await boxOf(email)).y - (await boxOf(toast)).bottom
  await expect.poll(gap).toBeGreaterThan(0)
})

test('a notice shown in its place in the account is not repeated in a toast', async ({ page, backend }) => {
  await createSubscriber(page, backend)
  await page.goto('/area-usuario')
  const card = page.getByRole('region', { name: 'Assinatura', exact: true })
  await card.getByRole('button', { name: 'Cancelar assinatura' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancelar assinatura' }).click()
  await expect(page.getByText('Cancelamento feito')).toBeVisible()
  await card.getByRole('button', { name: 'Desfazer cancelamento' }).click()
  await expect(page.getByText('Sua assinatura continua')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Avisos' }).getByRole('status')).toHaveCount(0)
})

test('the account of a subscriber or of a trial is at most 2,000 px high on a phone', async ({
  page,
  backend,
}) => {
  const height = () => page.evaluate(() => document.documentElement.scrollHeight)
  const steps = page.getByRole('region', { name: 'Seus próximos passos' })
  for (const days of [5, 1, 0.05]) {
    backend.state = accountState({ trialEndsAt: inDays(days) })
    await createAccount(page)
    await page.goto('/area-usuario')
    await expect(steps).toBeVisible()
    await expect(page.getByRole('button', { name: 'Enviar link novamente' })).toBeVisible()
    expect(await height(), `${days} days before the end of the trial`).toBeLessThanOrEqual(2_000)
  }
  await createSubscriber(page, backend)
  await page.goto('/area-usuario')
  await expect(steps).toBeVisible()
  await expect(page.getByRole('button', { name: 'Pedir reembolso' })).toBeVisible()
  expect(await height()).toBeLessThanOrEqual(2_000)

  // What is folded for it opens with a press.
  const security = page.getByRole('region', { name: 'Segurança', exact: true })
  await expect(security.getByRole('button', { name: 'Trocar senha' })).toBeHidden()
  await security.getByRole('heading', { name: 'Segurança' }).click()
  await expect(security.getByRole('button', { name: 'Trocar senha' })).toBeVisible()
})

test('on a phone the plan change shows the own plan and its neighbours, and opens the others by their group', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Fazer Upgrade' }).click()
  const plans = page.getByRole('dialog').getByRole('group', { name: 'Plano' }).getByRole('radio')
  await expect(plans.filter({ visible: true })).toHaveCount(3)
  for (const name of ['Elite Nível 1', 'Elite Nível 2', 'Elite Nível 3'])
    await expect(page.getByRole('radio', { name })).toBeVisible()
  await page.getByText('Elite PRO: 6 planos').click()
  await page.getByRole('radio', { name: 'Elite PRO 2' }).check()
  await expect(plans.filter({ visible: true })).toHaveCount(9)
})
