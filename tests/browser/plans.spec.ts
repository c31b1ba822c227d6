import { expectAccessible, expectFits } from './accessibility'
import { hold } from './calls'
import {
  arriveAtUpsell,
  choosePlan,
  createAccount,
  createSubscriber,
  expect,
  storeElitePlan,
  test,
} from './product'

const offers = [
  { card: 'Elite', tab: 'Nível 1', shown: ['Anual'] },
  { card: 'Elite', tab: 'Nível 2', shown: ['Trimestral', 'Semestral', 'Anual'] },
  { card: 'Elite', tab: 'Nível 3', shown: ['Trimestral', 'Semestral', 'Anual'] },
  { card: 'Elite PRO', tab: 'PRO 1', shown: ['Anual'] },
]

for (const { card, tab, shown } of offers) {
  test(`${card} ${tab} offers ${shown.join(', ')}`, async ({ page }) => {
    await arriveAtUpsell(page, card, tab)

    await expect(page.getByRole('region', { name: 'Anual', exact: true })).toBeVisible()
    for (const offer of ['Trimestral', 'Semestral', 'Anual']) {
      const region = page.getByRole('region', { name: offer, exact: true })
      await expect(region).toHaveCount(shown.includes(offer) ? 1 : 0)
    }
  })
}

test('each tab shows the name and the price of its level', async ({ page }) => {
  await page.goto('/planos')
  const levels = [
    ['Elite', 'Nível 1', 'Elite Nível 1', '197,90'],
    ['Elite', 'Nível 2', 'Elite Nível 2', '217,90'],
    ['Elite', 'Nível 3', 'Elite Nível 3', '247,90'],
    ['Elite PRO', 'PRO 1', 'Elite PRO 1', '297,90'],
    ['Elite PRO', 'PRO 6', 'Elite PRO 6', '1.047,90'],
  ] as const
  for (const [card, tab, name, price] of levels) {
    const region = page.getByRole('region', { name: card, exact: true })
    await region.getByRole('tab', { name: tab }).click()
    await expect(region.getByRole('heading', { name })).toBeVisible()
    expect((await region.innerText()).replace(/\s+/g, '')).toContain(price)
  }
  const affiliate = page.getByRole('region', { name: 'Top Afiliado', exact: true })
  const text = (await affiliate.innerText()).replace(/\s+/g, '')
  expect(text).toContain('97,90')
  expect(text).toContain('119,90')
})

test('the choice is stored in selectedPlan with fixed names', async ({ page }) => {
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')

  const stored = await page.evaluate(() => ({
    plan: JSON.parse(localStorage.getItem('selectedPlan') ?? 'null'),
    redirect: localStorage.getItem('loginRedirectUrl'),
  }))
  expect(stored.redirect).toBe('/upsell')
  expect(stored.plan).toMatchObject({
    name: 'Elite Nível 2',
    period: '/mês',
    priceRaw: '217.90',
    interval: 'month',
  })
  const names = ['name', 'price', 'period', 'priceRaw', 'interval', 'couponCode', 'couponId']
  expect(Object.keys(stored.plan).filter((key) => !names.includes(key))).toEqual([])
})

test('going back to the plans before the sign-up appears clears the choice; the home page does not', async ({
  page,
}) => {
  const stored = () => page.evaluate(() => localStorage.getItem('selectedPlan'))
  await page.goto('/planos')
  const arrive = await hold(page, '**/assets/sign-up-*.js')
  await page
    .getByRole('region', { name: 'Elite', exact: true })
    .getByRole('button', { name: 'Testar grátis por 7 dias' })
    .click()
  await expect(page).toHaveURL(/\/cadastro$/)
  expect(await stored()).toContain('Elite Nível 1')
  await page.evaluate(() => history.back())
  await expect(page).toHaveURL(/\/planos$/)
  await expect.poll(stored).toBeNull()
  await arrive()

  await page
    .getByRole('region', { name: 'Elite', exact: true })
    .getByRole('button', { name: 'Testar grátis por 7 dias' })
    .click()
  await expect(page.getByLabel('Nome completo')).toBeVisible()
  await page.goto('/')
  expect(await stored()).toContain('Elite Nível 1')
})

test('opening the plans page clears the stored choice', async ({ page }) => {
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')
  await page.goto('/planos')
  await expect(page.getByRole('region', { name: 'Elite', exact: true })).toBeVisible()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('selectedPlan'))).toBeNull()
})

test('a choice that the plans page cleared can be taken again, until another replaces it', async ({
  page,
}) => {
  const take = page.getByRole('button', { name: 'Continuar com ele' })
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')
  await page.goBack()
  await expect(page.getByText('Você tinha escolhido o Elite Nível 2.')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('selectedPlan'))).toBeNull()
  await page.reload()
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
  await take.click()
  await page.waitForURL('**/cadastro')
  await expect(page.getByText('Plano escolhido Elite Nível 2 por R$ 217,90/mês')).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('loginRedirectUrl'))).toBe('/upsell')

  await page.goto('/')
  await choosePlan(page, 'Top Afiliado')
  await page.waitForURL('**/cadastro')
  await page.goto('/promo-landing')
  await expect(page.getByText('Você tinha escolhido o Top Afiliado.')).toBeVisible()
  await expect(take).toHaveCount(1)
})

