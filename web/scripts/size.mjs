/**
 * What a first visit to each prerendered page costs, brotli: the files that it names. It may name
 * no script of the account, of a purchase or of the calls, and contain no letter for which the font
 * of other languages would come. The gallery is in no build.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { files } from './files.mjs'

/** Bytes of a first visit of a prerendered page, pictures apart. */
const TOTAL = 150_000
const ON_DEMAND = /^assets\/(?:account|auth|checkout|forms|login|payment|rpc|sign-up|upsell)-/
/** @param {string} file */
const weight = (file) => {
  const path = join('dist', file)
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size
}
/**
 * Text is stored as brotli alone.
 * @param {string} file
 */
const text = (file) => brotliDecompressSync(readFileSync(join('dist', `${file}.br`))).toString()
/** @param {Iterable<string>} named */
const sum = (named) => [...named].reduce((all, file) => all + weight(file), 0)
/** @param {number} bytes */
const kb = (bytes) => (bytes / 1000).toFixed(1)

/**
 * Ends with an error, but shows the other pages first.
 * @param {string} problem
 */
function complain(problem) {
  console.error(problem)
  process.exitCode = 1
}

const [letters = ''] = /(?<=letters=")[^"]+/.exec(readFileSync('scripts/font.sh', 'utf8')) ?? []
const LETTERS = letters
  .split(',')
  .map((part) => (part.match(/[\dA-F]+/g) ?? []).map((digits) => Number.parseInt(digits, 16)))
/** @param {number} code */
const isOurs = (code) => LETTERS.some(([first = 0, last = first]) => code >= first && code <= last)

for (const file of files('dist').filter((file) => basename(file).startsWith('gallery')))
  complain(`${file}: the gallery is for development alone`)

/** @type {import('../vite/site/route-table.ts').RouteTable} */
const { routes, notFound } = JSON.parse(readFileSync('dist/routes.json', 'utf8'))
const pages = new Set(
  routes.flatMap(({ area, file, campaignFile }) =>
    area === 'site' ? (campaignFile ? [file, campaignFile] : [file]) : [],
  ),
)
for (const page of [...pages, notFound.file]) {
  const html = text(page)
  // Scripts in the starter, the font in the head. Stylesheets in the starter are never fetched.
  const addresses = [...html.matchAll(/["'`]\/(assets\/[^"'`]+)/g)].map(([, file = '']) => file)
  const named = [...new Set(addresses)]
  /** @param {string} ending */
  const of = (ending) => sum(named.filter((file) => file.endsWith(ending)))
  const parts = { html: weight(page), js: of('.js'), font: of('.woff2') }
  const total = Object.values(parts).reduce((all, part) => all + part)
  const sizes = Object.entries({ ...parts, total })
    .map(([name, bytes]) => `${name} ${kb(bytes)}`)
    .join('  ')
  console.log(`${page}: ${sizes} KB`)
  if (total > TOTAL) complain(`${page} is over ${kb(TOTAL)} KB`)
  const early = named.filter((file) => ON_DEMAND.test(file))
  if (early.length > 0) complain(`${page} calls ${early.join(', ')}`)
  const shown = html.replaceAll(/<(style|script)\b.*?<\/\1>|<[^>]+>/gs, '')
  const foreign = [...new Set(shown)].filter((letter) => !isOurs(letter.codePointAt(0) ?? 0))
  if (foreign.length > 0) complain(`${page} has letters that its font lacks: ${foreign.join(' ')}`)
}
