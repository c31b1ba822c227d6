import type { Page } from '@playwright/test'
import { expectAccessible, expectFits, expectFitsEveryWidth } from './accessibility'
import { hold } from './calls'
import { expect, test } from './product'

const pages = [
  '/',
  '/planos',
  '/planos-promo?promo=final',
  '/promo-landing',
  '/solucoes',
  '/sobre',
  '/termos',
  '/politicas-de-privacidade',
  '/bio',
  '/nao-existe',
]
const main = (page: Page) => page.getByRole('main')
/** Opens a page and waits for its hydration. */
async function openPage(page: Page, path: string) {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
}

for (const path of pages) {
  test(`${path} fits from 320 to 1280 px and at a zoom of 200%, and has no accessibility violation`, async ({
    page,
    pageErrors,
  }) => {
    await openPage(page, path)
    await expectFitsEveryWidth(page)
    const menu = page.getByRole('button', { name: 'Abrir menu' })
    if (path !== '/bio') {
      for (const [width, count] of [
        [767, 1],
        [768, 0],
      ] as const) {
        await page.setViewportSize({ width, height: 800 })
        await expect(menu.filter({ visible: true })).toHaveCount(count)
      }
    }
    // A zoom of 200% halves a desktop window. On a phone only the text grows.
    await expectFits(page, 640)
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    await expectFits(page, 390)
    const skips = await page.getByRole('link', { name: 'Ir para o conteúdo' }).all()
    expect(skips).toHaveLength(path === '/bio' ? 0 : 1)
    for (const skip of skips) {
      const { y, height } = (await skip.boundingBox()) ?? { y: Number.NaN, height: 0 }
      expect(y + height, 'the skip link waits out of sight').toBeLessThanOrEqual(0)
    }
    await page.evaluate(() => {
      document.documentElement.style.fontSize = ''
    })
    await expectAccessible(page)
    if (path === '/nao-existe')
      pageErrors.expect(/status of 404 .*\/nao-existe/, /No route answers \/nao-existe/)
  })
}

/** Opens the home page without colour transitions. */
async function openHomeWithoutMotion(page: Page) {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await openPage(page, '/')
}

test('the home page has no accessibility violation with its menu open', async ({ page }) => {
  await openHomeWithoutMotion(page)
  await page.getByRole('button', { name: 'Abrir menu' }).click()
  await expectAccessible(page)
})

// A tab changes only its own section.
for (const [within, count] of [
  ['#solucoes', 3],
  ['#planos [aria-label="Elite"]', 3],
  ['#planos [aria-label="Elite PRO"]', 6],
] as const) {
  test(`the home page has no accessibility violation in any tab of ${within}`, async ({ page }) => {
    await openHomeWithoutMotion(page)
    const tabs = page.locator(within).getByRole('tab')
    await expect(tabs).toHaveCount(count)
    for (const tab of await tabs.all()) {
      await tab.click()
      await expect(tab).toHaveAttribute('aria-selected', 'true')
      await expectAccessible(page, within)
    }
  })
}

test('the home page has no accessibility violation with each question and the store list open', async ({
  page,
}) => {
  await openHomeWithoutMotion(page)
  await expect(page.getByRole('tab')).toHaveCount(3 + 3 + 6)
  await page.getByText('Ver todas as lojas').click()
  for (const question of await page
    .getByRole('region', { name: 'Perguntas frequentes' })
    .locator('summary')
    .all()) {
    await question.click()
    await expectAccessible(page, 'details[open]')
  }
  await expectAccessible(page)
})

test('each question of the plans page opens without an accessibility violation', async ({ page }) => {
  await openPage(page, '/planos')
  for (const question of await page.locator('summary').all()) {
    await question.click()
    await expectAccessible(page, 'details[open]')
  }
})

test('a press before the scripts have loaded takes effect when they load', async ({ page }) => {
  const arrive = await hold(page, '**/assets/site-*.js')
  const asked = page.waitForRequest('**/assets/site-*.js')
  const opened = page.goto('/planos')
  await asked
  const elite = page.getByRole('region', { name: 'Elite', exact: true })
  await elite.getByRole('tab', { name: 'Nível 3' }).click()
  await expect(elite.getByRole('heading', { name: 'Elite Nível 1' })).toBeVisible()
  await arrive()
  await expect(elite.getByRole('heading', { name: 'Elite Nível 3' })).toBeVisible()
  await opened
})

test('in forced colors the menu is visible and the selected tab can be recognized', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await openPage(page, '/')
  const ground = (element: Element) => getComputedStyle(element).backgroundColor
  const toggle = page.getByRole('button', { name: 'Abrir menu' })
  expect(await toggle.locator('span').evaluate(ground)).not.toBe(await toggle.evaluate(ground))
  for (const list of await page.getByRole('tablist').all()) {
    const chosen = await list.getByRole('tab', { selected: true }).evaluate(ground)
    expect(chosen).not.toBe(await list.getByRole('tab', { selected: false }).first().evaluate(ground))
  }
})