test('a choice that the plans page cleared can also be taken again in another tab', async ({
  page,
  context,
}) => {
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')
  await page.goto('/planos')
  await expect(page.getByText('Você tinha escolhido o Elite Nível 2.')).toBeVisible()
  await page.close()

  const another = await context.newPage()
  await another.goto('/planos')
  await another.getByRole('button', { name: 'Continuar com ele' }).click()
  await another.waitForURL('**/cadastro')
  await expect(another.getByText('Plano escolhido Elite Nível 2 por R$ 217,90/mês')).toBeVisible()
})

test('a signed-in user takes a cleared choice again with its coupon, and the sign-out forgets it', async ({
  page,
}) => {
  await createAccount(page)
  await page.goto('/planos?promo=maria')
  await page
    .getByRole('region', { name: 'Top Afiliado', exact: true })
    .getByRole('button', { name: 'Assinar Agora' })
    .click()
  const price = page.getByText('R$ 88,11 no 1º mês, depois R$ 97,90 por mês')
  await expect(price).toBeVisible()
  await page.goto('/planos')
  const take = page.getByRole('button', { name: 'Continuar com ele' })
  await take.click()
  await page.waitForURL('**/upsell')
  await expect(price).toBeVisible()

  await page.goto('/planos')
  await expect(take).toBeVisible()
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Sair' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/')
  await page.goto('/planos')
  await expect(page.getByRole('button', { name: 'Testar grátis por 7 dias' }).first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(take).toHaveCount(0)
})

test('a subscriber is not offered the cleared choice', async ({ page, product }) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  await storeElitePlan(page)
  await page.goto('/planos')
  await expect(page.getByRole('link', { name: 'Ver minha assinatura' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(await page.evaluate(() => localStorage.getItem('clearedPlan'))).toContain('Elite Nível 2')
  await expect(page.getByRole('button', { name: 'Continuar com ele' })).toHaveCount(0)
})

test('a signed-in user who chooses a plan sees the offers with a hold of fifteen minutes', async ({
  page,
}) => {
  await createAccount(page)
  await choosePlan(page, 'Elite', 'Nível 3')

  await page.waitForURL('**/upsell')
  const ends = await page.evaluate(() => localStorage.getItem('upsellEndTime'))
  const minutes = (Date.parse(ends ?? '') - Date.now()) / 60_000
  expect(minutes).toBeGreaterThan(14)
  expect(minutes).toBeLessThanOrEqual(15.1)
  await expect(page.getByText(/Sua seleção e estas ofertas ficam reservadas por \d{2}:\d{2}/)).toBeVisible()
})

test('without a stored plan the offers page leads to the plans', async ({ page }) => {
  await page.goto('/upsell')
  await page.waitForURL('**/planos')
  // The head is that of the plans, not of the address that redirected.
  await expect(page.locator('head link[rel=canonical]')).toHaveAttribute('href', /\/planos$/)
  await expect(page.locator('head meta[name=robots]')).toHaveCount(0)
  await expect(page.locator('head meta[name=description]')).toHaveAttribute(
    'content',
    /Top Afiliado, Elite e Elite PRO/,
  )
})

test('the plans page has benefits, questions and help, fits each width and is accessible in each tab', async ({
  page,
}) => {
  await page.goto('/selecionar-plano')
  await expect(page.getByRole('heading', { name: 'Todos os planos incluem' })).toBeVisible()
  for (const benefit of [
    'Suporte prioritário por chat, WhatsApp e email',
    'Atualizações constantes',
    'Garantia de satisfação de 7 dias',
    'Cancele quando quiser, sem taxas',
  ])
    await expect(page.getByText(benefit, { exact: true })).toBeVisible()
  const faq = page.getByRole('region', { name: 'Perguntas sobre os planos' })
  await expect(faq.locator('summary')).toHaveText([
    'Como funciona o teste grátis?',
    'Como funciona a garantia de 7 dias?',
    'Quais são as formas de pagamento?',
    'Posso mudar de plano depois?',
  ])
  await expect(faq.getByRole('link', { name: 'Veja a Central de Ajuda' })).toHaveAttribute('href', /ajuda/)
  await expect(page.locator('[aria-busy]')).toHaveCount(0)

  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
  for (const [card, tab] of [
    ['Elite', 'Nível 3'],
    ['Elite PRO', 'PRO 6'],
  ] as const)
    await page.getByRole('region', { name: card, exact: true }).getByRole('tab', { name: tab }).click()
  await faq.locator('summary').first().click()
  await expectAccessible(page)
})

test('a subscriber reads for 8 seconds of the active subscription, and the button opens the portal', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')

  const now = Date.now()
  await page.clock.install({ time: now })
  await page.clock.pauseAt(now + 1_000)
  await page.goto('/planos')
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  const choose = page
    .getByRole('region', { name: 'Top Afiliado', exact: true })
    .getByRole('button', { name: 'Assinar Agora' })
  const message = page.getByRole('status').filter({ hasText: 'Você já tem uma assinatura ativa!' })
  await choose.click()
  await page.mouse.move(0, 0)
  // The page needs its timers to show the message, so the clock runs in steps of 100 ms.
  await expect
    .poll(async () => {
      await page.clock.runFor(100)
      return message.count()
    })
    .toBe(1)
  await page.clock.runFor(7_700)
  await expect(message).toBeVisible()
  await page.clock.runFor(300)
  await expect(message).toHaveCount(0)
  expect(new URL(page.url()).pathname).toBe('/planos')

  await page.clock.resume()
  await choose.click()
  const manage = message.getByRole('button', { name: 'Gerenciar Plano' })
  // The focus keeps the message open.
  await manage.focus()
  await expectAccessible(page)
  await manage.click()
  await page.waitForURL((url) => url.href.startsWith(product.sandbox))
})
