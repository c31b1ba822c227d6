import type { ManifestChunk } from 'vite'
import { type Inline, inline } from './inline.ts'
import type { Manifest } from './manifest.ts'

export interface InlineStyles extends Inline {
  /** The addresses of the stylesheets that they come from. */
  files: string[]
}

const filesOf = (chunks: ManifestChunk[]) => [...new Set(chunks.flatMap(({ css = [] }) => css))]

/**
 * The CSS of a page's HTML, inlined so that the first paint waits for no second request: that of the frame, of the
 * page, and of those parts on demand that are in the HTML.
 */
export function inlineStyles(manifest: Manifest, source: string, html: string): InlineStyles {
  const always = manifest.closure(source)
  const onDemand = always
    .flatMap(({ dynamicImports = [] }) => dynamicImports)
    .filter((part) => !part.includes('/pages/'))
    .flatMap((part) => manifest.closure(part))
  const read = (file: string) => manifest.read(file).trim()
  const first = filesOf(always)
  const shown = filesOf(onDemand).filter((file) => !first.includes(file) && isShown(read(file), html))
  const named = [...first, ...shown]
  const css = named.map(read).join('')
  if (/url\((?!["']?\/)/.test(css)) throw new Error('a url() in the CSS is not absolute')
  return { ...inline('style', css), files: named.map((file) => `/${file}`) }
}

/** Whether one of the classes of a stylesheet is in the HTML. */
function isShown(css: string, html: string): boolean {
  const used = new Set(
    [...html.matchAll(/\sclass="([^"]+)"/g)].flatMap(([, names]) => names?.split(' ') ?? []),
  )
  return [...css.matchAll(/\.([a-z][\w-]*)/g)].some(([, name]) => name && used.has(name))
}
