import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from '../browser/accessibility'
import { createAccount, walkToUpsell } from '../browser/product'
import { createSubscriber } from './account'
import { accountState, inDays, subscriptions } from './messages'
import { expect, test } from './screen-test'

const steps = ['Conecte o WhatsApp', 'Diga o que seu público compra', 'Receba o primeiro post']
const topOf = async (page: Page, name: string) =>
  (await page.getByRole('link', { name, exact: true }).boundingBox())?.y ?? Number.NaN

test('a visitor who asked for the trial sees it before the offers and the countdowns', async ({ page }) => {
  await walkToUpsell(page, 'Elite', 'Nível 2')
  const start = page.getByRole('link', { name: 'Continuar no teste grátis' })
  await expect(start).toHaveCSS('background-color', 'rgb(11, 107, 75)')
  const timer = page.getByText('Sua seleção e estas ofertas ficam reservadas por')
  await expect(timer).toBeVisible()
  const clock = (await timer.boundingBox())?.y ?? 0
  expect(await topOf(page, 'Continuar no teste grátis')).toBeLessThan(clock)
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)

  await start.click()
  await page.waitForURL('**/account-confirmation')
  const app = page.getByRole('link', { name: 'Começar Agora' })
  await expect(app).toHaveCSS('background-color', 'rgb(11, 107, 75)')
  await expect(
    page.getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 2 por R$ 217,90/mês' }),
  ).toBeVisible()
  expect(await topOf(page, 'Começar Agora')).toBeLessThan(
    (await page.getByRole('timer').boundingBox())?.y ?? 0,
  )
  await expect(page.getByRole('region', { name: 'Seus próximos passos' }).getByRole('listitem')).toHaveText(
    steps.map((step) => new RegExp(`^${step}`)),
  )
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
})

const list = (page: Page) => page.getByRole('region', { name: 'Seus próximos passos' })

test('the account keeps the ticks of the first steps, and shows them until all are done', async ({
  page,
}) => {
  await createAccount(page)
  await page.goto('/area-usuario')
  for (const step of steps) await expect(list(page).getByRole('checkbox', { name: step })).not.toBeChecked()
  await expectAccessible(page)
  await list(page).getByText('Conecte o WhatsApp').click()
  await page.reload()
  await expect(list(page).getByRole('checkbox', { name: 'Conecte o WhatsApp' })).toBeChecked()

  for (const step of steps.slice(1)) await list(page).getByRole('checkbox', { name: step }).check()
  // The last tick is seen.
  await expect(list(page).getByRole('checkbox', { checked: true })).toHaveCount(3)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Editar perfil' })).toBeVisible()
  await expect(list(page)).toHaveCount(0)
})

test('the first steps closed by one account are shown to the next one in the same browser', async ({
  page,
  backend,
}) => {
  await createSubscriber(page, backend)
  await page.goto('/area-usuario')
  await list(page).getByRole('button', { name: 'Fechar os próximos passos' }).click()
  await expect(list(page)).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Minha Conta' })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Cancelar assinatura' })).toBeVisible()
  await expect(list(page)).toHaveCount(0)

  await createSubscriber(page, backend)
  await page.goto('/area-usuario')
  await expect(list(page)).toBeVisible()
})

test('an account without access has no first steps', async ({ page, backend }) => {
  await createSubscriber(page, backend, subscriptions.ended)
  await page.goto('/area-usuario')
  await expect(page.getByText('Sua assinatura terminou')).toBeVisible()
  await expect(list(page)).toHaveCount(0)

  backend.state = accountState({ trialEndsAt: inDays(-1) })
  await page.goto('/area-usuario')
  await expect(page.getByText('Você não tem uma assinatura ativa')).toBeVisible()
  await expect(list(page)).toHaveCount(0)
})
