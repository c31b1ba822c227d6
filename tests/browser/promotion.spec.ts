import type { Page } from '@playwright/test'
import { boxOf, expectAccessible, expectFits } from './accessibility'
import { createAccount, expect, newPerson, type Product, productPerTest, signUp, test } from './product'

const readWithoutSpaces = async (page: Page, region: string) =>
  (await page.getByRole('region', { name: region, exact: true }).innerText()).replace(/\s+/g, '')
const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)

const codes = [
  ['/planos-promo', 'NOVO10', '-10%', 'R$88,11no1ºmês*depoisR$97,90/mês', false],
  ['/planos-promo?promo=final', 'FINAL50', '-50%', 'R$48,95no1ºmês*depoisR$97,90/mês', true],
  ['/promo?parceiro=aniversario-loja', 'ANIVERSARIO15', '-15%', 'R$83,21no1ºmês*depoisR$97,90/mês', true],
  ['/afiliado?afiliado=maria', 'MARIA', '-10%', 'R$88,11no1ºmês*depoisR$97,90/mês', false],
  ['/promo-landing?promo=comeback', 'COMEBACK30', '-30%', 'R$68,53no1ºmês*depoisR$97,90/mês', true],
] as const

test("the code of the address sets coupon, first month, countdown and discount; the default is 'novo'", async ({
  page,
}) => {
  for (const [address, coupon, percent, price, counts] of codes) {
    await page.goto(address)
    await expect(page.getByText(coupon, { exact: true })).toBeVisible()
    await expect(page.getByText(percent, { exact: true })).toBeVisible()
    expect(await readWithoutSpaces(page, 'Top Afiliado'), address).toContain(price)
    // The recommended plan's price stands in the head, before everything else.
    const head = (await page.locator('main > section').first().innerText()).replace(/\s+/g, '')
    const elite = (await readWithoutSpaces(page, 'Elite')).match(/R\$[\d,]+no1ºmês/)?.[0]
    expect(head, address).toContain(`EliteNível1por${elite}`)
    await expect(
      page.getByText('Este preço está garantido até as 23:59 de hoje', { exact: true }),
    ).toHaveCount(counts ? 1 : 0)
    await expect(page.getByRole('timer')).toHaveCount(counts ? 1 : 0)
  }
})

test('the promotion page has banner, pains, stores, plans, benefits and questions, and fits each width', async ({
  page,
}) => {
  await page.goto('/planos-promo?promo=final')
  await expect(page.getByRole('timer')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Metade do preço no primeiro mês')
  // The plans stand directly below the coupon.
  let above = 0
  for (const name of [
    'Metade do preço no primeiro mês',
    'Cupom',
    'Escolha o plano e pague menos no primeiro mês',
    'Garimpar na mão cansa',
    'Uma peneira, muitas lojas',
    'Perguntas frequentes',
  ]) {
    const { y } = await boxOf(page.getByRole('region', { name, exact: true }))
    expect(y, name).toBeGreaterThan(above)
    above = y
  }
  await expect(page.getByRole('heading', { name: 'Todos os planos incluem' })).toBeVisible()
  for (const benefit of [
    'Suporte prioritário por chat, WhatsApp e email',
    'Atualizações constantes',
    'Garantia de satisfação de 7 dias',
    'Cancele quando quiser, sem taxas',
  ])
    await expect(page.getByText(benefit, { exact: true })).toBeVisible()
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(page.locator('code')).toHaveText('FINAL50')
    // On one line: a wrapped code is not twice as wide as high.
    const { width: wide, height } = (await page.locator('code').boundingBox()) ?? { width: 0, height: 0 }
    expect(wide, `${width} px`).toBeGreaterThan(2 * height)
  }

  // The longest code that a partner may have.
  await page.goto('/planos-promo?promo=ABCDEFGHIJKLMNOPQRSTUVWXYZ_12345')
  await expect(page.getByText('ABCDEFGHIJKLMNOPQRSTUVWXYZ_12345', { exact: true })).toBeVisible()
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
})

test('the countdown of a code begins again the next day', async ({ page }) => {
  await page.clock.install()
  await page.goto('/planos-promo?promo=final')
  const timer = page.getByRole('timer')
  await expect(timer).toBeVisible()
  const secondsLeft = async () => {
    const [hours = 0, minutes = 0, seconds = 0] = ((await timer.innerText()).match(/\d+/g) ?? []).map(Number)
    return hours * 3600 + minutes * 60 + seconds
  }
  const today = await secondsLeft()

  // An hour past the end of today.
  await page.clock.fastForward((today + 3600) * 1000)

  await expect.poll(secondsLeft).toBeLessThanOrEqual(23 * 3600)
  await expect.poll(secondsLeft).toBeGreaterThan(22 * 3600 + 55 * 60)
  expect(await readWithoutSpaces(page, 'Top Afiliado')).toContain('R$48,95no1ºmês')
})

