import type { Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { hold } from './calls'
import { payByCard, waitForCheckoutSession } from './payment-frame'
import {
  createAccount,
  createSubscriber,
  expect,
  newPerson,
  type Product,
  productPerTest,
  signUp,
  takeOffer,
  test,
  waitForUserRecord,
} from './product'

const PROMO = '/promo?promo=blackfriday'
const keptCoupon = (page: Page) => page.getByRole('region', { name: 'Seu cupom' })
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const readWithoutSpaces = async (page: Page, name: string) =>
  (await card(page, name).innerText()).replace(/\s+/g, '')
const expectPrice = (page: Page, price: string) =>
  expect.poll(() => readWithoutSpaces(page, 'Elite'), page.url()).toContain(price)
const expectRegularPrice = (page: Page) =>
  expect.poll(() => readWithoutSpaces(page, 'Elite'), page.url()).not.toContain('no1ºmês')
const readPromoCode = (page: Page) => page.evaluate(() => localStorage.getItem('promoCode'))

/** Opens the promotion link and waits until the page has stored the coupon. */
async function followPromotionLink(page: Page) {
  await page.goto(PROMO)
  await expect.poll(() => readPromoCode(page)).toBe('blackfriday')
}

/** The offer as /upsell stores it without a coupon. */
const ANNUAL = {
  name: 'Elite Nível 1',
  price: 'R$ 1.187,40',
  period: '/ano',
  priceRaw: '1187.40',
  interval: 'anual',
}

const PRICE_WITH_COUPON = 'DeR$197,90porR$118,74no1ºmês*depoisR$197,90/mês'

test.describe('on a desktop', () => {
  test.use({ viewport: { width: 1280, height: 800 } })

  // The skip link, and the link that opens the ads preferences.
  const LINKS_THAT_STAY = ['#conteudo', '/politicas-de-privacidade#preferencias']
  const LINK_AREAS: [name: string, selector: string, expected: string[]][] = [
    ['of the header', 'header', ['/', '/solucoes', '/planos', '/login']],
    ['of the page', 'main', ['/cadastro', '#planos']],
    ['of the footer', 'footer', ['/', '/solucoes', '/planos', '/sobre', '/termos']],
  ]
  for (const [name, selector, expected] of LINK_AREAS)
    test(`after the promotion link, each link ${name} leads to the price with the coupon`, async ({
      page,
    }) => {
      await page.goto(PROMO)
      const place = page.locator(selector).locator(':scope:not(main *)')
      const links = await place
        .locator('a[href]:visible')
        .evaluateAll((all) =>
          (all as HTMLAnchorElement[])
            .filter((link) => link.origin === location.origin)
            .map((link) => link.getAttribute('href') ?? ''),
        )
      const hrefs = [...new Set(links)].filter((href) => !LINKS_THAT_STAY.includes(href))
      for (const href of expected) expect(hrefs).toContain(href)
      for (const href of hrefs) {
        await page.goto(PROMO)
        await place.locator(`a[href="${href}"]:visible`).last().click()
        const at = new URL(href, page.url())
        await expect.poll(() => new URL(page.url()).pathname, href).toBe(at.pathname)
        await page.getByRole('banner').getByRole('link', { name: 'Planos', exact: true }).click()
        await page.waitForURL('**/planos')
        await expect(keptCoupon(page), href).toContainText('Seu cupom BF40 ainda vale.')
        await expectPrice(page, PRICE_WITH_COUPON)
      }
    })

  test('the promotion page has no link outside header, page and footer', async ({ page }) => {
    await page.goto(PROMO)
    await expect(page.locator('#root a[href]:not(header *, main *, footer *)')).toHaveCount(0)
  })

  test('on the promotion page each plan button opens the sign-up, and the home page keeps the price', async ({
    page,
  }) => {
    for (const name of ['Top Afiliado', 'Elite', 'Elite PRO']) {
      await page.goto(PROMO)
      await card(page, name).getByRole('button', { name: 'Testar grátis por 7 dias' }).click()
      await page.waitForURL('**/cadastro')
      await expect(keptCoupon(page)).toContainText('Seu cupom BF40 ainda vale.')
      await page.getByRole('banner').getByRole('link', { name: 'Garimpo, página inicial' }).click()
      await expect(page.getByRole('heading', { level: 1, name: 'A promoção certa' })).toBeVisible()
      await expectPrice(page, PRICE_WITH_COUPON)
    }
  })
})

test('a link followed before the promotion page hydrates keeps the coupon and the source', async ({
  page,
}) => {
  const release = await hold(page, '**/assets/*.js')
  // `page.goto` would wait for hydration.
  await page.mainFrame().goto(`${PROMO}&utm_source=instagram`)
  await page
    .locator('header a[href="/solucoes"]')
    .first()
    .evaluate((link: HTMLElement) => link.click())
  await page.waitForURL('**/solucoes')
  await release()
  await expect.poll(() => readPromoCode(page)).toBe('blackfriday')
  await expect
    .poll(() => page.evaluate(() => JSON.parse(localStorage.getItem('firstTouch') ?? '{}')))
    .toMatchObject({ utm_source: 'instagram', promo: 'blackfriday' })
  await page.goto('/planos')
  await expectPrice(page, PRICE_WITH_COUPON)
})

test('/?promo= and /planos?promo= count as /promo?promo= does, until the coupon is removed', async ({
  page,
}) => {
  for (const path of ['/', '/planos']) {
    await page.goto(`${path}?promo=blackfriday`)
    await expect(keptCoupon(page), path).toContainText('Seu cupom BF40 vale aqui.')
    await expectPrice(page, PRICE_WITH_COUPON)
    await expect(card(page, 'Elite').getByText('Com o cupom BF40')).toBeVisible()
    await page.goto('/planos')
    await expect(keptCoupon(page), path).toContainText('Seu cupom BF40 ainda vale.')
    await expectPrice(page, PRICE_WITH_COUPON)
    await page.goto(`${path}?promo=blackfriday&ref=ana`)
    await keptCoupon(page).getByRole('button', { name: 'Remover cupom' }).click()
    await expect(keptCoupon(page)).toHaveCount(0)
    await expectRegularPrice(page)
    await expect(page).toHaveURL(new RegExp(`${path === '/' ? '/' : path}\\?ref=ana$`))
    await page.reload()
    await expectRegularPrice(page)
    expect(await readPromoCode(page), path).toBeNull()
  }
})

test('without a code, the promotion page stores the coupon that it offers', async ({ page }) => {
  await page.goto('/planos-promo')
  await expect(page.getByText('NOVO10', { exact: true })).toBeVisible()
  await expect.poll(() => readPromoCode(page)).not.toBeNull()
  await page.goto('/planos')
  await expect(keptCoupon(page)).toContainText('Seu cupom NOVO10 ainda vale.')
  await expectPrice(page, 'R$178,11no1ºmês')
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
})

const isolatedTest = test.extend<{ product: Product }>(productPerTest())
const advanceClock = (page: Page, product: Product, days: number) =>
  page.request.post(`${product.sandbox}/clock`, {
    data: { advance_seconds: days * 86_400, keep_sessions: true },
  })

/** Expects the coupon price of Elite Nível 2 on its card, and chooses the plan. */
async function expectOfferAndChoose(page: Page) {
  await page.goto('/planos')
  await expect(keptCoupon(page)).toContainText('Seu cupom BF40 ainda vale.')
  await chooseElite2(page, 'R$130,74no1ºmês*depoisR$217,90/mês')
}

async function chooseElite2(page: Page, price = 'R$217,90/mês') {
  const elite = card(page, 'Elite')
  await elite.getByRole('tab', { name: 'Nível 2' }).click()
  await expectPrice(page, price)
  await elite.getByRole('button', { name: /Assinar Agora|Testar grátis/ }).click()
}

/** Opens the monthly checkout from /upsell, expects the coupon price and returns its tab. */
async function openMonthlyCheckout(page: Page): Promise<Page> {
  await page.waitForURL('**/upsell')
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const tab = await popup
  await waitForCheckoutSession(tab)
  await expect(tab.getByRole('complementary', { name: 'Resumo' })).toContainText(
    /Cobrado hoje\s*R\$\s*130,74/,
  )
  return tab
}

test('the coupon is offered at the sign-up, in the trial and with the offers', async ({ page }) => {
  // This visitor starts the trial without a plan.
  await page.goto(PROMO)
  await page
    .getByRole('region', { name: 'Garimpar na mão cansa' })
    .getByRole('link', { name: 'Testar grátis por 7 dias' })
    .click()
  await page.waitForURL('**/cadastro')
  await expect(keptCoupon(page)).toContainText('Ele fica guardado para quando você assinar.')
  await expectAccessible(page)
  await signUp(page, newPerson())
  await page.waitForURL('**/account-confirmation')
  await expect(keptCoupon(page)).toContainText('Seu cupom BF40 ainda vale.')

  // In the trial.
  await expectOfferAndChoose(page)
  await page.waitForURL('**/upsell')
  await expect(keptCoupon(page)).toContainText('Os valores abaixo já estão com ele.')
  await expect(page.getByText('R$ 130,74 no 1º mês, depois R$ 217,90 por mês')).toBeVisible()
  await page.goto('/area-usuario')
  await expect(keptCoupon(page)).toContainText('Seu cupom BF40 ainda vale.')
  await expect(
    page.getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 2 por R$ 130,74 no 1º mês' }),
  ).toBeVisible()
})

isolatedTest(
  'after the trial the coupon applies to the stored plan and at the checkout',
  async ({ page, product }) => {
    await createAccount(page)
    await followPromotionLink(page)
    await expectOfferAndChoose(page)
    await page.waitForURL('**/upsell')

    // After the trial the stored plan is the main action, at that price.
    await advanceClock(page, product, 8)
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
    await expectAccessible(page)

    // Seeing the plans clears the choice, and not the coupon.
    await page.getByRole('link', { name: 'Ver Planos Disponíveis' }).click()
    await expectOfferAndChoose(page)
    await openMonthlyCheckout(page)
  },
)

isolatedTest(
  'a used coupon is not offered again, nor is the one for a first subscription; another one is',
  async ({ page, product }) => {
    await createAccount(page)
    await followPromotionLink(page)
    await expectOfferAndChoose(page)
    const tab = await openMonthlyCheckout(page)
    await payByCard(tab, '4242424242424242')
    await page.waitForURL('**/payment-success**')
    await expect(page.getByRole('definition').filter({ hasText: '130,74' })).toBeVisible()

    // During a subscription no coupon is offered.
    const { data } = await product.readFromProvider<{ data: { id: string; latest_invoice: string }[] }>(
      '/v1/subscriptions',
    )
    expect(
      await product.readFromProvider<{ amount_paid: number }>(`/v1/invoices/${data[0]?.latest_invoice}`),
    ).toMatchObject({ amount_paid: 13_074 })
    await page.goto('/planos')
    await expect(page.getByRole('button', { name: 'Assinar Agora' }).first()).toBeVisible()
    await expectRegularPrice(page)
    await expect(keptCoupon(page)).toHaveCount(0)
    expect(await readPromoCode(page)).toBe('blackfriday')

    // A used coupon is deleted after the end of the subscription.
    await page.request.delete(`${product.sandbox}/v1/subscriptions/${data[0]?.id}`, {
      headers: { authorization: 'Bearer sk_test_garimpo' },
    })
    await waitForUserRecord(page, ({ subscription_status }) => subscription_status === 'canceled')
    await page.goto('/planos')
    await expect.poll(() => readPromoCode(page)).toBeNull()
    await expectRegularPrice(page)
    await expect(keptCoupon(page)).toHaveCount(0)

    // Its link offers it again, on every page.
    await followPromotionLink(page)
    await page.goto('/planos')
    await expect(keptCoupon(page)).toContainText('Seu cupom BF40 ainda vale.')
    await expectPrice(page, PRICE_WITH_COUPON)

    // Another coupon is offered, but not one for first subscriptions only.
    await page.goto('/planos?promo=comeback')
    await expect(keptCoupon(page)).toContainText('Seu cupom COMEBACK30 vale aqui.')
    await expectPrice(page, 'R$138,53no1ºmês')
    await page.goto('/promo?promo=novo')
    await expect(
      page.getByText('O cupom NOVO10 é só para a primeira assinatura. Os preços abaixo são sem ele.'),
    ).toBeVisible()
    await expect(page.getByText('Escolha o plano e pague menos no primeiro mês')).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      'Mais grupos, mais posts, menos trabalho',
    )
    await expect(page.getByText('-10%')).toHaveCount(0)
    await expectRegularPrice(page)
    await expectAccessible(page)

    // The guarantee applies to the first subscription only, so it is not shown again.
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
    await waitForCheckoutSession(checkout)
    await expect(checkout.getByRole('complementary', { name: 'Resumo' })).toContainText('Cobrado hoje')
    await expect(checkout.getByText(/Garantia de 7 dias/)).toHaveCount(0)
  },
)

