import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectFits } from './accessibility'
import { expect, Product, test } from './product'

const carousel = (page: Page) => page.getByRole('tablist', { name: 'Ferramentas do Garimpo' })
const shownTab = (page: Page) => carousel(page).getByRole('tab', { selected: true })
/** The scrolling parent of the slides. */
const slideTrack = (page: Page) =>
  page.getByRole('tabpanel', { name: 'Promotor Automático', includeHidden: true }).locator('..')
/** Opens a page with a paused clock: only `runFor` advances it. */
async function openWithPausedClock(page: Page, path = '/') {
  const now = Date.now()
  await page.clock.install({ time: now })
  await page.clock.pauseAt(now + 1_000)
  await page.goto(path)
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
}
/** Scrolls a carousel into view, which starts it. The timers of the page are paused meanwhile. */
const bringIntoView = (element: Locator) =>
  element.evaluate(async (carousel) => {
    carousel.scrollIntoView({ block: 'center', behavior: 'instant' })
    await new Promise<void>((done) => {
      new IntersectionObserver(([entry], observer) => {
        if (!entry?.isIntersecting) return
        observer.disconnect()
        done()
      }).observe(carousel)
    })
    // React renders in tasks like these.
    for (let task = 0; task < 5; task += 1)
      await new Promise((done) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = done
        port2.postMessage(null)
      })
  })
const readSlideIndex = (page: Page) =>
  slideTrack(page).evaluate((element) => element.scrollLeft / element.clientWidth)

test('the home page shows its sections in order, from hero, steps and pains over the tools to plans, proof and questions', async ({
  page,
}) => {
  await page.goto('/')

  const headings = page
    .getByRole('main')
    .getByRole('heading', { level: 1 })
    .or(page.getByRole('main').getByRole('heading', { level: 2 }))
  await expect(headings).toHaveText([
    'A promoção certa, no grupo certo, sem você parar o dia.',
    'Conecte, escolha, acompanhe',
    'Garimpar na mão cansa',
    'A peneira trabalha, você recebe o ouro',
    'Uma peneira, muitas lojas',
    'Enquanto você dorme, a fila anda',
    'Planos para um grupo ou para cinquenta',
    'Um dia inteiro de um grupo',
    'Se não servir, o dinheiro volta',
    'Perguntas frequentes',
  ])
  const day = page.getByRole('region', { name: 'Um dia inteiro de um grupo' })
  await expect(day.getByText('Exemplo', { exact: true })).toBeVisible()
  await expect(day.getByRole('listitem')).toHaveCount(12)
  const pains = page.getByRole('region', { name: 'Garimpar na mão cansa' })
  await expect(pains.getByRole('listitem')).toHaveCount(6)
  const solutions = page.getByRole('region', { name: 'A peneira trabalha' })
  await expect(solutions.getByRole('article')).toHaveCount(5)
  await expect(carousel(page).getByRole('tab')).toHaveText([
    'Promotor Automático',
    'Busca com IA',
    'Filas de Envio',
  ])
  for (const width of [320, 768, 1280, 390]) await expectFits(page, width)
  await expectAccessible(page)
})

test('on a phone the fixed trial button shows between hero and plans, never with that of the hero', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
  const trial = page.getByRole('main').getByRole('link', { name: 'Testar grátis por 7 dias' })
  const [hero, bar] = [trial.first(), trial.last()]
  for (const height of [844, 640]) {
    await page.setViewportSize({ width: 390, height })
    for (let top = 0; top <= 1600; top += 100) {
      await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), top)
      const seen = await Promise.all(
        [hero, bar].map((link) =>
          link.evaluate((element) => {
            const { top, bottom } = element.getBoundingClientRect()
            return bottom > 64 && top < innerHeight
          }),
        ),
      )
      expect(seen, `at ${top} px of ${height}`).not.toEqual([true, true])
    }
    await page.getByRole('heading', { name: 'No escuro' }).scrollIntoViewIfNeeded()
    await expect(bar).toBeInViewport({ ratio: 1 })
    await page
      .getByRole('region', { name: 'Elite', exact: true })
      .getByRole('button')
      .scrollIntoViewIfNeeded()
    await expect(bar).not.toBeInViewport()
    await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
    await expect(bar).not.toBeInViewport()
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(trial).toHaveCount(2)
})

test('on a phone the plans begin within 5500 px, and the page ends within 10600 px', async ({ page }) => {
  await page.goto('/')
  const [plans, end] = await page.evaluate(() => [
    (document.querySelector('#planos')?.getBoundingClientRect().top ?? Number.NaN) + scrollY,
    document.documentElement.scrollHeight,
  ])
  expect(plans).toBeLessThan(5500)
  expect(end).toBeLessThan(10600)
})