test('the countdown ends at 23:59:59 in São Paulo by the clock of the server', async ({ page }) => {
  await page.goto('/planos-promo?promo=blackfriday')
  const timer = page.getByRole('timer')
  await expect(timer).toBeVisible()
  const [left, endsIn] = await page.evaluate(async () => {
    const parts = (document.querySelector('[role=timer]') as HTMLElement).innerText.match(/\d+/g) ?? []
    const [hours = 0, minutes = 0, seconds = 0] = parts.map(Number)
    const { serverTime } = await (await fetch('/config.json')).json()
    const day = new Date(new Date(serverTime).getTime() - 3 * 3_600_000).toISOString().slice(0, 10)
    const end = new Date(`${day}T23:59:59-03:00`).getTime()
    return [hours * 3600 + minutes * 60 + seconds, (end - new Date(serverTime).getTime()) / 1000] as const
  })
  expect(Math.abs(left - endsIn)).toBeLessThan(10)
})

test('a click on the banner leads to the plans, and the code stays in the address', async ({ page }) => {
  await page.goto('/planos-promo?promo=final&campaign=verao&ref=ana')
  await page.getByRole('heading', { level: 1 }).click({ force: true })

  await expect(page).toHaveURL(/\?promo=final&campaign=verao&ref=ana#planos$/)
  await expect(page.locator('#planos')).toBeInViewport()
  expect(await readWithoutSpaces(page, 'Top Afiliado')).toContain('48,95')
  await expect.poll(() => stored(page, 'campaign_id')).toBe('verao')
  expect(await stored(page, 'referral')).toBe('ana')
})

test('the coupon button copies and shows a toast; if copying is refused, the code is selected', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/planos-promo?promo=comeback')
  await page.getByRole('button', { name: 'Copiar cupom' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Cupom copiado!' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('COMEBACK30')
  await expectAccessible(page)

  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('refused', 'NotAllowedError'))
  })
  // Scroll the button to the top, where the toast appears.
  const button = page.getByRole('button', { name: 'Copiar cupom' })
  await button.evaluate((element) => element.scrollIntoView({ block: 'start', behavior: 'instant' }))
  await button.click()
  const toast = page.getByRole('status').filter({ hasText: 'O código já está selecionado: é só copiar.' })
  await expect(toast).toBeVisible()
  expect(await page.evaluate(() => String(getSelection()))).toBe('COMEBACK30')
  const code = page.getByText('COMEBACK30', { exact: true })
  await expect
    .poll(async () => (await boxOf(code)).y - (await boxOf(toast)).bottom, 'the code under the toast')
    .toBeGreaterThan(0)
})

test('a promo code survives the sign-up, on the way back and in the offers', async ({ page }) => {
  await page.goto('/planos-promo?promo=final')
  const elite = page.getByRole('region', { name: 'Elite', exact: true })
  await elite.getByRole('tab', { name: 'Nível 2' }).click()
  await elite.getByRole('button', { name: 'Testar grátis por 7 dias' }).click()
  await page.waitForURL('**/cadastro')
  expect(JSON.parse((await stored(page, 'selectedPlan')) ?? 'null')).toMatchObject({
    name: 'Elite Nível 2',
    priceRaw: '108.95',
    couponCode: 'FINAL50',
    couponId: 'final50',
  })
  expect(await stored(page, 'upsellEndTime')).toBeNull()

  await page.goBack()
  await expect(page).toHaveURL(/promo=final/)
  await elite.getByRole('tab', { name: 'Nível 2' }).click()
  expect(await readWithoutSpaces(page, 'Elite')).toContain('R$108,95no1ºmês')
  await elite.getByRole('button', { name: 'Testar grátis por 7 dias' }).click()
  await page.waitForURL('**/cadastro')
  await signUp(page, newPerson())
  await page.waitForURL('**/upsell')
  await expect(page.getByText('R$ 108,95 no 1º mês, depois R$ 217,90 por mês')).toBeVisible()
})

test('a signed-in user goes from the promotion to the offers, with the partner coupon', async ({ page }) => {
  await createAccount(page)
  await page.goto('/planos-promo?promo=maria')
  await page
    .getByRole('region', { name: 'Top Afiliado', exact: true })
    .getByRole('button', { name: 'Assinar Agora' })
    .click()

  await page.waitForURL('**/upsell')
  await expect(page.getByText('R$ 88,11 no 1º mês, depois R$ 97,90 por mês')).toBeVisible()
})