test('on the offers page, removing the coupon restores the price without it, which is charged', async ({
  page,
}) => {
  await createAccount(page)
  await page.goto('/planos?promo=maria')
  await expect(keptCoupon(page)).toContainText('Seu cupom MARIA vale aqui.')
  await card(page, 'Top Afiliado').getByRole('button', { name: 'Assinar Agora' }).click()
  await page.waitForURL('**/upsell')
  await expect(page.getByText('R$ 88,11 no 1º mês, depois R$ 97,90 por mês')).toBeVisible()
  await keptCoupon(page).getByRole('button', { name: 'Remover cupom' }).click()
  await expect(page.getByText('R$ 97,90 por mês', { exact: true })).toBeVisible()
  await expect(keptCoupon(page)).toHaveCount(0)
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const tab = await popup
  await waitForCheckoutSession(tab)
  await expect(tab.getByRole('complementary', { name: 'Resumo' })).toContainText(/Cobrado hoje\s*R\$\s*97,90/)
})

const removeCoupon = (page: Page) => keptCoupon(page).getByRole('button', { name: 'Remover cupom' }).click()

test('at the sign-up, removing the coupon also removes it from the chosen plan', async ({ page }) => {
  await followPromotionLink(page)
  await expectOfferAndChoose(page)
  await page.waitForURL('**/cadastro')
  const chosen = page.getByRole('paragraph').filter({ hasText: 'Plano escolhido' })
  await expect(chosen).toContainText(/R\$\s130,74 no 1º mês/)
  await removeCoupon(page)
  await expect(chosen).toContainText(/R\$\s217,90\/mês/)
  await signUp(page, newPerson())
  await page.waitForURL((url) => url.pathname !== '/cadastro')
  await page.goto('/upsell')
  await expect(page.getByText('R$ 217,90 por mês', { exact: true })).toBeVisible()
})

