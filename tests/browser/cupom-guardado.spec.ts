import type { Page } from '@playwright/test'
import { fits, isAccessible } from './acessibilidade'
import { hold } from './chamadas'
import { openedSession, payByCard } from './payment-frame'
import {
  becomes,
  expect,
  joins,
  ownProduct,
  type Product,
  person,
  signUp,
  subscribes,
  takeOffer,
  test,
} from './product'

const PROMO = '/promo?promo=blackfriday'
const kept = (page: Page) => page.getByRole('region', { name: 'Seu cupom' })
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const flat = async (page: Page, name: string) => (await card(page, name).innerText()).replace(/\s+/g, '')
const shows = (page: Page, price: string) =>
  expect.poll(() => flat(page, 'Elite'), page.url()).toContain(price)
const showsRegularPrice = (page: Page) =>
  expect.poll(() => flat(page, 'Elite'), page.url()).not.toContain('no1ºmês')
const code = (page: Page) => page.evaluate(() => localStorage.getItem('promoCode'))

/** Follows the promotion's link and lets the page keep the coupon: an address that is typed has no referrer. */
async function isPromoted(page: Page) {
  await page.goto(PROMO)
  await expect.poll(() => code(page)).toBe('blackfriday')
}

/** The offer as /upsell stores it without a coupon. */
const ANNUAL = {
  name: 'Elite Nível 1',
  price: 'R$ 1.187,40',
  period: '/ano',
  priceRaw: '1187.40',
  interval: 'anual',
}

const WITH = 'DeR$197,90porR$118,74no1ºmês*depoisR$197,90/mês'

test.describe('no computador', () => {
  test.use({ viewport: { width: 1280, height: 800 } })

  // One only moves the focus past the header, for keyboards; one opens the choice about advertising over the page.
  const STAYING = ['#conteudo', '/politicas-de-privacidade#preferencias']
  const PLACES: [name: string, selector: string, expected: string[]][] = [
    ['do cabeçalho', 'header', ['/', '/solucoes', '/planos', '/login']],
    ['da página', 'main', ['/cadastro', '#planos']],
    ['do rodapé', 'footer', ['/', '/solucoes', '/planos', '/sobre', '/termos']],
  ]
  for (const [name, selector, expected] of PLACES)
    test(`do link da promoção, todo link ${name} leva ao preço com o cupom`, async ({ page }) => {
      await page.goto(PROMO)
      const place = page.locator(selector).locator(':scope:not(main *)')
      const links = await place
        .locator('a[href]')
        .evaluateAll((all) =>
          (all as HTMLAnchorElement[])
            .filter((link) => link.origin === location.origin)
            .map((link) => link.getAttribute('href') ?? ''),
        )
      const hrefs = [...new Set(links)].filter((href) => !STAYING.includes(href))
      for (const href of expected) expect(hrefs).toContain(href)
      for (const href of hrefs) {
        await page.goto(PROMO)
        await place.locator(`a[href="${href}"]:visible`).last().click()
        const at = new URL(href, page.url())
        await expect.poll(() => new URL(page.url()).pathname, href).toBe(at.pathname)
        await page.getByRole('banner').getByRole('link', { name: 'Planos', exact: true }).click()
        await page.waitForURL('**/planos')
        await expect(kept(page), href).toContainText('Seu cupom BF40 ainda vale.')
        await shows(page, WITH)
      }
    })

  test('do link da promoção, nenhum link fica fora de cabeçalho, página e rodapé', async ({ page }) => {
    await page.goto(PROMO)
    await expect(page.locator('#root a[href]:not(header *, main *, footer *)')).toHaveCount(0)
  })

  test('do link da promoção, o botão de cada plano leva ao cadastro, e a página inicial ainda tem o preço com o cupom', async ({
    page,
  }) => {
    for (const name of ['Top Afiliado', 'Elite', 'Elite PRO']) {
      await page.goto(PROMO)
      await card(page, name).getByRole('button', { name: 'Testar grátis por 7 dias' }).click()
      await page.waitForURL('**/cadastro')
      await expect(kept(page)).toContainText('Seu cupom BF40 ainda vale.')
      await page.getByRole('banner').getByRole('link', { name: 'Garimpo, página inicial' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'A promoção certa' })).toBeVisible()
      await shows(page, WITH)
    }
  })
})