test('with blocked storage the code still applies until the sign-up', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('blocked', 'SecurityError')
      },
    })
  })
  await page.goto('/planos-promo?promo=final&ref=ana')
  await page
    .getByRole('region', { name: 'Elite', exact: true })
    .getByRole('button', { name: 'Testar grátis por 7 dias' })
    .click()
  await page.waitForURL('**/cadastro')
  await expect(page.getByText('Elite Nível 1', { exact: true })).toBeVisible()
})

test("without JavaScript the promotion page shows the prices of 'novo' and leads to the plans", async ({
  browser,
  product,
}) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    baseURL: product.url,
    viewport: { width: 390, height: 844 },
  })
  const page = await context.newPage()
  await page.goto('/planos-promo?promo=final')
  await expect(page.getByText('NOVO10', { exact: true })).toBeVisible()
  await expect(page.locator('main noscript p')).toHaveText(
    'Sem JavaScript a página mostra o cupom padrão, e não o do seu link.',
  )
  // No element looks like a button.
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
  await expect(page.getByRole('tab')).toHaveCount(0)
  await expect(
    page.getByRole('region', { name: 'Top Afiliado', exact: true }).getByText('*depois R$ 97,90/mês'),
  ).toBeVisible()
  await page.getByRole('link', { name: 'Ver os planos' }).click()
  await expect(page.locator('#planos')).toBeInViewport()
  await context.close()
})

const blackNovemberTest = test.extend<{ product: Product }>(productPerTest({ GARIMPO_BLACK_NOVEMBER: 'on' }))

blackNovemberTest(
  'in Black November the page shows the better of coupon and campaign, which is charged, and says which',
  async ({ page }) => {
    const better = 'Black November, melhor que o seu cupom'
    for (const address of ['/planos-promo', '/promo-landing', '/afiliado']) {
      await page.goto(address)
      await expect(page.locator('[aria-busy]')).toHaveCount(0)
      expect(await readWithoutSpaces(page, 'Elite'), address).toContain('R$97,90no1ºmês*depoisR$197,90/mês')
      expect(await readWithoutSpaces(page, 'Top Afiliado'), address).toContain('R$88,11no1ºmês')
      expect(await readWithoutSpaces(page, 'Elite PRO'), address).toContain('R$197,90no1ºmês')
      // The coupon box has NOVO10, so a card at the campaign's price says so.
      await expect(page.locator('#planos').getByText(better, { exact: true }), address).toHaveCount(2)
    }

    await page.goto('/planos-promo?promo=maria')
    await expect(page.locator('[aria-busy]')).toHaveCount(0)
    const elite = page.getByRole('region', { name: 'Elite', exact: true })
    expect(await readWithoutSpaces(page, 'Elite')).toContain('R$97,90no1ºmês')
    await expect(elite).toContainText(better)
    await expect(page.getByRole('region', { name: 'Top Afiliado', exact: true })).toContainText(
      'Com o cupom MARIA',
    )
    const head = page.getByRole('region', { name: 'MARIA: 10% de desconto' })
    expect((await head.innerText()).replace(/\s+/g, '')).toContain('EliteNível1porR$97,90no1ºmês')
    await expect(head).toContainText(better)
    await expectAccessible(page)
    // The note on one card must not move its button out of the row.
    await page.setViewportSize({ width: 1280, height: 800 })
    const buttons = await page.getByRole('button', { name: 'Testar grátis por 7 dias' }).all()
    const tops = await Promise.all(buttons.map(async (button) => (await button.boundingBox())?.y))
    expect(new Set(tops).size).toBe(1)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/planos')
    await expect(elite).toContainText(better)
    expect(await readWithoutSpaces(page, 'Elite')).toContain('R$97,90no1ºmês')
    await expect(page.getByRole('region', { name: 'Seu cupom' })).toContainText(
      'Abaixo, cada plano já está com o menor 1º mês: com ele ou com a Black November.',
    )

    // The campaign's home page names the coupon of the visitor.
    const brought = page.getByText('Seu cupom também vale aqui: veja os planos')
    await page.goto('/?promo=maria')
    await expect(brought).toBeVisible()
    await expectAccessible(page)

    await page.goto('/planos-promo')
    await elite.getByRole('button', { name: 'Testar grátis por 7 dias' }).click()
    await page.waitForURL('**/cadastro')
    await signUp(page, newPerson())
    await page.waitForURL('**/upsell')
    await expect(page.getByText('R$ 97,90 no 1º mês, depois R$ 197,90 por mês')).toBeVisible()
  },
)