test('in the account and on the plans page, removing the coupon also removes it from the chosen plan', async ({
  page,
}) => {
  await createAccount(page)
  await followPromotionLink(page)
  await expectOfferAndChoose(page)
  await page.waitForURL('**/upsell')
  await page.goto('/area-usuario')
  const finish = page.getByRole('link', { name: /^Concluir assinatura do plano Elite Nível 2/ })
  await expect(finish).toContainText(/R\$\s130,74 no 1º mês/)
  await removeCoupon(page)
  await expect(finish).toContainText(/R\$\s217,90\/mês/)

  // The choice that a plans page cleared is offered again there, at the price without the coupon.
  await followPromotionLink(page)
  await expectOfferAndChoose(page)
  await page.waitForURL('**/upsell')
  await page.goto('/planos')
  const again = page.getByRole('button', { name: 'Continuar com ele' })
  await expect(again).toBeVisible()
  await removeCoupon(page)
  await expect(keptCoupon(page)).toHaveCount(0)
  await again.click()
  await page.waitForURL('**/upsell')
  await expect(page.getByText('R$ 217,90 por mês', { exact: true })).toBeVisible()
})

test('the coupon of the last link applies, also to a plan chosen before it', async ({ page }) => {
  await page.goto('/planos')
  await chooseElite2(page)
  await page.waitForURL('**/cadastro')
  const chosen = page.getByRole('paragraph').filter({ hasText: 'Plano escolhido' })
  await expect(chosen).toContainText(/R\$\s217,90\/mês/)

  for (const [link, price] of [
    ['blackfriday', 'R$ 130,74 no 1º mês'],
    ['maria', 'R$ 196,11 no 1º mês'],
  ] as const) {
    await page.goto(`/sobre?promo=${link}`)
    await expect.poll(() => readPromoCode(page)).toBe(link)
    await page.goto('/cadastro')
    await expect(chosen).toContainText(price)
  }
  await signUp(page, newPerson())
  await page.waitForURL('**/upsell')
  await expect(keptCoupon(page)).toContainText('Seu cupom MARIA ainda vale.')
  await expect(page.getByText('R$ 196,11 no 1º mês, depois R$ 217,90 por mês')).toBeVisible()
  await page.goto('/area-usuario')
  await expect(
    page.getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 2 por R$ 196,11 no 1º mês' }),
  ).toBeVisible()
})

