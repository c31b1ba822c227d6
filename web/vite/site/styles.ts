import type { ManifestChunk } from 'vite'
import { type Inline, inline } from './inline.ts'
import type { Manifest } from './manifest.ts'

export interface InlineStyles extends Inline {
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
