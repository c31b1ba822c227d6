import type { Page } from '@playwright/test'
import { fits, fitsEveryWidth, isAccessible } from './acessibilidade'
import { hold } from './chamadas'
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
/** The page with its scripts at work. */
async function open(page: Page, path: string) {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('[aria-busy]')).toHaveCount(0)
}

for (const path of pages) {
  test(`${path} cabe de 320 a 1280 px e com zoom de 200%, e não tem violação`, async ({
    page,
    complaints,
  }) => {
    await open(page, path)
    await fitsEveryWidth(page)
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
    // 200% of a desktop window is its half; text alone at 200% on a phone.
    await fits(page, 640)
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    await fits(page, 390)
    const skips = await page.getByRole('link', { name: 'Ir para o conteúdo' }).all()
    expect(skips).toHaveLength(path === '/bio' ? 0 : 1)
    for (const skip of skips) {
      const { y, height } = (await skip.boundingBox()) ?? { y: Number.NaN, height: 0 }
      expect(y + height, 'the skip link waits out of sight').toBeLessThanOrEqual(0)
    }
    await page.evaluate(() => {
      document.documentElement.style.fontSize = ''
    })
    await isAccessible(page)
    if (path === '/nao-existe')
      complaints.expect(/status of 404 .*\/nao-existe/, /No route answers \/nao-existe/)
  })
}

/** The home page without colours on their way, which are no state. */
async function openStill(page: Page) {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await open(page, '/')
}

test('a página inicial não tem violação com o menu aberto', async ({ page }) => {
  await openStill(page)
  await page.getByRole('button', { name: 'Abrir menu' }).click()
  await isAccessible(page)
})

// A tab changes what it stands with, and nothing else.
for (const [within, count] of [
  ['#solucoes', 3],
  ['#planos [aria-label="Elite"]', 3],
  ['#planos [aria-label="Elite PRO"]', 6],
] as const) {
  test(`a página inicial não tem violação em nenhuma aba de ${within}`, async ({ page }) => {
    await openStill(page)
    const tabs = page.locator(within).getByRole('tab')
    await expect(tabs).toHaveCount(count)
    for (const tab of await tabs.all()) {
      await tab.click()
      await expect(tab).toHaveAttribute('aria-selected', 'true')
      await isAccessible(page, within)
    }
  })
}

test('a página inicial não tem violação com cada pergunta e com a lista de lojas aberta', async ({
  page,
}) => {
  await openStill(page)
  await expect(page.getByRole('tab')).toHaveCount(3 + 3 + 6)
  await page.getByText('Ver todas as lojas parceiras').click()
  for (const question of await page
    .getByRole('region', { name: 'Perguntas frequentes' })
    .locator('summary')
    .all()) {
    await question.click()
    await isAccessible(page, 'details[open]')
  }
  await isAccessible(page)
})

test('cada pergunta dos planos abre sem violação', async ({ page }) => {
  await open(page, '/planos')
  for (const question of await page.locator('summary').all()) {
    await question.click()
    await isAccessible(page, 'details[open]')
  }
})

test('o que se aperta antes de os scripts chegarem acontece quando chegam', async ({ page }) => {
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

test('em cores forçadas o menu se vê e a aba escolhida se distingue', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await open(page, '/')
  const ground = (element: Element) => getComputedStyle(element).backgroundColor
  const toggle = page.getByRole('button', { name: 'Abrir menu' })
  expect(await toggle.locator('span').evaluate(ground)).not.toBe(await toggle.evaluate(ground))
  for (const list of await page.getByRole('tablist').all()) {
    const chosen = await list.getByRole('tab', { selected: true }).evaluate(ground)
    expect(chosen).not.toBe(await list.getByRole('tab', { selected: false }).first().evaluate(ground))
  }
})

for (const path of ['/', '/planos-promo', '/cadastro']) {
  test(`${path} se percorre com Tab: todo foco se vê e o cabeçalho não o cobre`, async ({ page }) => {
    // The way to the next stop is not waited for.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await open(page, path)
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

test('pelo teclado: pular ao conteúdo, abas com setas, perguntas com Enter e espaço, avisos com Tab', async ({
  page,
  context,
}) => {
  await open(page, '/')
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
  await open(page, '/planos-promo')
  await page.getByRole('button', { name: 'Copiar cupom' }).press('Enter')
  const toast = page.getByRole('status').filter({ hasText: 'Cupom copiado!' })
  await expect(toast).toBeVisible()
  const close = toast.getByRole('button', { name: 'Fechar aviso' })
  await close.focus()
  await isAccessible(page)
  await page.keyboard.press('Enter')
  await expect(toast).toHaveCount(0)
})

test('com o armazenamento bloqueado toda página de marketing abre e responde', async ({ page }) => {
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('blocked', 'SecurityError')
        },
      })
  })
  for (const path of pages.filter((path) => path !== '/nao-existe')) await open(page, path)
  await open(page, '/planos')
  await page.getByRole('region', { name: 'Elite', exact: true }).getByRole('tab', { name: 'Nível 3' }).click()
  await expect(page.getByRole('heading', { name: 'Elite Nível 3' })).toBeVisible()
  await page.locator('summary').first().click()
  await expect(page.locator('details[open]')).toHaveCount(1)
})

test('sem JavaScript toda página de marketing se lê inteira e nenhum link dela se perde', async ({
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

test('os endereços de fora são os da marca: ajuda, app e WhatsApp', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await open(page, '/solucoes')
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
