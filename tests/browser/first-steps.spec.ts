import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from './accessibility'
import { payByCard } from './payment-frame'
import { createAccount, expect, newPerson, type Product, productPerTest, test } from './product'

for (const [way, path, targets] of [
  [
    'the home page',
    '/',
    [
      (page: Page) => page.getByRole('main').getByRole('link', { name: 'Ver planos', exact: true }),
      (page: Page) =>
        page
          .getByRole('region', { name: 'Elite', exact: true })
          .getByRole('button', { name: 'Testar grátis por 7 dias' }),
    ],
  ],
  [
    'the plan finder',
    '/planos',
    [
      (page: Page) => page.getByText('4 a 10', { exact: true }),
      (page: Page) => page.getByRole('button', { name: 'Escolher o Elite Nível 1' }),
    ],
  ],
] as const)
  test(`from ${way} to the payment there are five clicks and three required fields before the card`, async ({
    page,
  }) => {
    let clicks = 0
    const press = async (target: Locator) => {
      clicks += 1
      await target.click()
    }
    await page.goto(path)
    for (const target of targets) await press(target(page))
    await page.waitForURL('**/cadastro')
    const who = newPerson()
    const required = { 'Nome completo': who.name, Email: who.email, Senha: who.password }
    for (const [label, value] of Object.entries(required))
      await page.getByLabel(label, { exact: true }).fill(value)
    await press(page.getByRole('button', { name: 'Criar conta' }))
    await page.waitForURL('**/upsell')
    const popup = page.waitForEvent('popup')
    await press(page.getByRole('button', { name: 'Continuar com o plano mensal' }))
    // The last click is 'Assinar' in the provider's frame.
    clicks += 1
    await payByCard(await popup, '4242424242424242')
    await page.waitForURL('**/payment-success**')
    expect(clicks).toBeLessThanOrEqual(5)
    expect(Object.keys(required)).toHaveLength(3)
  })

test('below each trial button stands what the trial is and what follows it', async ({ page }) => {
  await page.goto('/planos')
  for (const name of ['Top Afiliado', 'Elite', 'Elite PRO']) {
    const card = page.getByRole('region', { name, exact: true })
    await expect(card.getByText('Sem cartão, com os limites do Elite Nível 1', { exact: true })).toBeVisible()
    // The price stands above the button, and not once more below it.
    const button = card.getByRole('button', { name: 'Testar grátis por 7 dias' })
    await expect(button).toHaveAccessibleDescription(
      (await card.getByRole('heading').first().textContent()) ?? '',
    )
    expect((await card.innerText()).match(/\/mês/g)).toHaveLength(1)
  }
  await page.goto('/')
  await expect(
    page.getByText(
      'Sem cartão, com os limites do Elite Nível 1. Depois, a partir de R$ 97,90/mês; com IA, R$ 197,90/mês.',
    ),
  ).toHaveCount(2)

  await createAccount(page)
  await page.goto('/planos')
  await expect(page.getByRole('button', { name: 'Assinar Agora' }).first()).toBeVisible()
  await expect(page.getByText('Sem cartão, com os limites do Elite Nível 1')).toHaveCount(0)
})

const isolatedTest = test.extend<{ product: Product }>(productPerTest())

isolatedTest(
  'a signed-in user sees the link to the app, and after the trial a link to the plans',
  async ({ page, product }) => {
    await createAccount(page)
    await page.goto('/')
    const hero = page.getByRole('main').getByRole('region').or(page.locator('main > section')).first()
    await expect(hero.getByRole('link', { name: 'Acessar o App' })).toHaveAttribute('href', /garimpo=app/)
    const toPlans = hero.getByRole('link', { name: 'Ver planos' })
    await expect(toPlans).toBeVisible()
    await expect(page.getByRole('main').getByText('Testar grátis por 7 dias')).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Planos para um grupo ou para cinquenta' })).toContainText(
      'Escolha como continuar.',
    )
    await page.request.post(`${product.sandbox}/clock`, {
      data: { advance_seconds: 8 * 86_400, keep_sessions: true },
    })
    // The gateway reads the server's time once a second at most.
    const readOffset = async () =>
      new Date((await (await page.request.get('/config.json')).json()).serverTime).getTime() - Date.now()
    await expect.poll(readOffset).toBeGreaterThan(7 * 86_400_000)
    await page.goto('/')
    await expect(
      page.getByRole('main').getByRole('link', { name: 'Escolha como continuar' }).first(),
    ).toHaveAttribute('href', '/planos')
    // The other link leads to the same plans.
    await expect(toPlans).toHaveCount(0)
    // Also without the stored registration date, as after a new sign-in.
    await page.evaluate(() => localStorage.removeItem('registrationDate'))
    await page.reload()
    await expect(
      page.getByRole('main').getByRole('link', { name: 'Escolha como continuar' }).first(),
    ).toBeVisible()
    await expectAccessible(page)
  },
)