test('on the promotion page, a visitor who returns and chooses at its price has the coupon again', async ({
  page,
}) => {
  await followPromotionLink(page)
  await chooseElite2(page, 'R$130,74no1ºmês*depoisR$217,90/mês')
  await page.waitForURL('**/cadastro')
  const chosen = page.getByRole('paragraph').filter({ hasText: 'Plano escolhido' })
  await removeCoupon(page)
  await expect(chosen).toContainText(/R\$\s217,90\/mês/)
  await page.goBack()
  await chooseElite2(page, 'R$130,74no1ºmês*depoisR$217,90/mês')
  await page.waitForURL('**/cadastro')
  await expect(keptCoupon(page)).toContainText('Seu cupom BF40 ainda vale.')
  await expect(chosen).toContainText(/R\$\s130,74 no 1º mês/)

  // Going back to the promotion stores the coupon again without a click.
  await removeCoupon(page)
  await expect.poll(() => readPromoCode(page)).toBeNull()
  await page.goBack()
  await expect.poll(() => readPromoCode(page)).toBe('blackfriday')
})

test('a coupon removed in another tab does not return with the chosen plan', async ({ page }) => {
  await followPromotionLink(page)
  await expectOfferAndChoose(page)
  await page.waitForURL('**/cadastro')
  const other = await page.context().newPage()
  await other.goto('/')
  await removeCoupon(other)
  await expect(page.getByRole('paragraph').filter({ hasText: 'Plano escolhido' })).toContainText(
    /R\$\s217,90\/mês/,
  )
  await signUp(page, newPerson())
  await page.waitForURL('**/upsell')
  await expect(page.getByText('R$ 217,90 por mês', { exact: true })).toBeVisible()
  await expect(keptCoupon(page)).toHaveCount(0)
})

