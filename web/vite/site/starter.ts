import { readFileSync } from 'node:fs'
import { minifySync } from 'vite'
import { type Inline, inline } from './inline.ts'

const SOURCE = 'scripts/starter.js'
const OLD_BROWSER = 'public/old-browser.js'

/**
 * A page's only inline script. It is in the page because a file would delay the other scripts by
 * a round trip. `scripts` are the addresses of the page's scripts, `styles` those of the
 * stylesheets that it contains.
 */
export function starter(scripts: string[], styles: string[]): Inline {
  const source = put(put(readFileSync(SOURCE, 'utf8'), 'SCRIPTS', scripts), 'STYLES', styles)
  return inlineScript(readFileSync(OLD_BROWSER, 'utf8') + source)
}

/**
 * The inline script of an empty page: it shows only whether the browser is too old. A browser
 * without modules loads the file itself.
 */
export const oldBrowserTest = () => inlineScript(readFileSync(OLD_BROWSER, 'utf8'))

function inlineScript(source: string): Inline {
  const { code, errors } = minifySync('starter.js', source, { module: true, compress: { target: 'es2018' } })
  if (errors[0]) throw new Error(errors[0].message)
  return inline('script type="module"', code)
}

function put(code: string, name: string, files: string[]): string {
  const filled = code.replace(`['${name}']`, () => JSON.stringify(files))
  if (filled === code) throw new Error(`${SOURCE} has no ${name}`)
  return filled
}
