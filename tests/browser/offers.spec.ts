import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { waitForCheckoutSession } from './payment-frame'
import { arriveAtUpsell, expect, takeOffer, test } from './product'

const offer = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Confirmar mudança de plano' })
const readText = async (page: Page, name: string) =>
  (await offer(page, name).innerText()).replace(/\s+/g, ' ')

test('the three offers show badge, prices, one saving, four lines and a button; the middle one stands out', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByRole('heading', { level: 1, name: 'Aproveite as Ofertas Exclusivas' })).toBeVisible()
  const cards = [
    [
      'Trimestral',
      'Economia',
      'R$ 305,06 a mais',
      'R$ 653,70',
      'R$ 522,96/3 meses',
      '20% off',
      'R$ 43,58',
      'R$ 174,32',
    ],
    [
      'Semestral',
      'Mais Popular',
      'R$ 653,70 a mais',
      'R$ 1.307,40',
      'R$ 871,60/6 meses',
      '33% off',
      'R$ 72,63',
      'R$ 145,27',
    ],
    [
      'Anual',
      'Melhor Valor',
      'R$ 1.089,50 a mais',
      'R$ 2.614,80',
      'R$ 1.307,40/ano',
      '50% off',
      'R$ 108,95',
      'R$ 108,95',
    ],
  ] as const
  for (const [name, badge, extra, original, price, percent, saving, month] of cards) {
    const card = offer(page, name)
    await expect(card.getByRole('heading', { level: 2 })).toHaveText(`Plano ${name}`)
    await expect(card.getByText(badge, { exact: true })).toBeVisible()
    const text = (await readText(page, name)).replaceAll(' ,', ',')
    for (const part of [extra, original, price, percent, `Equivale a ${month} por mês`])
      expect(text).toContain(part)
    expect(text.split(`Economia de ${saving} por mês`), 'the saving is named once').toHaveLength(2)
    await expect(card.getByRole('listitem')).toHaveCount(4)
    await expect(card.getByRole('button')).toHaveText(['Aproveitar Oferta'])
  }
  const border = (name: string) => offer(page, name).evaluate((card) => getComputedStyle(card).borderTopColor)
  expect(await border('Semestral')).not.toBe(await border('Trimestral'))
  expect(await border('Anual')).toBe(await border('Trimestral'))

  await expect(page.getByRole('button', { name: 'Continuar com o plano mensal' })).toBeVisible()
  await expect(page.getByText('R$ 217,90 por mês')).toBeVisible()
  const blocks = page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 2 }) })
  await expect(blocks.getByRole('heading')).toHaveText([
    'Garantia de 7 dias',
    'Upgrade a qualquer momento',
    'Ofertas exclusivas',
  ])
  await expect(blocks.first()).toContainText('Devolvemos o valor integral.')
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
})

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

test('with the tab open an overlay ignores Escape; canceling it returns to the offers with the plan', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? 'null'))
  const tab = await takeOffer(page, 'Semestral')
  const overlay = page.getByRole('dialog', { name: 'Abrindo checkout...' })
  await expect(overlay).toBeVisible()
  expect(await stored()).toMatchObject({ interval: 'semestral', period: '/6 meses', priceRaw: '871.60' })
  // After its animation.
  await expect.poll(async () => (await overlay.boundingBox())?.height).toBe(844)
  expect((await overlay.boundingBox())?.width).toBe(390)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(overlay).toBeVisible()
  await expect(overlay.getByRole('button', { name: 'Voltar ao checkout' })).toBeEnabled()
  await waitForCheckoutSession(tab)

  await overlay.getByRole('button', { name: 'Cancelar' }).click()
  await expect(overlay).toBeHidden()
  await expect.poll(() => tab.isClosed()).toBe(true)
  await expect(offer(page, 'Semestral')).toBeVisible()
  expect(await stored()).toMatchObject({ name: 'Elite Nível 2', interval: 'month', priceRaw: '217.90' })
})

test('continuing by the month stores the month and opens the checkout at its price', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const tab = await popup
  await waitForCheckoutSession(tab)
  expect(await tab.evaluate(() => JSON.parse(localStorage.getItem('selectedPlan') ?? 'null'))).toMatchObject({
    interval: 'monthly',
    priceRaw: '217.90',
  })
  await expect(tab).toHaveTitle(/Finalizar Assinatura|Checkout/)
})

test('the stored hold counts down; at its end the prices are read again and nothing is cleared', async ({
  page,
}) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByText(/Sua seleção e estas ofertas ficam reservadas por 1[45]:\d\d/)).toBeVisible()
  await page.evaluate(() => localStorage.setItem('upsellEndTime', new Date(Date.now() + 6_000).toISOString()))
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/ListUpsellOffers')) asked += 1
  })
  await page.reload()
  await expect(page.getByText(/ficam reservadas por 00:0\d/)).toBeVisible()
  await expect(page.getByText('O tempo da reserva acabou. Estes são os valores de agora.')).toBeVisible()
  await expect.poll(() => asked).toBe(2)
  await expect(offer(page, 'Semestral')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('selectedPlan'))).toContain('Elite Nível 2')
})

test('failed offers can be tried again; an ended promotion or invalid coupon is announced and removed', async ({
  page,
  pageErrors,
}) => {
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
