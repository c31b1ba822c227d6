import type { Locator, Page } from '@playwright/test'
import axe from 'axe-core'
import { expect } from './product'

/**
 * Expects no violation of WCAG 2.2 AA or of the best practices of axe. The provider's frame is left
 * out.
 */
export async function expectAccessible(page: Page, within = 'html') {
  // Wait for scrolls and animations to end. Endless animations are left out.
  await page.evaluate(async () => {
    scrollTo({ top: 0, behavior: 'instant' })
    // A toast that appears during the check must not be animated.
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('[popover] > * { animation: none !important }')
    document.adoptedStyleSheets.push(sheet)
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
    await Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)))
  })
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const violations = await page.evaluate(async (within) => {
    const { violations } = await axe.run(
      { include: [[within]], exclude: [['iframe']] },
      {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        // The other results are thousands of elements, which take longer to return than to check.
        resultTypes: ['violations'],
        iframes: false,
      },
    )
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    )
  }, within)
  expect(violations).toEqual([])
}

/**
 * The position of an element in the window. Fails if it is hidden, because a position of 0 would
 * satisfy most comparisons.
 */
export async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${element} is not shown`)
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

/** Expects no sideways scrolling at this width. */
export async function expectFits(page: Page, width: number) {
  await page.setViewportSize({ width, height: 844 })
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth), `at ${width} px`)
    .toBeLessThanOrEqual(width)
}

/**
 * Expects, at the widths of phone, tablet and desktop, no sideways scrolling and a title below the
 * header.
 */
export async function expectFitsEveryWidth(page: Page) {
  const before = page.viewportSize()
  for (const width of [320, 768, 1280, 390]) {
    await expectFits(page, width)
    // Not every page has a header.
    const [bar, top] = await page.evaluate(() => {
      scrollTo({ top: 0, behavior: 'instant' })
      const bottom = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
      return [bottom, document.querySelector('h1')?.getBoundingClientRect().top ?? Number.NaN]
    })
    expect(top, `title below the header at ${width} px`).toBeGreaterThanOrEqual(bar)
  }
  if (before) await page.setViewportSize(before)
}

/** Visible buttons, links and fields whose centre another element covers. */
export const coveredControls = (page: Page) =>
  page.locator('main').evaluate((main) =>
    [...main.querySelectorAll('a, button, input')].flatMap((control) => {
      const { x, y, width, height } = control.getBoundingClientRect()
      const at = document.elementFromPoint(x + width / 2, y + height / 2)
      // A control without a box is not drawn, and one without pointer events has a label for them.
      const isPressed = width > 0 && getComputedStyle(control).pointerEvents !== 'none'
      return !isPressed || !at || at === control || control.contains(at) || at.contains(control)
        ? []
        : [control.textContent || control.getAttribute('name')]
    }),
  )
