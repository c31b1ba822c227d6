import type { Page } from '@playwright/test'
import { failCall, hold } from './calls'
import { payByCard, waitForCheckoutSession } from './payment-frame'
import {
  arriveAtUpsell,
  choosePlan,
  createAccount,
  createSubscriber,
  expect,
  newPerson,
  signUp,
  takeOffer,
  test,
} from './product'

const UTM = 'utm_source=instagram&utm_medium=bio&utm_campaign=perfil'
const AGENT = 'https://wa.me/?text=Ol%C3%A1%2C%20quero%20conhecer%20o%20Garimpo'
const SUPPORT = 'https://wa.me/?text=Ol%C3%A1%2C%20preciso%20de%20ajuda%20com%20o%20Garimpo'
const HELP = 'https://example.com/?garimpo=ajuda'
const SOCIALS = [
  'https://www.tiktok.com/',
  'https://www.youtube.com/',
  'https://www.instagram.com/',
  'https://www.facebook.com/',
]

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)

/** Records all console messages of the page. */
const recordConsole = (page: Page) => {
  const lines: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  return lines
}

test('each footer link has its address', async ({ page }) => {
  await page.goto('/sobre')
  const links = page.getByRole('contentinfo').getByRole('link')
  await expect(links.last()).toHaveText('Facebook')
  const addresses = await links.evaluateAll((all) =>
    all.map((link) => [link.textContent, link.getAttribute('href')]),
  )
  expect(addresses).toEqual([
    ['Home', '/'],
    ['Soluções', '/solucoes'],
    ['Planos', '/planos'],
    ['Central de Ajuda', HELP],
    ['Sobre Nós', '/sobre'],
    ['Termos de Uso', '/termos'],
    ['Políticas de Privacidade', '/politicas-de-privacidade'],
    ['Preferências de privacidade', '/politicas-de-privacidade#preferencias'],
    ['contato@example.com', 'mailto:contato@example.com'],
    ['(00) 00000-0000', expect.stringMatching(/^(tel:|https:\/\/wa\.me\/)/)],
    ['TikTok', SOCIALS[0]],
    ['YouTube', SOCIALS[1]],
    ['Instagram', SOCIALS[2]],
    ['Facebook', SOCIALS[3]],
  ])
})

test('the bio page has logo, title and description, and each of its links has its address', async ({
  page,
}) => {
  await page.goto('/bio')
  await expect(page.locator('svg').first()).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'Garimpo' })).toBeVisible()
  await expect(
    page.getByText(
      'Ofertas encontradas e postadas nos seus grupos de WhatsApp e Telegram, com o seu link de afiliado.',
    ),
  ).toBeVisible()
  const hrefs = (list: string) =>
    page
      .getByRole('list', { name: list })
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(await hrefs('Links')).toEqual([
    `/?${UTM}`,
    `/planos?${UTM}`,
    `/planos-promo?promo=novo&${UTM}`,
    `${AGENT}&${UTM}`,
    `${SUPPORT}&${UTM}`,
    `${HELP}&${UTM}`,
  ])
  expect(await hrefs('Redes sociais')).toEqual(SOCIALS)
})

test('the home page explains the automatic promoter and lists all stores', async ({ page }) => {
  await page.goto('/')
  await expect(
    page.getByText(
      'Mande o link de um produto em um grupo e o post volta pronto: seu link de afiliado, cupom e preço recalculado, enviado aos grupos que você escolheu.',
    ),
  ).toBeVisible()
  const stores = page.getByRole('region', { name: 'Uma peneira, muitas lojas' })
  await stores.getByText('Ver todas as lojas').click()
  const all = stores.locator('details')
  await expect(all).toHaveAttribute('open')
  await expect(all.getByRole('listitem')).toHaveText([
    'Amazon',
    'Magalu',
    'Mercado Livre',
    'Shopee',
    'AliExpress',
    'Shein',
    'Lojas de moda',
    'Lojas de beleza',
    'Outras marcas, pela rede de afiliados em que você tem cadastro',
  ])
})

test('each promotion page clears the stored choice and starts no hold for a signed-in user', async ({
  page,
}) => {
  for (const path of ['/planos-promo', '/promo', '/afiliado', '/promo-landing']) {
    await choosePlan(page, 'Elite', 'Nível 2')
    await page.waitForURL('**/cadastro')
    expect(await stored(page, 'selectedPlan'), path).toContain('Elite Nível 2')
    await page.goto(path)
    await expect.poll(() => stored(page, 'selectedPlan'), path).toBeNull()
  }

  await createAccount(page)
  await page.goto('/planos-promo')
  // Only the offers page sets the end of the offer, so none is stored before its script has loaded.
  const arrive = await hold(page, '**/assets/upsell-*.js')
  await page
    .getByRole('region', { name: 'Top Afiliado', exact: true })
    .getByRole('button', { name: 'Assinar Agora' })
    .click()
  await page.waitForURL('**/upsell')
  expect(await stored(page, 'selectedPlan')).toContain('Top Afiliado')
  expect(await stored(page, 'upsellEndTime')).toBeNull()
  await arrive()
  await expect(page.getByRole('heading', { name: 'Aproveite as Ofertas Exclusivas' })).toBeVisible()
})

test('the return from a paid checkout leads to the confirmation of the same session', async ({
  page,
  product,
}) => {
  const { session } = await createSubscriber(page, product, 'Elite Nível 2')
  await page.goto(`/checkout-return?session_id=${session}`)
  await page.waitForURL(`${product.url}/payment-success?session_id=${session}`)
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('the paid tab sends plan, period and amount to the page that opened it', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  // The page navigates when the message arrives, so the message is stored for the next page.
  await page.evaluate(() =>
    addEventListener('message', ({ data, origin }) => {
      if (data?.type === 'checkout_succeeded')
        sessionStorage.setItem('received', JSON.stringify({ ...data, origin }))
    }),
  )
  const tab = await takeOffer(page, 'Semestral')
  await waitForCheckoutSession(tab)
  await payByCard(tab, '4242424242424242')
  await page.waitForURL('**/payment-success**')
  const message = await page.evaluate(() => JSON.parse(sessionStorage.getItem('received') ?? 'null'))
  const origin = new URL(page.url()).origin
  expect(message).toEqual({
    type: 'checkout_succeeded',
    plan: 'elite_nivel_2',
    interval: 'semestral',
    value: '871.60',
    origin,
  })
})

test('a user record not saved at sign-up and an unanswered checkout return are logged to the console', async ({
  page,
}) => {
  const lines = recordConsole(page)
  await failCall(page, 'SaveUser', 'INTERNAL')
  await page.goto('/cadastro')
  await signUp(page, newPerson())
  await page.waitForURL('**/account-confirmation')
  await expect.poll(() => lines.some((line) => line.includes('saving the user record failed'))).toBe(true)
  await expect(page.getByRole('alert')).toHaveCount(0)

  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const session = await waitForCheckoutSession(await takeOffer(page, 'Anual'))
  await failCall(page, 'GetCheckoutSession', 'INTERNAL')
  await page.goto(`/checkout-return?session_id=${session}`)
  await expect.poll(() => lines.some((line) => line.includes('asking for the payment failed'))).toBe(true)
  await expect(page.getByText('Carregando...').first()).toBeAttached()
  await expect(page.getByRole('alert')).toHaveCount(0)
})
