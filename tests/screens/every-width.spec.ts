/** Pages at every width from a small phone to a large desktop. */
import type { Page } from '@playwright/test'
import { expect, test } from './screen-test'
import { siteResponse } from './site'

const WIDTHS = Array.from({ length: 41 }, (_, at) => 320 + 40 * at)

const pages = [
  { path: '/' },
  { path: '/', campaign: '/index.black-november.html' },
  { path: '/planos' },
  { path: '/planos', campaign: '/planos.black-november.html' },
  { path: '/planos-promo?promo=blackfriday' },
  { path: '/promo-landing' },
  { path: '/solucoes' },
  { path: '/sobre' },
  { path: '/bio' },
  { path: '/cadastro' },
  { path: '/login' },
]

for (const { path, campaign } of pages) {
  const name = campaign ? `${path} in Black November` : path
  test(`${name} cuts no text and breaks no price or unit at any width from 320 to 1920 px`, async ({
    page,
    backend,
  }) => {
    if (campaign) {
      const settings = await (await fetch(`${backend.url}/config.json`)).json()
      backend.onPath('/config.json', () => Response.json({ ...settings, blackNovember: true }))
      backend.onPath(path, () => siteResponse(campaign))
    }
    // In a frame, because a window is painted at each of its sizes.
    await page.goto('/robots.txt')
    await page.evaluate((path) => {
      document.body.innerHTML = `<iframe src="${path}" width="1280" height="900">`
    }, path)
    const frame = page.frameLocator('iframe')
    await expect(frame.locator('h1')).toHaveCount(1)
    await expect(frame.locator('#root[data-static], [aria-busy]')).toHaveCount(0)
    await frame.locator('body').evaluate((body) => {
      for (const details of body.querySelectorAll('details')) {
        details.removeAttribute('name')
        details.open = true
      }
    })

    expect(await findFaults(page)).toEqual([])
  })
}

/**
 * Texts that leave their box sideways, and amounts that stand on two lines, each with the widths.
 */
const findFaults = (page: Page) =>
  page.evaluate((widths) => {
    const AMOUNT = /R\$\s?\d[\d.]*(,\d\d)?(\s?\/mês)?|\d+º\s?mês|[-\d][\d.,]*\s?(%|L\b|ml\b|W\b|h\b|min\b)/g
    const frame = document.querySelector('iframe') as HTMLIFrameElement
    const { body } = frame.contentDocument as Document
    const found = new Map<string, number[]>()
    for (const width of widths) {
      frame.width = `${width}`
      for (const fault of new Set(faultsOfWidth())) found.set(fault, [...(found.get(fault) ?? []), width])
    }
    return [...found].map(([fault, at]) => `${fault} at ${at.join(', ')} px`)

    function faultsOfWidth(): string[] {
      const faults: string[] = []
      const boxes = new Map<Element, ReturnType<typeof measure>>()
      const boxOf = (element: Element) => {
        const box = boxes.get(element) ?? measure(element)
        boxes.set(element, box)
        return box
      }
      /** The texts that stand on the lines of a block, each with the place of its first letter. */
      const blocks = new Map<Element, { text: string; parts: { node: Text; from: number }[] }>()
      const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        const node = texts.currentNode as Text
        const parent = node.parentElement
        if (!parent || !node.data.trim() || parent.closest('svg, script, style, noscript')) continue
        if (!parent.checkVisibility({ visibilityProperty: true })) continue
        const rects = rectsOf(node, 0, node.length)
        for (let element = parent; element !== body; element = element.parentElement ?? body) {
          const { left, right, isBlock, isFree, isLast } = boxOf(element)
          if (isFree) break
          if (isBlock && rects.some((rect) => rect.left < left - 1 || rect.right > right + 1)) {
            faults.push(`"${node.data.slice(0, 60)}" leaves ${element.tagName} ${element.className}`)
            break
          }
          if (isLast) break
        }
        let block = parent
        while (boxOf(block).isInline) block = block.parentElement ?? body
        const { text, parts } = blocks.get(block) ?? { text: '', parts: [] }
        blocks.set(block, { text: text + node.data, parts: [...parts, { node, from: text.length }] })
      }
      for (const { text, parts } of blocks.values())
        for (const { 0: amount, index } of text.matchAll(AMOUNT)) {
          const end = index + amount.length
          const rects = parts
            .filter(({ node, from }) => from < end && from + node.length > index)
            .flatMap(({ node, from }) =>
              rectsOf(node, Math.max(0, index - from), Math.min(node.length, end - from)),
            )
          // Parts of an amount may hang at another height, but each begins to the right of the last
          // one.
          if (rects.some(({ left }, at) => left <= (rects[at - 1]?.left ?? -1)))
            faults.push(`"${amount}" is broken in "${text.slice(0, 80)}"`)
        }
      return faults
    }

    function rectsOf(node: Text, start: number, end: number): DOMRect[] {
      const range = document.createRange()
      range.setStart(node, start)
      range.setEnd(node, end)
      return [...range.getClientRects()].filter(({ width }) => width > 0)
    }

    function measure(element: Element) {
      const { display, overflowX, rotate, clipPath, position } = getComputedStyle(element)
      const { left, right } = element.getBoundingClientRect()
      return {
        left,
        right,
        isInline: display === 'inline',
        isBlock: !display.startsWith('inline') && display !== 'contents',
        /** Scrolls, is turned, or is hidden to the eye. */
        isFree: /auto|scroll/.test(overflowX) || clipPath !== 'none' || rotate !== 'none',
        /** May stand beside the boxes around it. */
        isLast: position === 'absolute' || position === 'fixed',
      }
    }
  }, WIDTHS)
