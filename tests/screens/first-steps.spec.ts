import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from '../browser/accessibility'
import { walkToUpsell } from '../browser/product'
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
