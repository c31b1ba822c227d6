import type { Locator, Page } from '@playwright/test'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { expectAccessible } from '../browser/accessibility'
import { arriveAtUpsell } from '../browser/product'
import { refusal } from './backend'
import { offersOf } from './messages'
import { expect, test } from './screen-test'

const offer = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Confirmar mudança de plano' })
test('the monthly plan stands before the offers on a phone and after them on a desktop, once', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const monthly = page.getByRole('button', { name: 'Continuar com o plano mensal' })
  const topOf = async (place: Locator) => (await place.boundingBox())?.y ?? 0
  await expect(monthly).toHaveCount(1)
  expect(await topOf(monthly)).toBeLessThan(await topOf(offer(page, 'Trimestral')))
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(monthly).toHaveCount(1)
  expect(await topOf(monthly)).toBeGreaterThan(await topOf(offer(page, 'Anual')))
})

test('the dialog shows plan, prices and saving, traps the focus, and closes by button and by Escape', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const take = offer(page, 'Semestral').getByRole('button', { name: 'Aproveitar Oferta' })
  await take.click()
  for (const text of [
    'Plano Semestral',
    'Pague R$ 653,70 a mais agora',
    'R$ 1.307,40',
    'R$ 871,60',
    '33% off',
    'R$ 72,63 por mês',
  ])
    await expect(dialog(page)).toContainText(text.replace('R$ 871,60', '871'))
  await expect(dialog(page).getByRole('button')).toHaveText(['Voltar', 'Confirmar'])
  await expectAccessible(page)

  // If no element of the page has the focus, the browser's own controls have it.
  const focused = () =>
    page.evaluate(() => {
      const { activeElement, body } = document
      return activeElement === body
        ? 'browser'
        : (activeElement?.closest<HTMLElement>('dialog button')?.innerText ?? 'page')
    })
  const round = async (key: string) => {
    const stops = new Set<string>()
    for (let step = 0; step < 6; step += 1) {
      await page.keyboard.press(key)
      stops.add(await focused())
    }
    return [...stops].filter((stop) => stop !== 'browser').sort()
  }
  await dialog(page).getByRole('button', { name: 'Confirmar' }).focus()
  expect(await round('Tab')).toEqual(['Confirmar', 'Voltar'])
  expect(await round('Shift+Tab')).toEqual(['Confirmar', 'Voltar'])
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await expect(take).toBeFocused()
  await take.click()
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()
  await expect(dialog(page)).toBeHidden()
})

test('while a confirmation is processed, both buttons and Escape are disabled', async ({ page }) => {
  await page.addInitScript(() => {
    window.open = () => null
  })
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  // The checkout does not load: status 204 leaves the page as it is.
  await page.route('**/checkout', (route) => route.fulfill({ status: 204 }))
  await offer(page, 'Anual').getByRole('button', { name: 'Aproveitar Oferta' }).click()
  await dialog(page).getByRole('button', { name: 'Confirmar' }).click()

  await expect(dialog(page).getByRole('button', { name: 'Processando...' })).toBeDisabled()
  await expect(dialog(page).getByRole('button', { name: 'Voltar' })).toBeDisabled()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeVisible()
  await page.mouse.click(5, 5)
  await expect(dialog(page)).toBeVisible()
})

test('the stored hold counts down; at its end the prices are read again and nothing is cleared', async ({
  page,
}) => {
  await page.clock.install()
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByText(/Sua seleção e estas ofertas ficam reservadas por 1[45]:\d\d/)).toBeVisible()
  await page.evaluate(() =>
    localStorage.setItem('upsellEndTime', new Date(Date.now() + 60_000).toISOString()),
  )
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/ListUpsellOffers')) asked += 1
  })
  await page.reload()
  await expect(page.getByText(/ficam reservadas por 00:[1-5]\d/)).toBeVisible()
  await page.clock.fastForward(60_000)
  await expect(page.getByText('O tempo da reserva acabou. Estes são os valores de agora.')).toBeVisible()
  await expect.poll(() => asked).toBe(2)
  await expect(offer(page, 'Semestral')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('selectedPlan'))).toContain('Elite Nível 2')
})

test('failed offers can be tried again; an ended promotion or invalid coupon is announced and removed', async ({
  page,
  backend,
  pageErrors,
}) => {
  backend.on(BillingService.method.listUpsellOffers, ({ planId, couponId }) => {
    if (couponId) throw refusal('COUPON_NOT_APPLICABLE')
    return offersOf(planId)
  })
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await page.route('**/ListUpsellOffers', (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Não deu para calcular as ofertas' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Voltar aos planos' })).toBeVisible()
  await expectAccessible(page)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Tentar novamente' }).click()
  await expect(offer(page, 'Semestral')).toBeVisible()
  pageErrors.expect(/ERR_FAILED .*ListUpsellOffers/)

  const dropped = {
    'A promoção acabou. Os valores abaixo são os de agora.': {
      couponId: 'blacknovember',
      couponCode: 'BLACKNOVEMBER',
    },
    'O desconto não vale para esta compra. Os valores abaixo são sem ele.': {
      couponId: null,
      couponCode: 'NADA10',
    },
  }
  // Without a response about the stored code, the coupon of the choice still applies.
  await page.route('**/GetPromotion', (route) => route.abort())
  await page.evaluate(() => localStorage.setItem('promoCode', 'nada10'))
  pageErrors.expect(/ERR_FAILED .*GetPromotion/)
  for (const [said, coupon] of Object.entries(dropped)) {
    await page.evaluate((coupon) => {
      const plan = JSON.parse(localStorage.getItem('selectedPlan') ?? '{}')
      localStorage.setItem('selectedPlan', JSON.stringify({ ...plan, ...coupon }))
    }, coupon)
    await page.reload()
    await expect(page.getByText(said)).toBeVisible()
    const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? '{}'))
    expect([kept.couponId, kept.couponCode]).toEqual([null, null])
  }
})
