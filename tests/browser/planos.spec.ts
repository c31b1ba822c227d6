import { arriveAtUpsell, choosePlan, expect, person, signUp, test } from './product'

const offers = [
  { card: 'Elite', tab: 'Nível 1', shown: ['Anual'] },
  { card: 'Elite', tab: 'Nível 2', shown: ['Trimestral', 'Semestral', 'Anual'] },
  { card: 'Elite', tab: 'Nível 3', shown: ['Trimestral', 'Semestral', 'Anual'] },
  { card: 'Elite PRO', tab: 'PRO 1', shown: ['Anual'] },
]

for (const { card, tab, shown } of offers) {
  test(`${card} ${tab} oferece ${shown.join(', ')}`, async ({ page }) => {
    await arriveAtUpsell(page, card, tab)

    await expect(page.getByRole('region', { name: 'Anual', exact: true })).toBeVisible()
    for (const offer of ['Trimestral', 'Semestral', 'Anual']) {
      const region = page.getByRole('region', { name: offer, exact: true })
      await expect(region).toHaveCount(shown.includes(offer) ? 1 : 0)
    }
  })
}

test('cada aba mostra o nome e o preço do seu nível', async ({ page }) => {
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
    await region.getByRole('tab', { name: tab, exact: true }).click()
    await expect(region.getByRole('heading', { name })).toBeVisible()
    expect((await region.innerText()).replace(/\s+/g, '')).toContain(price)
  }
  const affiliate = page.getByRole('region', { name: 'Top Afiliado', exact: true })
  const text = (await affiliate.innerText()).replace(/\s+/g, '')
  expect(text).toContain('97,90')
  expect(text).toContain('119,90')
})

test('a escolha guarda selectedPlan com os nomes da especificação', async ({ page }) => {
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')

  const stored = await page.evaluate(() => ({
    plan: JSON.parse(localStorage.getItem('selectedPlan') ?? 'null'),
    redirect: localStorage.getItem('loginRedirectUrl'),
  }))
  expect(stored.redirect).toBe('/upsell')
  expect(stored.plan).toMatchObject({ name: 'Elite Nível 2', period: '/mês', priceRaw: '217.90', interval: 'month' })
  const names = ['name', 'price', 'period', 'priceRaw', 'interval', 'couponCode', 'couponId']
  expect(Object.keys(stored.plan).filter((key) => !names.includes(key))).toEqual([])
})

test('abrir a página de planos limpa a escolha guardada', async ({ page }) => {
  await choosePlan(page, 'Elite', 'Nível 2')
  await page.waitForURL('**/cadastro')
  await page.goto('/planos')
  await expect(page.getByRole('region', { name: 'Elite', exact: true })).toBeVisible()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('selectedPlan'))).toBeNull()
})

test('quem entrou e escolhe um plano vai às ofertas com quinze minutos de reserva', async ({ page }) => {
  await page.goto('/cadastro')
  await signUp(page, person())
  await page.waitForURL('**/account-confirmation')

  await choosePlan(page, 'Elite', 'Nível 3')

  await page.waitForURL('**/upsell')
  const ends = await page.evaluate(() => localStorage.getItem('upsellEndTime'))
  const minutes = (Date.parse(ends ?? '') - Date.now()) / 60_000
  expect(minutes).toBeGreaterThan(14)
  expect(minutes).toBeLessThanOrEqual(15.1)
  await expect(page.getByText(/Sua seleção e estas ofertas ficam reservadas por \d{2}:\d{2}/)).toBeVisible()
})

test('sem plano guardado as ofertas levam aos planos', async ({ page }) => {
  await page.goto('/upsell')
  await page.waitForURL('**/planos')
})
