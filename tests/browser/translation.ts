import type { Page } from '@playwright/test'

/**
 * Translates the open page as Chrome and Safari do: replaces each text node by two nested `font`
 * elements, and each text that the page writes later. Words stay, so that a test finds them.
 */
export async function translate(page: Page) {
  await page.evaluate(() => {
    const untranslated = 'font, script, style, noscript, svg, textarea, [translate=no]'
    const replace = (text: Text) => {
      if (!text.data.trim() || !text.parentElement || text.parentElement.closest(untranslated)) return
      const outer = document.createElement('font')
      outer.append(document.createElement('font'))
      outer.firstElementChild?.append(text.data)
      text.replaceWith(outer)
    }
    const replaceIn = (node: Node) => {
      const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
      const found: Text[] = node instanceof Text ? [node] : []
      while (texts.nextNode()) found.push(texts.currentNode as Text)
      found.forEach(replace)
    }
    replaceIn(document.body)
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes)
        for (const node of [target, ...addedNodes]) replaceIn(node)
    }).observe(document.body, { childList: true, characterData: true, subtree: true })
  })
}