test('the trial link clears the chosen plan and the return address and opens the sign-up', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/')
  const remember = () =>
    page.evaluate(() => {
      localStorage.setItem('selectedPlan', '{"name":"Elite Nível 2"}')
      localStorage.setItem('loginRedirectUrl', '/upsell')
    })
  await remember()

  await page
    .getByRole('region', { name: 'Garimpar na mão cansa' })
    .getByRole('link', { name: 'Testar grátis por 7 dias' })
    .click()

  await page.waitForURL('**/cadastro')
  const kept = () =>
    page.evaluate(() => [localStorage.getItem('selectedPlan'), localStorage.getItem('loginRedirectUrl')])
  expect(await kept()).toEqual([null, null])
})

test('the carousel advances every 15 seconds with its tab, and choosing a tab restarts the interval', async ({
  page,
}) => {
  await openWithPausedClock(page)
  await bringIntoView(carousel(page))
  await expect(shownTab(page)).toHaveText('Promotor Automático')

  await page.clock.runFor(14_900)
  await expect(shownTab(page)).toHaveText('Promotor Automático')
  await page.clock.runFor(100)
  await expect(shownTab(page)).toHaveText('Busca com IA')
  await expect.poll(() => readSlideIndex(page)).toBe(1)

  await page.clock.runFor(10_000)
  await carousel(page).getByRole('tab', { name: 'Promotor Automático' }).click()
  await page.clock.runFor(14_000)
  await expect(shownTab(page)).toHaveText('Promotor Automático')
  await page.clock.runFor(1_000)
  await expect(shownTab(page)).toHaveText('Busca com IA')
})

test('the carousel stops by its button, under the pointer and with the keyboard focus', async ({ page }) => {
  await openWithPausedClock(page)
  const solutions = page.getByRole('region', { name: 'A peneira trabalha' })
  await bringIntoView(carousel(page))
  const still = async () => {
    const before = await shownTab(page).innerText()
    await page.clock.runFor(31_000)
    await expect(shownTab(page)).toHaveText(before)
  }

  await solutions.getByRole('button', { name: 'Pausar' }).click()
  await still()
  await solutions.getByRole('button', { name: 'Continuar' }).click()

  await solutions.getByRole('tabpanel', { name: 'Promotor Automático' }).hover()
  await still()
  await page.mouse.move(0, 0)

  await carousel(page).getByRole('tab', { selected: true }).press('ArrowRight')
  await expect(shownTab(page)).toHaveText('Busca com IA')
  await expect(shownTab(page)).toBeFocused()
  await still()
  await shownTab(page).press('End')
  await expect(shownTab(page)).toHaveText('Filas de Envio')
  await page.clock.resume()
  await expectAccessible(page)
})

test('scrolling the slides changes the tab', async ({ page }) => {
  await page.goto('/')
  await expect(shownTab(page)).toHaveText('Promotor Automático')
  await slideTrack(page).evaluate((element) => element.scrollTo({ left: element.clientWidth * 2 }))
  await expect(shownTab(page)).toHaveText('Filas de Envio')
})

test('the stores advance every 3 seconds and start over, and the list shows all of them', async ({
  page,
}) => {
  await openWithPausedClock(page)
  const stores = page.getByRole('region', { name: 'Uma peneira, muitas lojas' })
  const list = stores.getByRole('list', { name: 'Lojas parceiras' })
  await expect(list.getByRole('listitem')).toHaveText([
    'Amazon',
    'Magalu',
    'Mercado Livre',
    'Shopee',
    'Shein',
    'AliExpress',
  ])
  await bringIntoView(list)
  const left = () => list.evaluate((element) => Math.round(element.scrollLeft))
  const offsets = await list.evaluate(({ children }) =>
    [...children].map((child) => (child as HTMLElement).offsetLeft - (children[0] as HTMLElement).offsetLeft),
  )
  expect(await left()).toBe(0)
  // After the sixth name the first ones follow as copies; then the list starts over.
  for (let step = 1; step <= 6; step += 1) {
    await page.clock.runFor(step === 1 ? 3_000 : 2_800)
    await expect.poll(left).toBe(offsets[step])
    await page.clock.runFor(200)
  }
  await expect.poll(left).toBe(0)
  await page.clock.runFor(2_800)
  await expect.poll(left).toBe(offsets[1])

  await stores.getByText('Ver todas as lojas').click()
  await expect(
    stores.getByText('Outras marcas, pela rede de afiliados em que você tem cadastro'),
  ).toBeVisible()
  await page.clock.resume()
  await expectAccessible(page)
})

test('with reduced motion the carousels stand still', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await openWithPausedClock(page)
  await page.clock.runFor(60_000)

  await expect(shownTab(page)).toHaveText('Promotor Automático')
  expect(
    await page.getByRole('list', { name: 'Lojas parceiras' }).evaluate((element) => element.scrollLeft),
  ).toBe(0)
  await expect(page.getByRole('button', { name: 'Pausar' })).toHaveCount(0)
})