test('quem segue um link antes de a página da promoção acordar leva o cupom e a origem', async ({ page }) => {
  const release = await hold(page, '**/assets/*.js')
  // The page's own waits until it has woken up.
  await page.mainFrame().goto(`${PROMO}&utm_source=instagram`)
  await page
    .locator('header a[href="/solucoes"]')
    .first()
    .evaluate((link: HTMLElement) => link.click())
  await page.waitForURL('**/solucoes')
  await release()
  await expect.poll(() => code(page)).toBe('blackfriday')
  await expect
    .poll(() => page.evaluate(() => JSON.parse(localStorage.getItem('firstTouch') ?? '{}')))
    .toMatchObject({ utm_source: 'instagram', promo: 'blackfriday' })
  await page.goto('/planos')
  await shows(page, WITH)
})

test('/?promo= e /planos?promo= valem como /promo?promo=, até a pessoa remover o cupom', async ({ page }) => {
  for (const path of ['/', '/planos']) {
    await page.goto(`${path}?promo=blackfriday`)
    await expect(kept(page), path).toContainText('Seu cupom BF40 vale aqui.')
    await shows(page, WITH)
    await expect(card(page, 'Elite').getByText('Com o cupom BF40')).toBeVisible()
    await page.goto('/planos')
    await expect(kept(page), path).toContainText('Seu cupom BF40 ainda vale.')
    await shows(page, WITH)
    await page.goto(`${path}?promo=blackfriday&ref=ana`)
    await kept(page).getByRole('button', { name: 'Remover cupom' }).click()
    await expect(kept(page)).toHaveCount(0)
    await showsRegularPrice(page)
    await expect(page).toHaveURL(new RegExp(`${path === '/' ? '/' : path}\\?ref=ana$`))
    await page.reload()
    await showsRegularPrice(page)
    expect(await code(page), path).toBeNull()
  }
})

test('sem código, a página promocional guarda o cupom que oferece', async ({ page }) => {
  await page.goto('/planos-promo')
  await expect(page.getByText('NOVO10', { exact: true })).toBeVisible()
  await expect.poll(() => code(page)).not.toBeNull()
  await page.goto('/planos')
  await expect(kept(page)).toContainText('Seu cupom NOVO10 ainda vale.')
  await shows(page, 'R$178,11no1ºmês')
  for (const width of [320, 768, 1280, 390]) await fits(page, width)
  await isAccessible(page)
})

const own = test.extend<{ product: Product }>(ownProduct())
const walk = (page: Page, product: Product, days: number) =>
  page.request.post(`${product.sandbox}/clock`, {
    data: { advance_seconds: days * 86_400, keep_sessions: true },
  })

/** Elite Nível 2 with BF40: on the card, on /upsell, and what the checkout charges. */
async function isOffered(page: Page) {
  await page.goto('/planos')
  await expect(kept(page)).toContainText('Seu cupom BF40 ainda vale.')
  await choosesElite2(page, 'R$130,74no1ºmês*depoisR$217,90/mês')
}

async function choosesElite2(page: Page, price = 'R$217,90/mês') {
  const elite = card(page, 'Elite')
  await elite.getByRole('tab', { name: 'Nível 2', exact: true }).click()
  await shows(page, price)
  await elite.getByRole('button', { name: /Assinar Agora|Testar grátis/ }).click()
}

/** Takes the monthly plan on /upsell; returns the tab of its checkout, which charges the price with the coupon. */
async function checksOut(page: Page): Promise<Page> {
  await page.waitForURL('**/upsell')
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const tab = await popup
  await openedSession(tab)
  await expect(tab.getByRole('complementary', { name: 'Resumo' })).toContainText(
    /Cobrado hoje\s*R\$\s*130,74/,
  )
  return tab
}

