import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type ManifestChunk, minifySync } from 'vite'
import type { Manifest } from './manifest.ts'

/** An element that a page contains inline, and the hash by which the page's policy allows it. */
export interface Inline {
  tag: string
  /** `sha256-…` */
  hash: string
}

/** `content` is what stands between the tags, to the byte. */
export function inline(element: 'style' | 'script' | 'script type="module"', content: string): Inline {
  const [name] = element.split(' ')
  if (content.includes(`</${name}`)) throw new Error(`an inline ${name} contains its own end`)
  const hash = `sha256-${createHash('sha256').update(content).digest('base64')}`
  return { tag: `<${element}>${content}</${name}>`, hash }
}

const SOURCE = 'scripts/starter.js'
const FRAME = 'scripts/frame.js'
const OLD_BROWSER = 'public/old-browser.js'

/**
 * A page's only inline script. It is in the page because a file would delay the other scripts by
 * a round trip. `scripts` are the addresses of the page's scripts, `styles` those of the
 * stylesheets that it contains.
 */
export function starter(scripts: string[], styles: string[]): Inline {
  return inlineScript(readFileSync(OLD_BROWSER, 'utf8') + starterSource(scripts, styles))
}

/**
 * The same for a frame of the app. It runs before the frame is painted, as a classic script, and in
 * a block because such a script shares its names with all others.
 */
export function frameStarter(scripts: string[], styles: string[]): Inline {
  const parts = [OLD_BROWSER, FRAME].map((file) => readFileSync(file, 'utf8'))
  const code = minified(`{${parts.join('')}${starterSource(scripts, styles)}}`)
  return inline('script', code)
}

function starterSource(scripts: string[], styles: string[]): string {
  return put(put(readFileSync(SOURCE, 'utf8'), 'SCRIPTS', scripts), 'STYLES', styles)
}

/**
 * The inline script of an empty page: it shows only whether the browser is too old. A browser
 * without modules loads the file itself.
 */
export const oldBrowserTest = () => inlineScript(readFileSync(OLD_BROWSER, 'utf8'))

function inlineScript(source: string): Inline {
  return inline('script type="module"', minified(source))
}

function minified(source: string): string {
  const { code, errors } = minifySync('starter.js', source, { module: true, compress: { target: 'es2018' } })
  if (errors[0]) throw new Error(errors[0].message)
  return code
}

function put(code: string, name: string, files: string[]): string {
  const filled = code.replace(`['${name}']`, () => JSON.stringify(files))
  if (filled === code) throw new Error(`${SOURCE} has no ${name}`)
  return filled
}

interface InlineStyles extends Inline {
  /** The addresses of the stylesheets that they come from. */
  files: string[]
}

/** The CSS of a page's scripts, inlined so that the first paint waits for no second request. */
export function inlineStyles(manifest: Manifest, chunks: ManifestChunk[]): InlineStyles {
  const files = [...new Set(chunks.flatMap(({ css = [] }) => css))]
  const css = files.map((file) => manifest.read(file).trim()).join('')
  if (/url\((?!["']?\/)/.test(css)) throw new Error('a url() in the CSS is not absolute')
  return { ...inline('style', css), files: files.map((file) => `/${file}`) }
}
