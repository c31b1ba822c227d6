/** Where the browser's back and forward buttons lead: the page, and the place on it. */
import type { Page } from '@playwright/test'
import { hold } from './chamadas'
import { expect, joins, test } from './product'

/** Scrolls, and waits for the frame in which the page is told: nobody presses before it. */
const leaveAt = (page: Page, place: number) =>
  page.evaluate(
    (top) =>
      new Promise((told) => {
        addEventListener('scroll', () => requestAnimationFrame(told), { once: true })
        scrollTo({ top, behavior: 'instant' })
      }),
    place,
  )
/** Pressed where it stands: the way there is no part of it. */
const press = (link: HTMLElement) => link.click()

test('voltar leva ao lugar da página em que se estava, na primeira volta e na segunda, e ao nível que se via', async ({
  page,
}) => {
  const place = () => page.evaluate(() => Math.round(scrollY))
  const ways = [
    ['header a[href="/planos"]', 'Planos para um grupo ou para cinquenta'],
    ['header a[href="/planos"]', 'Planos para um grupo ou para cinquenta'],
    ['main a[href="/cadastro"]', 'Crie sua conta'],
  ] as const
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/')
    await page
      .getByRole('region', { name: 'Elite', exact: true })
      .getByRole('tab', { name: 'Nível 2' })
      .click()
    await leaveAt(page, 2500)
    for (const [link, name] of ways) {
      // What stands above may settle by a pixel.
      const left = await place()
      const isLeft = (place: number) => Math.abs(place - left) <= 2
      await page.locator(link).first().evaluate(press)
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
      await expect.poll(place).toBe(0)
      // Where it stands when it is painted first: no glide leads there.
      await page.evaluate(() => {
        const seen: number[] = []
        const way = new Set<number>()
        addEventListener('scroll', () => way.add(scrollY))
        Object.assign(window, { seen, way })
        const look = () => {
          if (document.querySelector('#solucoes')) seen.push(Math.round(scrollY))
          if (seen.length < 5) requestAnimationFrame(look)
        }
        look()
      })
      await page.goBack()
      const seen = () => page.evaluate(() => (window as unknown as { seen: number[] }).seen)
      await expect.poll(async () => (await seen()).length).toBe(5)
      expect((await seen()).filter((place) => !isLeft(place))).toEqual([])
      // At most the end of what stood there meanwhile.
      expect(
        await page.evaluate(() => (window as unknown as { way: Set<number> }).way.size),
      ).toBeLessThanOrEqual(2)
      await expect(page.getByRole('heading', { name: 'Elite Nível 2' })).toBeVisible()
    }
  }
  await page.goForward()
  await expect(page.getByRole('heading', { level: 1, name: 'Crie sua conta' })).toBeVisible()
  await expect.poll(place).toBe(0)
})

test('cada entrada do histórico guarda o seu lugar, também depois de uma carga inteira, de recarregar e na área do usuário', async ({
  page,
}) => {
  const stands = (at: number, on: string) =>
    expect
      .poll(() => page.evaluate(() => [location.pathname, Math.round(scrollY / 3)]), on)
      .toEqual([on, Math.round(at / 3)])
  const follow = async (path: string, title: string) => {
    await page.locator(`header a[href="${path}"]`).first().evaluate(press)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
  }
  await joins(page)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/area-usuario')
    await expect(page.getByRole('heading', { name: 'Seus dados' })).toBeVisible()
    await leaveAt(page, 300)
    await follow('/planos', 'Planos para um grupo ou para cinquenta')
    await leaveAt(page, 600)
    await follow('/solucoes', 'A peneira trabalha, você recebe o ouro')
    await leaveAt(page, 900)
    await page.goto('/termos')
    await page.goBack()
    await stands(900, '/solucoes')
    await page.waitForFunction(() => !document.querySelector('#root[data-static]'))
    await page.goBack()
    await stands(600, '/planos')
    await page.goBack()
    await stands(300, '/area-usuario')
    await page.reload()
    await stands(300, '/area-usuario')
    await page.goForward()
    await stands(600, '/planos')
    await page.reload()
    await stands(600, '/planos')
  }
})

test('quem volta duas vezes antes de a página acordar vê a página do endereço', async ({ page }) => {
  await page.goto('/planos')
  await page.locator('header a[href="/solucoes"]').first().evaluate(press)
  await expect(
    page.getByRole('heading', { level: 1, name: 'A peneira trabalha, você recebe o ouro' }),
  ).toBeVisible()
  await page.goto('/termos')
  const release = await hold(page, '**/assets/site-*.js')
  await page.goBack()
  await page.evaluate(() => history.back())
  await expect(page).toHaveURL(/\/planos$/)
  await release()
  await expect(
    page.getByRole('heading', { level: 1, name: 'Planos para um grupo ou para cinquenta' }),
  ).toBeVisible()
})