test('with a coupon, each offer states that the lower price is for the first period only', async ({
  page,
}) => {
  await createAccount(page)
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
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
})

test('a subscriber who follows a link with a code reads that the coupon is for a new subscription', async ({
  page,
  product,
}) => {
  await createSubscriber(page, product, 'Elite Nível 2')
  const note = page.getByText('O cupom BF40 vale para uma assinatura nova. A sua continua como está.')
  for (const path of ['/', '/planos']) {
    await page.goto(`${path}?promo=blackfriday`)
    await expect(note, path).toBeVisible()
    await expect(keptCoupon(page)).toHaveCount(0)
  }
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
  await page.goto('/planos')
  await expect(page.getByRole('link', { name: 'Ver minha assinatura' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(note).toHaveCount(0)
})

test('a stored code that the checkout refuses is forgotten', async ({ page }) => {
  await page.goto('/planos?promo=blackfriday')
  await expect(keptCoupon(page)).toBeVisible()
  await page.evaluate(() => localStorage.setItem('promoCode', 'não vale!'))
  await page.goto('/planos')
  await expect.poll(() => readPromoCode(page)).toBeNull()
  await expectRegularPrice(page)
})

test('the period chosen on the offers leads from the account to the checkout, at the coupon price', async ({
  page,
}) => {
  // The checkout opens in the same tab.
  await page.addInitScript(() => {
    window.open = () => null
  })
  await createAccount(page)
  await page.goto('/planos')
  await card(page, 'Elite').getByRole('button', { name: 'Assinar Agora' }).click()
  await page.waitForURL('**/upsell')
  await card(page, 'Anual').getByRole('button', { name: 'Aproveitar Oferta' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirmar' }).click()
  await page.waitForURL('**/checkout')
  const summary = page.getByRole('complementary', { name: 'Resumo' })
  await expect(summary).toContainText(/Cobrado hoje\s*R\$\s*1\.187,40/)

  // The coupon is newer than the choice.
  await followPromotionLink(page)
  await page.evaluate((plan) => localStorage.setItem('selectedPlan', plan), JSON.stringify(ANNUAL))
  await page.goto('/area-usuario')
  await page
    .getByRole('link', { name: 'Concluir assinatura do plano Elite Nível 1 por R$ 712,44 (anual)' })
    .click()
  await page.waitForURL('**/checkout')
  await expect(summary).toContainText(/Período\s*Anual/)
  await expect(summary).toContainText(/Cobrado hoje\s*R\$\s*712,44/)
})

const blackNovemberTest = test.extend<{ product: Product }>(productPerTest({ GARIMPO_BLACK_NOVEMBER: 'on' }))

for (const address of ['/planos?promo=blackfriday', '/planos-promo?promo=blackfriday'])
  blackNovemberTest(
    `in Black November, from ${address}, each period is charged with its cheapest coupon`,
    async ({ page }) => {
      await createAccount(page)
      await page.goto(address)
      await card(page, 'Elite')
        .getByRole('button', { name: /Assinar Agora|Testar grátis/ })
        .click()
      await page.waitForURL('**/upsell')
      const annual = page.getByRole('region', { name: 'Anual', exact: true })
      await expect(annual).toContainText('R$ 712,44 no 1º ano')
      await expect(page.getByText('R$ 97,90 no 1º mês, depois R$ 197,90 por mês')).toBeVisible()
      await expect(keptCoupon(page)).toContainText(
        'Os períodos maiores já estão com ele; o mensal está com o cupom BLACKNOVEMBER, que dá um 1º mês menor.',
      )
      await expectAccessible(page)

      // The annual plan first, then canceled, then the monthly plan.
      const tab = await takeOffer(page, 'Anual')
      await waitForCheckoutSession(tab)
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
      await waitForCheckoutSession(monthly)
      await expect(summary(monthly)).toContainText(/Cobrado hoje\s*R\$\s*97,90/)

      // Without the code the prices are those of the campaign, as on the plans page.
      await page
        .getByRole('dialog', { name: 'Abrindo checkout...' })
        .getByRole('button', { name: 'Cancelar' })
        .click()
      await keptCoupon(page).getByRole('button', { name: 'Remover cupom' }).click()
      await expect(annual).toContainText('R$ 1.187,40/ano')
      await expect(page.getByText('R$ 97,90 no 1º mês, depois R$ 197,90 por mês')).toBeVisible()
    },
  )
