/** Completes Vite's index.html: with a prerendered page, or as the empty page that scripts fill. */
import type { Manifest } from './manifest.ts'
import type { InlineStyles } from './styles.ts'

const FONT = 'src/styles/figtree-pt.woff2'
const SCRIPTS =
  /\s*<(?:script type="module"|link rel="modulepreload")[^>]*(?:src|href)="([^"]+)"[^>]*>(?:<\/script>)?/g
const STYLESHEET = /\s*<link rel="stylesheet"[^>]*>/
const ICONS = /\s*(<link rel="(?:icon|apple-touch-icon|manifest)"[^>]*>)/g
const ROOT = '<div id="root"'
/** React puts these first when it renders no <html>. They belong in the head. */
const REACT_HEAD = /^(?:<title>.*?<\/title>|<meta [^>]*>|<link [^>]*>)+/s

/** A prerendered page. */
export interface Page {
  /** Names the page in errors. */
  name: string
  /** React's HTML. */
  html: string
  styles: InlineStyles
  /** The page's own scripts, after the frame's. */
  scripts: string[]
  /** Structured data for search engines; empty without. */
  jsonLd: string
  campaign: string | null
  /** Plain HTML outside of React's root: above it (empty without), and for when scripts are late. */
  notice: string
  late: string
}

/** The whole document of a prerendered page. `starter` is the file of scripts/starter.js. */
export function prerenderedDocument(
  template: string,
  manifest: Manifest,
  starter: string,
  page: Page,
): string {
  const [reactHead = ''] = REACT_HEAD.exec(page.html) ?? []
  const icons = allOf(template, ICONS).join('')
  // Vite names the entry last. The starter runs the first and preloads the others.
  const scripts = [...new Set([...allOf(template, SCRIPTS).reverse(), ...page.scripts])]
  // The starter adds the icons after the first paint, because each of them would delay it by a connection.
  const start = `<link rel="icon" href="data:,"><noscript id="icons">${icons}</noscript><script type="module" fetchpriority="low" src="/${starter}"></script>`
  const data = page.jsonLd && `<script type="application/ld+json">${page.jsonLd}</script>`
  const campaign = page.campaign ? ` data-campaign="${page.campaign}"` : ''
  // Outside of the root, where hydration does not meet it.
  const root = `${page.notice}${ROOT} data-scripts="${scripts.join(' ')}"${campaign}`
  const edits: [string | RegExp, string][] = [
    [SCRIPTS, ''],
    [ICONS, ''],
    [STYLESHEET, page.styles.tags],
    ['<!--head-->', fontPreload(manifest) + reactHead + start + data],
    [ROOT, root],
    ['<!--app-->', page.html.slice(reactHead.length)],
    ['</body>', `${page.late}</body>`],
  ]
  const document = edits.reduce((html, [found, by]) => replace(html, found, by), template)
  refuse(page.name, document, /<script(?![^>]*\b(?:src=|type="application\/ld\+json"))/, 'an inline script')
  refuse(page.name, document, /<[^>]+\sstyle="/, 'a style attribute')
  return document
}

/** The document that scripts fill. `late` is plain HTML for when they are late. */
export function shellDocument(template: string, manifest: Manifest, head: string, late: string): string {
  const edits: [string, string][] = [
    ['<!--head-->', head + fontPreload(manifest)],
    ['<!--app-->', ''],
    ['</body>', `${late}</body>`],
  ]
  return edits.reduce((html, [found, by]) => replace(html, found, by), template)
}

function fontPreload(manifest: Manifest): string {
  return `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${manifest.chunk(FONT).file}">`
}

/** The first group of each match, of which there must be one. */
function allOf(html: string, pattern: RegExp): string[] {
  const found = [...html.matchAll(pattern)].map(([, group = '']) => group)
  if (found.length === 0) throw new Error(`index.html has nothing like ${pattern}`)
  return found
}

function replace(html: string, found: string | RegExp, by: string): string {
  const replaced = html.replace(found, () => by)
  if (replaced === html) throw new Error(`index.html has nothing like ${found}`)
  return replaced
}

/** Ends the build for what the policy would block in silence. */
function refuse(page: string, html: string, pattern: RegExp, what: string): void {
  const found = pattern.exec(html)
  if (!found) return
  const around = html.slice(Math.max(0, found.index - 80), found.index + 160)
  throw new Error(`${page} has ${what}: ${around}`)
}