test('o cupom é oferecido no cadastro, no teste e nas ofertas', async ({ page }) => {
  // This visitor asks for the trial and chooses no plan.
  await page.goto(PROMO)
  await page
    .getByRole('region', { name: 'Garimpar na mão cansa' })
    .getByRole('link', { name: 'Testar grátis por 7 dias' })
    .click()
  await page.waitForURL('**/cadastro')
  await expect(kept(page)).toContainText('Ele fica guardado para quando você assinar.')
  await isAccessible(page)
  await signUp(page, person())
  await page.waitForURL('**/account-confirmation')
  await expect(kept(page)).toContainText('Seu cupom BF40 ainda vale.')

  // In the trial.
  await isOffered(page)
  await page.waitForURL('**/upsell')
  await expect(kept(page)).toContainText('Os valores abaixo já estão com ele.')
  await expect(page.getByText('R$ 130,74 no 1º mês, depois R$ 217,90 por mês')).toBeVisible()
  await page.goto('/area-usuario')
  await expect(kept(page)).toContainText('Seu cupom BF40 ainda vale.')
  await expect(
    page.getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 2 por R$ 130,74 no 1º mês' }),
  ).toBeVisible()
})

own('depois do teste, o cupom vale no plano guardado e no checkout', async ({ page, product }) => {
  await joins(page)
  await isPromoted(page)
  await isOffered(page)
  await page.waitForURL('**/upsell')

  // After the trial the stored plan is the main action, at that price.
  await walk(page, product, 8)
  await page.goto('/area-usuario')
  await expect(page.getByRole('heading', { name: 'Você não tem uma assinatura ativa' })).toBeVisible()
  const finish = page.getByRole('link', {
    name: 'Concluir assinatura do plano Elite Nível 2 por R$ 130,74 no 1º mês',
  })
  await expect(finish).toBeVisible()
  const [main, other] = await Promise.all(
    [finish, page.getByRole('link', { name: 'Ver Planos Disponíveis' })].map((link) =>
      link.evaluate((element) => ({
        y: element.getBoundingClientRect().y,
        background: getComputedStyle(element).backgroundColor,
      })),
    ),
  )
  expect(main?.background).toBe('rgb(11, 107, 75)')
  expect(other?.background).not.toBe(main?.background)
  expect(main?.y).toBeLessThan(other?.y ?? 0)
  await isAccessible(page)

  // Seeing the plans clears the choice, and not the coupon.
  await page.getByRole('link', { name: 'Ver Planos Disponíveis' }).click()
  await isOffered(page)
  await checksOut(page)
})

own(
  'o cupom usado não é mais oferecido, nem o da primeira assinatura; outro é',
  async ({ page, product }) => {
    await joins(page)
    await isPromoted(page)
    await isOffered(page)
    const tab = await checksOut(page)
    await payByCard(tab, '4242424242424242')
    await page.waitForURL('**/payment-success**')
    await expect(page.getByRole('definition').filter({ hasText: '130,74' })).toBeVisible()

    // While it subscribes there is nothing to offer.
    const { data } = await product.provider<{ data: { id: string; latest_invoice: string }[] }>(
      '/v1/subscriptions',
    )
    expect(
      await product.provider<{ amount_paid: number }>(`/v1/invoices/${data[0]?.latest_invoice}`),
    ).toMatchObject({ amount_paid: 13_074 })
    await page.goto('/planos')
    await expect(page.getByRole('button', { name: 'Assinar Agora' }).first()).toBeVisible()
    await showsRegularPrice(page)
    await expect(kept(page)).toHaveCount(0)
    expect(await code(page)).toBe('blackfriday')

    // Used: once the subscription has ended it is forgotten.
    await page.request.delete(`${product.sandbox}/v1/subscriptions/${data[0]?.id}`, {
      headers: { authorization: 'Bearer sk_test_garimpo' },
    })
    await becomes(page, ({ subscription_status }) => subscription_status === 'canceled')
    await page.goto('/planos')
    await expect.poll(() => code(page)).toBeNull()
    await showsRegularPrice(page)
    await expect(kept(page)).toHaveCount(0)

    // Whoever follows its link again is offered it again, on every page.
    await isPromoted(page)
    await page.goto('/planos')
    await expect(kept(page)).toContainText('Seu cupom BF40 ainda vale.')
    await shows(page, WITH)

    // Another one is offered, and the one for a first subscription only is not.
    await page.goto('/planos?promo=comeback')
    await expect(kept(page)).toContainText('Seu cupom COMEBACK30 vale aqui.')
    await shows(page, 'R$138,53no1ºmês')
    await page.goto('/promo?promo=novo')
    await expect(
      page.getByText('O cupom NOVO10 é só para a primeira assinatura. Os preços abaixo são sem ele.'),
    ).toBeVisible()
    await expect(page.getByText('Escolha o plano e pague menos no primeiro mês')).toHaveCount(0)
    await showsRegularPrice(page)
    await isAccessible(page)

    // The guarantee was for the first subscription: it is not promised again.
    await page.goto('/planos')
    await card(page, 'Top Afiliado').getByRole('button', { name: 'Assinar Agora' }).click()
    await page.waitForURL('**/upsell')
    await expect(page.getByRole('heading', { name: 'Upgrade a qualquer momento' })).toBeVisible()
    await expect(page.getByText('Cancele a renovação quando quiser').first()).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Garantia de 7 dias' })).toHaveCount(0)
    await expect(page.getByText(/Garantia de 7 dias/)).toHaveCount(0)
    const popup = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
    const checkout = await popup
    await openedSession(checkout)
    await expect(checkout.getByRole('complementary', { name: 'Resumo' })).toContainText('Cobrado hoje')
    await expect(checkout.getByText(/Garantia de 7 dias/)).toHaveCount(0)
  },
)

