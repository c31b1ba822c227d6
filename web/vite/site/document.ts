/** Completes Vite's index.html: with a prerendered page, or as the empty page that scripts fill. */
import type { Route } from '../../src/routes/routes.ts'
import type { Inline } from './inline.ts'
import type { Manifest } from './manifest.ts'

const FONT = 'src/styles/figtree-pt.woff2'
const ENTRY = /<script type="module"[^>]* src="([^"]+)"/g
const SCRIPTS =
  /\s*<(?:script type="module"|link rel="modulepreload")[^>]*(?:src|href)="([^"]+)"[^>]*>(?:<\/script>)?/g
const STYLESHEETS = /\s*<link rel="stylesheet"[^>]*>/g
const ICONS = /\s*(<link rel="(?:icon|apple-touch-icon|manifest)"[^>]*>)/g
const ROOT = '<div id="root"'
/** React puts these first when it renders no <html>. They belong in the head. */
const REACT_HEAD = /^(?:<title>.*?<\/title>|<meta [^>]*>|<link [^>]*>)+/s

/** A prerendered page. */
export interface Page extends Pick<Route, 'builtFor'> {
  /** Names the page in errors. */
  name: string
  /** React's HTML. */
  html: string
  styles: Inline
  /** The script that loads the others (inline.ts). */
  starter: Inline
  /** Structured data for search engines; empty without. */
  jsonLd: string
  campaign: string | null
  /**
   * Plain HTML outside of React's root: above it (empty without), and for when scripts are late.
   */
  notice: string
  late: string
}

/** The scripts of a page: the entry first, then what it and the page import. */
export function scriptsOf(template: string, imported: string[]): string[] {
  return [...new Set([...allOf(template, ENTRY), ...imported])]
}

/** The whole document of a prerendered page. */
export function prerenderedDocument(template: string, manifest: Manifest, page: Page): string {
  const [reactHead = ''] = REACT_HEAD.exec(page.html) ?? []
  const icons = allOf(template, ICONS).join('')
  // src/site/entry.tsx adds the icons after the first paint, because each would delay it by a
  // connection.
  const start = `<link rel="icon" href="data:,"><noscript id="icons">${icons}</noscript>`
  const data = page.jsonLd && `<script type="application/ld+json">${page.jsonLd}</script>`
  const campaign = page.campaign ? ` data-campaign="${page.campaign}"` : ''
  // Outside of the root, where hydration does not meet it.
  const isFrame = page.builtFor !== 'all'
  const mark = isFrame ? `="${page.builtFor}"` : ''
  const root = `${page.notice}${isFrame ? page.starter.tag : ''}${ROOT} data-static${mark}${campaign}`
  const edits: [string | RegExp, string][] = [
    [SCRIPTS, ''],
    [ICONS, ''],
    [STYLESHEETS, ''],
    ['</head>', `${page.styles.tag}</head>`],
    ['<!--head-->', fontPreload(manifest) + reactHead + start + (isFrame ? '' : page.starter.tag) + data],
    [ROOT, root],
    ['<!--app-->', shortTags(page.html.slice(reactHead.length))],
    ['</body>', `${page.late}</body>`],
  ]
  const document = edits.reduce((html, [found, by]) => replace(html, found, by), template)
  const others = replace(document, page.starter.tag, '')
  refuse(page.name, others, /<script(?![^>]*\b(?:src=|type="application\/ld\+json"))/, 'an inline script')
  refuse(page.name, document, /<[^>]+\sstyle="/, 'a style attribute')
  return document
}

/**
 * The document that scripts fill. `hints` load the screen's scripts and styles, `late` is plain
 * HTML for when they are late.
 */
export function shellDocument(
  template: string,
  manifest: Manifest,
  { head, hints, late }: { head: string; hints: string; late: string },
): string {
  const edits: [string, string][] = [
    ['<!--head-->', head + fontPreload(manifest)],
    ['<!--app-->', ''],
    // After the styles of elements.
    ['</head>', `${hints}</head>`],
    ['</body>', `${late}</body>`],
  ]
  return edits.reduce((html, [found, by]) => replace(html, found, by), template)
}

/**
 * Elements of SVG without content may close themselves, which React does not write: 60 bytes of a
 * page, packed.
 */
const shortTags = (html: string) => html.replaceAll(/><\/(?:path|circle|rect|ellipse)>/g, '/>')

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
