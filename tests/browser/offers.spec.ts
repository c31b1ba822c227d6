import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { waitForCheckoutSession } from './payment-frame'
import {
  arriveAtUpsell,
  choosePlan,
  createAccount,
  expect,
  type Product,
  productPerTest,
  takeOffer,
  test,
} from './product'

const offer = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
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

const blackNovemberTest = test.extend<{ product: Product }>(productPerTest({ GARIMPO_BLACK_NOVEMBER: 'on' }))

blackNovemberTest(
  'in Black November Top Afiliado can be swapped for Elite Nível 1 at its price, and no other plan',
  async ({ page }) => {
    await createAccount(page)
    await choosePlan(page, 'Top Afiliado')
    await page.waitForURL('**/upsell')
    await expect(page.getByText('Você escolheu o Top Afiliado.')).toBeVisible()
    const swap = page.getByRole('button', { name: 'Trocar' })
    await expect(swap).toHaveAccessibleDescription(
      'Até 30/11, o Elite Nível 1 sai pelo mesmo preço no 1º mês. Depois, R$ 197,90/mês.',
    )
    await expect(page.getByText('Os preços da Black November')).toHaveCount(0)
    for (const width of [320, 1280, 390]) await expectFits(page, width)
    await expectAccessible(page)
    await swap.click()
    await expect(page.getByText('Você escolheu o Elite Nível 1.')).toBeVisible()
    await expect(page.getByText('R$ 97,90 no 1º mês, depois R$ 197,90 por mês')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(swap).toHaveCount(0)
    expect(await page.evaluate(() => localStorage.getItem('selectedPlan'))).toContain('blacknovember')
  },
)