test('nas ofertas, Remover cupom volta ao preço sem ele, e o checkout cobra esse', async ({ page }) => {
  await joins(page)
  await page.goto('/planos?promo=maria')
  await expect(kept(page)).toContainText('Seu cupom MARIA vale aqui.')
  await card(page, 'Top Afiliado').getByRole('button', { name: 'Assinar Agora' }).click()
  await page.waitForURL('**/upsell')
  await expect(page.getByText('R$ 88,11 no 1º mês, depois R$ 97,90 por mês')).toBeVisible()
  await kept(page).getByRole('button', { name: 'Remover cupom' }).click()
  await expect(page.getByText('R$ 97,90 por mês', { exact: true })).toBeVisible()
  await expect(kept(page)).toHaveCount(0)
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const tab = await popup
  await openedSession(tab)
  await expect(tab.getByRole('complementary', { name: 'Resumo' })).toContainText(/Cobrado hoje\s*R\$\s*97,90/)
})

const removes = (page: Page) => kept(page).getByRole('button', { name: 'Remover cupom' }).click()

test('no cadastro, Remover cupom tira o cupom também do plano escolhido', async ({ page }) => {
  await isPromoted(page)
  await isOffered(page)
  await page.waitForURL('**/cadastro')
  const chosen = page.getByText('Plano escolhido')
  await expect(chosen).toContainText(/R\$\s130,74 no 1º mês/)
  await removes(page)
  await expect(chosen).toContainText(/R\$\s217,90\/mês/)
  await signUp(page, person())
  await page.waitForURL((url) => url.pathname !== '/cadastro')
  await page.goto('/upsell')
  await expect(page.getByText('R$ 217,90 por mês', { exact: true })).toBeVisible()
})

test('na área e nos planos, Remover cupom tira o cupom também do plano escolhido', async ({ page }) => {
  await joins(page)
  await isPromoted(page)
  await isOffered(page)
  await page.waitForURL('**/upsell')
  await page.goto('/area-usuario')
  const finish = page.getByRole('link', { name: /^Concluir assinatura do plano Elite Nível 2/ })
  await expect(finish).toContainText(/R\$\s130,74 no 1º mês/)
  await removes(page)
  await expect(finish).toContainText(/R\$\s217,90\/mês/)

  // The choice that a plans page cleared is offered again there, at the price without the coupon.
  await isPromoted(page)
  await isOffered(page)
  await page.waitForURL('**/upsell')
  await page.goto('/planos')
  const again = page.getByRole('button', { name: 'Continuar com ele' })
  await expect(again).toBeVisible()
  await removes(page)
  await expect(kept(page)).toHaveCount(0)
  await again.click()
  await page.waitForURL('**/upsell')
  await expect(page.getByText('R$ 217,90 por mês', { exact: true })).toBeVisible()
})

