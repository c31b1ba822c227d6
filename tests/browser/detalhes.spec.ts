import type { Page } from '@playwright/test'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { hold, refuse, respond } from './chamadas'
import { openedSession, payByCard } from './payment-frame'
import {
  arriveAtUpsell,
  choosePlan,
  expect,
  joins,
  person,
  signUp,
  subscribes,
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

/** What the page writes to the console, of whatever kind. */
const logged = (page: Page) => {
  const lines: string[] = []
  page.on('console', (message) => lines.push(message.text()))
  return lines
}

test('cada link do rodapé leva ao seu endereço', async ({ page }) => {
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

test('a bio tem marca, título e descrição, e cada link leva ao seu endereço', async ({ page }) => {
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

test('o Promotor Automático diz o que faz com um link, e a lista das lojas tem todas', async ({ page }) => {
  await page.goto('/')
  await expect(
    page.getByText(
      'Mande o link de um produto em um grupo e o post volta pronto: seu link de afiliado, cupom e preço recalculado, enviado aos grupos que você escolheu.',
    ),
  ).toBeVisible()
  const stores = page.getByRole('region', { name: 'Uma peneira, muitas lojas' })
  await stores.getByText('Ver todas as lojas parceiras').click()
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

test('cada página promocional limpa a escolha guardada, e não começa a reserva de quem entrou', async ({
  page,
}) => {
  for (const path of ['/planos-promo', '/promo', '/afiliado', '/promo-landing']) {
    await choosePlan(page, 'Elite', 'Nível 2')
    await page.waitForURL('**/cadastro')
    expect(await stored(page, 'selectedPlan'), path).toContain('Elite Nível 2')
    await page.goto(path)
    await expect.poll(() => stored(page, 'selectedPlan'), path).toBeNull()
  }

  await joins(page)
  await page.goto('/planos-promo')
  // The offers begin the hold by themselves: until they are there, nobody has.
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

test('a volta de um checkout pago leva à confirmação da mesma sessão', async ({ page, product }) => {
  const { session } = await subscribes(page, product, 'Elite Nível 2')
  await page.goto(`/checkout-return?session_id=${session}`)
  await page.waitForURL(`${product.url}/payment-success?session_id=${session}`)
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
})

test('a aba paga manda à página que a abriu o plano, o período e o valor', async ({ page }) => {
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  // The page leaves as it hears of the success: what it heard is kept where the next page finds it.
  await page.evaluate(() =>
    addEventListener('message', ({ data, origin }) => {
      if (data?.type === 'checkout_succeeded')
        sessionStorage.setItem('heard', JSON.stringify({ ...data, origin }))
    }),
  )
  const tab = await takeOffer(page, 'Semestral')
  await openedSession(tab)
  await payByCard(tab, '4242424242424242')
  await page.waitForURL('**/payment-success**')
  const heard = await page.evaluate(() => JSON.parse(sessionStorage.getItem('heard') ?? 'null'))
  const origin = new URL(page.url()).origin
  expect(heard).toEqual({
    type: 'checkout_succeeded',
    plan: 'elite_nivel_2',
    interval: 'semestral',
    value: '871.60',
    origin,
  })
})

test('Enviar Comprovante abre o WhatsApp do suporte', async ({ page }) => {
  await joins(page)
  await page.goto('/payment-awaited')
  const receipt = page.getByRole('link', { name: 'Enviar Comprovante' })
  await expect(receipt).toHaveAttribute('href', /^https:\/\/wa\.me\/\?text=[^&]*comprovante/)
})

test('o portal que responde sem endereço é uma falha, e o texto do servidor não aparece', async ({
  page,
  product,
  complaints,
}) => {
  const lines = logged(page)
  await subscribes(page, product, 'Elite Nível 2')
  await page.goto('/area-usuario')
  const failed = page
    .getByRole('alert')
    .filter({ hasText: 'Não foi possível acessar o portal de gerenciamento de assinatura' })
  const manage = page.getByRole('button', { name: 'Gerenciar Plano' })
  await respond(page, BillingService.method.createPortalSession, {})
  await manage.click()
  await expect(failed).toContainText('Erro')
  expect(lines.filter((line) => line.includes('the portal session has no url'))).toHaveLength(1)
  await page.unrouteAll()

  await page.reload()
  await refuse(page, 'CreatePortalSession', 'INTERNAL')
  await manage.click()
  await expect(failed).toContainText('Erro')
  await expect(page.getByText('refused')).toHaveCount(0)
  complaints.expect(/the portal did not open/)
  await expect.poll(() => complaints.matching(/the portal did not open/)).toHaveLength(2)
})

test('sem o registro do usuário o perfil mostra o nome e o email da sessão', async ({ page }) => {
  const ana = await joins(page)
  const lines = logged(page)
  await refuse(page, 'GetUser', 'INTERNAL')
  await page.goto('/area-usuario')
  const profile = page.getByRole('region', { name: 'Perfil' })
  await expect(profile.getByRole('heading', { name: ana.name })).toBeVisible()
  await expect(profile.getByText(ana.email)).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'Erro ao carregar dados do usuário' })).toBeVisible()
  expect(lines.some((line) => line.includes('reading the user record failed'))).toBe(true)
})

test('o registro que falha no cadastro e a volta que não tem resposta ficam no console', async ({ page }) => {
  const lines = logged(page)
  await refuse(page, 'SaveUser', 'INTERNAL')
  await page.goto('/cadastro')
  await signUp(page, person())
  await page.waitForURL('**/account-confirmation')
  await expect.poll(() => lines.some((line) => line.includes('saving the user record failed'))).toBe(true)
  await expect(page.getByRole('alert')).toHaveCount(0)

  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  const session = await openedSession(await takeOffer(page, 'Anual'))
  await refuse(page, 'GetCheckoutSession', 'INTERNAL')
  await page.goto(`/checkout-return?session_id=${session}`)
  await expect.poll(() => lines.some((line) => line.includes('asking for the payment failed'))).toBe(true)
  await expect(page.getByText('Carregando...').first()).toBeAttached()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('o aviso de que o email foi enviado é verde', async ({ page }) => {
  await page.goto('/esqueci-senha')
  await page.getByLabel('Email', { exact: true }).fill(person().email)
  await page.getByRole('button', { name: 'Enviar Email de Recuperação' }).click()
  const words = page.getByText('um email com as instruções')
  await expect(words).toBeVisible()
  const ground = await words.evaluate((element) => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at)
      if (backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor
    }
    return ''
  })
  const [red = 0, green = 0, blue = 0] = (ground.match(/\d+/g) ?? []).map(Number)
  expect(green, ground).toBeGreaterThan(red)
  expect(green, ground).toBeGreaterThan(blue)
})
