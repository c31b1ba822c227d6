import AxeBuilder from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { expect } from './product'

/** No violation of WCAG 2.2 AA or of axe's good practices in what the page shows now; the provider's frame is not ours. */
export async function isAccessible(page: Page, within = 'html') {
  // What is on its way is no state, nor is what a smooth scroll just passes under the header; what turns for ever is.
  await page.evaluate(async () => {
    scrollTo({ top: 0, behavior: 'instant' })
    // A toast may come while axe looks: it stands at once then.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('[popover] > * { animation: none !important }')
    document.adoptedStyleSheets.push(sheet)
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
    await Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)))
  })
  const { violations } = await new AxeBuilder({ page })
    // In the page itself: the other way opens a second one for each look, for frames that are left out here anyway.
    .setLegacyMode()
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .include(within)
    .exclude('iframe')
    .analyze()
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
  ).toEqual([])
}

/** Where an element stands in the window. Fails if it is not shown, because a place of 0 would suit most comparisons. */
export async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${element} is not shown`)
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

/** Nothing makes the page scroll sideways. */
export async function fits(page: Page, width: number) {
  await page.setViewportSize({ width, height: 844 })
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth), `at ${width} px`)
    .toBeLessThanOrEqual(width)
}

/** At the phone's, the tablet's and the desktop's widths: nothing scrolls sideways, and the page begins below the header. */
export async function fitsEveryWidth(page: Page) {
  for (const width of [320, 768, 1280, 390]) {
    await fits(page, width)
    // Not every page has a header.
    const [bar, top] = await page.evaluate(() => {
      scrollTo({ top: 0, behavior: 'instant' })
      const bottom = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
      return [bottom, document.querySelector('h1')?.getBoundingClientRect().top ?? Number.NaN]
    })
    expect(top, `title below the header at ${width} px`).toBeGreaterThanOrEqual(bar)
  }
}