test('vale o cupom do último link, também no plano escolhido antes dele', async ({ page }) => {
  await page.goto('/planos')
  await choosesElite2(page)
  await page.waitForURL('**/cadastro')
  const chosen = page.getByText('Plano escolhido')
  await expect(chosen).toContainText(/R\$\s217,90\/mês/)

  for (const [link, price] of [
    ['blackfriday', 'R$ 130,74 no 1º mês'],
    ['maria', 'R$ 196,11 no 1º mês'],
  ] as const) {
    await page.goto(`/sobre?promo=${link}`)
    await expect.poll(() => code(page)).toBe(link)
    await page.goto('/cadastro')
    await expect(chosen).toContainText(price)
  }
  await signUp(page, person())
  await page.waitForURL('**/upsell')
  await expect(kept(page)).toContainText('Seu cupom MARIA ainda vale.')
  await expect(page.getByText('R$ 196,11 no 1º mês, depois R$ 217,90 por mês')).toBeVisible()
  await page.goto('/area-usuario')
  await expect(
    page.getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 2 por R$ 196,11 no 1º mês' }),
  ).toBeVisible()
})

test('na página da promoção, quem volta e escolhe pelo preço dela tem o cupom de novo', async ({ page }) => {
  await isPromoted(page)
  await choosesElite2(page, 'R$130,74no1ºmês*depoisR$217,90/mês')
  await page.waitForURL('**/cadastro')
  const chosen = page.getByText('Plano escolhido')
  await removes(page)
  await expect(chosen).toContainText(/R\$\s217,90\/mês/)
  await page.goBack()
  await choosesElite2(page, 'R$130,74no1ºmês*depoisR$217,90/mês')
  await page.waitForURL('**/cadastro')
  await expect(kept(page)).toContainText('Seu cupom BF40 ainda vale.')
  await expect(chosen).toContainText(/R\$\s130,74 no 1º mês/)

  // The way back itself keeps it, whatever is pressed there.
  await removes(page)
  await expect.poll(() => code(page)).toBeNull()
  await page.goBack()
  await expect.poll(() => code(page)).toBe('blackfriday')
})

test('um cupom removido em outra aba não volta com o plano escolhido', async ({ page }) => {
  await isPromoted(page)
  await isOffered(page)
  await page.waitForURL('**/cadastro')
  const other = await page.context().newPage()
  await other.goto('/')
  await removes(other)
  await expect(page.getByText('Plano escolhido')).toContainText(/R\$\s217,90\/mês/)
  await signUp(page, person())
  await page.waitForURL('**/upsell')
  await expect(page.getByText('R$ 217,90 por mês', { exact: true })).toBeVisible()
  await expect(kept(page)).toHaveCount(0)
})

test('com cupom, cada oferta diz que o preço menor é só o do primeiro período', async ({ page }) => {
  await joins(page)
  await page.goto('/planos?promo=maria')
  await card(page, 'Top Afiliado').getByRole('button', { name: 'Assinar Agora' }).click()
  for (const [name, first, then] of [
    ['Trimestral', 'R$ 211,46 nos primeiros 90 dias', 'Depois, R$ 234,96/3 meses'],
    ['Semestral', 'R$ 352,44 nos primeiros 180 dias', 'Depois, R$ 391,60/6 meses'],
    ['Anual', 'R$ 528,66 no 1º ano', 'Depois, R$ 587,40/ano'],
  ] as const) {
    await expect(card(page, name)).toContainText(first)
    await expect(card(page, name)).toContainText(then)
  }
  for (const width of [320, 768, 1280, 390]) await fits(page, width)
})