for (const path of ['/', '/planos-promo', '/cadastro']) {
  test(`on ${path} each stop of the Tab key has a visible focus that the header does not cover`, async ({
    page,
  }) => {
    // Scroll to the next stop at once.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await openPage(page, path)
    const seen: string[] = []
    for (let step = 0; step < 120; step += 1) {
      await page.keyboard.press('Tab')
      const stop = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement
        if (element === document.body) return null
        const style = getComputedStyle(element)
        const box = element.getBoundingClientRect()
        const bar = element.closest('header, a[href="#conteudo"]')
          ? 0
          : (document.querySelector('header')?.getBoundingClientRect().bottom ?? 0)
        return {
          what: `${element.tagName} ${element.innerText || element.getAttribute('aria-label') || element.getAttribute('name')}`.slice(
            0,
            60,
          ),
          ring: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
          inView: box.bottom > bar && box.top < innerHeight,
        }
      })
      if (!stop) break
      seen.push(stop.what)
      expect(stop, stop.what).toMatchObject({ ring: true, inView: true })
    }
    expect(seen[0]).toContain('Ir para o conteúdo')
    expect(seen.length).toBeGreaterThan(15)
  })
}

test('by keyboard the skip link, tabs, questions and toasts work', async ({ page, context }) => {
  await openPage(page, '/')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#conteudo$/)
  await expect(main(page)).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(main(page).getByRole('link').first()).toBeFocused()

  const levels = page.getByRole('region', { name: 'Elite', exact: true })
  await levels.getByRole('tab', { name: 'Nível 1' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(levels.getByRole('tab', { name: 'Nível 2' })).toBeFocused()
  await expect(levels.getByRole('heading', { name: 'Elite Nível 2' })).toBeVisible()
  await page.keyboard.press('End')
  await expect(levels.getByRole('heading', { name: 'Elite Nível 3' })).toBeVisible()

  const question = page.getByRole('region', { name: 'Perguntas frequentes' }).locator('summary').first()
  await question.focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('details[open]')).toHaveCount(1)
  await page.keyboard.press('Space')
  await expect(page.locator('details[open]')).toHaveCount(0)

  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openPage(page, '/planos-promo')
  await page.getByRole('button', { name: 'Copiar cupom' }).press('Enter')
  const toast = page.getByRole('status').filter({ hasText: 'Cupom copiado!' })
  await expect(toast).toBeVisible()
  const close = toast.getByRole('button', { name: 'Fechar aviso' })
  await close.focus()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(toast).toHaveCount(0)
})

test('with blocked storage each marketing page opens and responds', async ({ page }) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('blocked', 'SecurityError')
        },
      })
  })
  for (const path of pages.filter((path) => path !== '/nao-existe')) await openPage(page, path)
  await openPage(page, '/planos')
  await page.getByRole('region', { name: 'Elite', exact: true }).getByRole('tab', { name: 'Nível 3' }).click()
  await expect(page.getByRole('heading', { name: 'Elite Nível 3' })).toBeVisible()
  await page.locator('summary').first().click()
  await expect(page.locator('details[open]')).toHaveCount(1)
})

test('without JavaScript each marketing page is complete and none of its links is broken', async ({
  browser,
  product,
  page,
}) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    baseURL: product.url,
    viewport: { width: 390, height: 844 },
  })
  const still = await context.newPage()
  const links = new Set<string>()
  for (const path of pages.filter((path) => path !== '/nao-existe')) {
    await still.goto(path)
    const headings = main(still).getByRole('heading')
    expect(await headings.count(), path).toBeGreaterThan(0)
    for (const heading of await headings.all()) await expect(heading).toBeVisible()
    for (const answer of await still.locator('details').all())
      expect((await answer.textContent())?.length).toBeGreaterThan(40)
    for (const href of await still
      .locator('a[href]')
      .evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''))) {
      if (href.startsWith('#')) await expect(still.locator(href), `${path} ${href}`).toHaveCount(1)
      else if (href.startsWith('/')) links.add(href)
    }
  }
  expect(links.size).toBeGreaterThan(8)
  for (const href of links) {
    const answer = await page.request.get(href)
    expect(answer.status(), href).toBe(200)
    const anchor = href.split('#')[1]
    if (anchor) expect(await answer.text(), href).toContain(`id="${anchor}"`)
  }
  await still.goto('/solucoes')
  await expect(still.getByRole('banner').getByRole('link', { name: 'Planos' })).toBeVisible()
  await context.close()
})

test('external addresses are those of the brand: help, app and WhatsApp', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await openPage(page, '/solucoes')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Central de Ajuda' })).toHaveAttribute(
    'href',
    /garimpo=ajuda/,
  )
  await expect(page.getByRole('banner').getByRole('link', { name: 'Acessar App' })).toHaveAttribute(
    'href',
    /garimpo=app/,
  )
  await expect(main(page).getByRole('link', { name: 'Falar no WhatsApp' })).toHaveAttribute('href', /wa\.me/)
  await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Central de Ajuda' })).toHaveAttribute(
    'href',
    /garimpo=ajuda/,
  )
})
