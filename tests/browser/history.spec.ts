/** Back and forward: the page and its scroll position. */
import type { Page } from '@playwright/test'
import { hold } from './calls'
import { createAccount, expect, test } from './product'

/** Scrolls and waits for the frame after the scroll event. */
const scrollAndWait = (page: Page, place: number) =>
  page.evaluate(
    (top) =>
      new Promise((resolve) => {
        addEventListener('scroll', () => requestAnimationFrame(resolve), { once: true })
        scrollTo({ top, behavior: 'instant' })
      }),
    place,
  )
/** Clicks without scrolling to the link. */
const clickLink = (link: HTMLElement) => link.click()

test('going back restores the scroll position, the first and the second time, and the selected level', async ({
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
    await scrollAndWait(page, 2500)
    for (const [link, name] of ways) {
      // The layout above may shift by a pixel.
      const left = await place()
      const isLeft = (place: number) => Math.abs(place - left) <= 2
      await page.locator(link).first().evaluate(clickLink)
      await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
      await expect.poll(place).toBe(0)
      await page.goBack()
      await expect.poll(async () => isLeft(await place())).toBe(true)
      await expect(page.getByRole('heading', { name: 'Elite Nível 2' })).toBeVisible()
    }
  }
  await page.goForward()
  await expect(page.getByRole('heading', { level: 1, name: 'Crie sua conta' })).toBeVisible()
  await expect.poll(place).toBe(0)
})

test('each history entry keeps its scroll position, also after full loads, reloads and in the account', async ({
  page,
}) => {
  const stands = (at: number, on: string) =>
    expect
      .poll(() => page.evaluate(() => [location.pathname, Math.round(scrollY / 3)]), on)
      .toEqual([on, Math.round(at / 3)])
  const follow = async (path: string, title: string) => {
    await page.locator(`header a[href="${path}"]`).first().evaluate(clickLink)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
  }
  await createAccount(page)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto('/area-usuario')
    await expect(page.getByRole('heading', { name: 'Seus dados' })).toBeVisible()
    await scrollAndWait(page, 300)
    await follow('/planos', 'Planos para um grupo ou para cinquenta')
    await scrollAndWait(page, 600)
    await follow('/solucoes', 'A peneira trabalha, você recebe o ouro')
    await scrollAndWait(page, 900)
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

test('going back twice before hydration shows the page of the address', async ({ page }) => {
  await page.goto('/planos')
  await page.locator('header a[href="/solucoes"]').first().evaluate(clickLink)
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