test('quem assina e segue um link com código lê que o cupom é de uma assinatura nova', async ({
  page,
  product,
}) => {
  await subscribes(page, product, 'Elite Nível 2')
  const note = page.getByText('O cupom BF40 vale para uma assinatura nova. A sua continua como está.')
  for (const path of ['/', '/planos']) {
    await page.goto(`${path}?promo=blackfriday`)
    await expect(note, path).toBeVisible()
    await expect(kept(page)).toHaveCount(0)
  }
  for (const width of [320, 768, 1280, 390]) await fits(page, width)
  await isAccessible(page)
  await page.goto('/planos')
  await expect(page.getByRole('link', { name: 'Ver minha assinatura' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(note).toHaveCount(0)
})

test('um cupom que o checkout recusa deixa de ser oferecido', async ({ page }) => {
  await page.goto('/planos?promo=blackfriday')
  await expect(kept(page)).toBeVisible()
  await page.evaluate(() => localStorage.setItem('promoCode', 'não vale!'))
  await page.goto('/planos')
  await expect.poll(() => code(page)).toBeNull()
  await showsRegularPrice(page)
})

test('o período escolhido nas ofertas vai da área direto ao checkout, pelo preço com o cupom', async ({
  page,
}) => {
  // The checkout opens in the same tab.
  await page.addInitScript(() => {
    window.open = () => null
  })
  await joins(page)
  await page.goto('/planos')
  await card(page, 'Elite').getByRole('button', { name: 'Assinar Agora' }).click()
  await page.waitForURL('**/upsell')
  await card(page, 'Anual').getByRole('button', { name: 'Aproveitar Oferta' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirmar' }).click()
  await page.waitForURL('**/checkout')
  const summary = page.getByRole('complementary', { name: 'Resumo' })
  await expect(summary).toContainText(/Cobrado hoje\s*R\$\s*1\.187,40/)

  // The coupon came after the choice.
  await isPromoted(page)
  await page.evaluate((plan) => localStorage.setItem('selectedPlan', plan), JSON.stringify(ANNUAL))
  await page.goto('/area-usuario')
  await page
    .getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 1 por R$ 712,44 (anual)' })
    .click()
  await page.waitForURL('**/checkout')
  await expect(summary).toContainText(/Período\s*Anual/)
  await expect(summary).toContainText(/Cobrado hoje\s*R\$\s*712,44/)
})

const onBlackNovember = test.extend<{ product: Product }>(ownProduct({ GARIMPO_BLACK_NOVEMBER: 'on' }))

for (const address of ['/planos?promo=blackfriday', '/planos-promo?promo=blackfriday'])
  onBlackNovember(
    `na Black November, de ${address}, cada período tem o cupom que dá o menor preço, e o checkout cobra esse`,
    async ({ page }) => {
      await joins(page)
      await page.goto(address)
      await card(page, 'Elite')
        .getByRole('button', { name: /Assinar Agora|Testar grátis/ })
        .click()
      await page.waitForURL('**/upsell')
      const annual = page.getByRole('region', { name: 'Anual', exact: true })
      await expect(annual).toContainText('R$ 712,44 no 1º ano')
      await expect(page.getByText('R$ 97,90 no 1º mês, depois R$ 197,90 por mês')).toBeVisible()
      await expect(kept(page)).toContainText(
        'Os períodos maiores já estão com ele; o mensal está com o cupom BLACKNOVEMBER, que dá um 1º mês menor.',
      )
      await isAccessible(page)

      // The annual plan first, then back, and the month.
      const tab = await takeOffer(page, 'Anual')
      await openedSession(tab)
      const summary = (tab: Page) => tab.getByRole('complementary', { name: 'Resumo' })
      await expect(summary(tab)).toContainText(/Cobrado hoje\s*R\$\s*712,44/)
      await page
        .getByRole('dialog', { name: 'Abrindo checkout...' })
        .getByRole('button', { name: 'Cancelar' })
        .click()
      await expect.poll(() => tab.isClosed()).toBe(true)
      await expect(annual).toContainText('R$ 712,44 no 1º ano')
      const popup = page.waitForEvent('popup')
      await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
      const monthly = await popup
      await openedSession(monthly)
      await expect(summary(monthly)).toContainText(/Cobrado hoje\s*R\$\s*97,90/)

      // Without the code the prices are those of the campaign, as on the plans page.
      await page
        .getByRole('dialog', { name: 'Abrindo checkout...' })
        .getByRole('button', { name: 'Cancelar' })
        .click()
      await kept(page).getByRole('button', { name: 'Remover cupom' }).click()
      await expect(annual).toContainText('R$ 1.187,40/ano')
      await expect(page.getByText('R$ 97,90 no 1º mês, depois R$ 197,90 por mês')).toBeVisible()
    },
  )