test('the ten questions open one at a time and close', async ({ page }) => {
  await page.goto('/')
  const faq = page.getByRole('region', { name: 'Perguntas frequentes' })
  const questions = faq.locator('summary')
  await expect(questions).toHaveCount(10)
  await expect(faq.locator('details[open]')).toHaveCount(0)

  await questions.nth(0).click()
  await expect(faq.locator('details[open] summary')).toHaveText(['O que o Garimpo faz por mim?'])
  await questions.nth(8).click()
  await expect(faq.locator('details[open] summary')).toHaveText(['Quais são as formas de pagamento?'])
  await expectAccessible(page)
  await questions.nth(8).click()
  await expect(faq.locator('details[open]')).toHaveCount(0)
})

test('in a browser without the name of details, the questions also open one at a time', async ({ page }) => {
  await page.addInitScript(() => {
    delete (HTMLDetailsElement.prototype as Partial<HTMLDetailsElement>).name
  })
  await page.route('/', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace(/<details name="[^"]*"/g, '<details'),
    })
  })
  const helped = page.waitForResponse('**/assets/one-open-*.js')
  await page.goto('/')
  await (await helped).finished()
  const faq = page.getByRole('region', { name: 'Perguntas frequentes' })
  await faq.locator('summary').nth(0).click()
  await faq.locator('summary').nth(8).click()
  await expect(faq.locator('details[open] summary')).toHaveText(['Quais são as formas de pagamento?'])
  await faq.locator('summary').nth(8).click()
  await expect(faq.locator('details[open]')).toHaveCount(0)
})

test('the proof states the guarantee, the company and four facts of privacy with links to the policy', async ({
  page,
}) => {
  await page.goto('/')
  const proof = page.getByRole('region', { name: 'Se não servir, o dinheiro volta' })
  await expect(proof.getByRole('list').first().getByRole('listitem')).toHaveText([
    'Abra Minha Conta.',
    'Em Garantia de 7 dias, toque em Pedir reembolso.',
    'Confirme. No cartão, o estorno é pedido na hora; no boleto, a devolução é por Pix em até 30 dias.',
  ])
  await expect(proof.getByText('00.000.000/0000-00')).toBeVisible()
  const links = proof.getByRole('link')
  await expect(links).toHaveCount(5)
  for (const link of await links.all()) {
    const [path, id] = ((await link.getAttribute('href')) ?? '').split('#')
    const answer = await page.request.get(path ?? '')
    expect(await answer.text(), `${path}#${id}`).toContain(`id="${id}"`)
  }
})

test('anchors reach their place below the header, on load and from another page', async ({ page }) => {
  const top = (id: string) =>
    page.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().top)
  const below = async (id: string) => {
    await expect.poll(() => top(id)).toBeGreaterThanOrEqual(64)
    await expect.poll(() => top(id)).toBeLessThan(200)
  }
  await page.goto('/#planos')
  await below('planos')
  await page.goto('/solucoes')
  await page.goto('/#solucoes')
  await below('solucoes')

  await page.getByRole('main').getByRole('link', { name: 'Ver planos' }).click()
  await below('planos')
})

test('without JavaScript the home page is complete and its links work', async ({ browser, product }) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    baseURL: product.url,
    viewport: { width: 390, height: 844 },
  })
  const page = await context.newPage()
  await page.goto('/')

  await expect(page.getByText('Mande o link de um produto em um grupo')).toBeVisible()
  // The levels behind the tabs: Elite 2 and 3, Elite PRO 2 to 6.
  await expect(page.locator('noscript li')).toHaveCount(7)
  await expect(page.locator('noscript li').last()).toBeVisible()
  await page.getByText('Como cancelo?').click()
  await expect(page.getByText('Na área do usuário, quando quiser, sem taxa.')).toBeVisible()
  await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'Planos' }).click()
  await expect(page).toHaveURL(/\/planos$/)
  await context.close()
})

test('in Black November the hero is that of the campaign, and the first month follows its rule', async ({
  browser,
}) => {
  const product = await Product.start({ GARIMPO_BLACK_NOVEMBER: 'on' })
  const context = await browser.newContext({ baseURL: product.url, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await page.goto('/')

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Elite Nível 1 por R$ 97,90 no 1º mês')
  await expect(page.getByText(/^Até 30\/11, às 23:59/)).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Ver planos' }).click()
  const shown = async (card: string) =>
    (await page.getByRole('region', { name: card, exact: true }).innerText()).replace(/\s+/g, '')
  expect(await shown('Elite')).toContain('R$97,90no1ºmês*depoisR$197,90/mês')
  expect(await shown('Elite PRO')).toContain('R$197,90no1ºmês*depoisR$297,90/mês')
  expect(await shown('Top Afiliado')).not.toContain('no1ºmês')
  await expectAccessible(page)
  await context.close()
  product.stop()
})
