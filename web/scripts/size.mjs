/**
 * What a first visit to each page costs, brotli. A prerendered page names its files. Of a page that scripts render, its
 * scripts count, those included that it calls by itself. No prerendered page may name a script of the account, of a
 * purchase or of the calls, or contain a letter for which the font of other languages would come.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** Bytes of a first visit of a prerendered page. */
const TOTAL = 101_500
/** Bytes of scripts, by page. */
const SCRIPTS = {
  index: 69_500,
  account: 114_300,
  checkout: 105_800,
  upsell: 107_700,
  login: 92_300,
  'sign-up': 94_400,
}
/** Bytes of the script of every page apart from React's: ours, and the hooks of the address. */
const FRAME = 12_900
const ON_DEMAND = /^assets\/(?:account|auth|checkout|forms|login|payment|rpc|sign-up|upsell)-/
/** What a page of an account calls as soon as it runs: its page aside, the calls, and what goes along with every page. */
const CALLED = ['rpc', 'visit', 'toast']

/**
 * The first window of a connection is 10 segments of 1460 bytes, of which the response's headers
 * take 1,000 bytes over https. A page that is larger takes one more round trip, 150 ms of Lighthouse's slow
 * network. The start page still does.
 * @param {string} page
 */
const htmlBudget = (page) => (/^index\b/.test(page) ? 14_500 : 10 * 1460 - 1000)
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

/** @type {import('../vite/site/route-table.ts').RouteTable} */
const { routes, notFound } = JSON.parse(readFileSync('dist/routes.json', 'utf8'))
const pages = new Set(
  routes.flatMap(({ kind, file, campaignFile }) =>
    kind === 'prerendered' ? (campaignFile ? [file, campaignFile] : [file]) : [],
  ),
)
for (const page of [...pages, notFound.file]) {
  const html = text(page)
  // Scripts in the starter, the font in the head. Stylesheets in the starter are never fetched.
  const named = [...new Set([...html.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, file = '']) => file))]
  /** @param {string} ending */
  const of = (ending) => sum(named.filter((file) => file.endsWith(ending)))
  const parts = { html: weight(page), js: of('.js'), font: of('.woff2') }
  const total = Object.values(parts).reduce((all, part) => all + part)
  const sizes = Object.entries({ ...parts, total })
    .map(([name, bytes]) => `${name} ${kb(bytes)}`)
    .join('  ')
  console.log(`${page}: ${sizes} KB`)
  if (total > TOTAL) complain(`${page} is over ${kb(TOTAL)} KB`)
  if (parts.html > htmlBudget(page)) complain(`${page}: HTML over ${kb(htmlBudget(page))} KB`)
  if (/^index\b/.test(page) && parts.js > SCRIPTS.index)
    complain(`${page}: scripts over ${kb(SCRIPTS.index)} KB`)
  const early = named.filter((file) => ON_DEMAND.test(file))
  if (early.length > 0) complain(`${page} calls ${early.join(', ')}`)
  const shown = html.replaceAll(/<(style|script)\b.*?<\/\1>|<[^>]+>/gs, '')
  const foreign = [...new Set(shown)].filter((letter) => !isOurs(letter.codePointAt(0) ?? 0))
  if (foreign.length > 0) complain(`${page} has letters that its font lacks: ${foreign.join(' ')}`)
}

const assets = readdirSync('dist/assets').flatMap((file) =>
  file.endsWith('.js.br') ? [file.slice(0, -3)] : [],
)

/**
 * The file of a chunk.
 * @param {string} name
 */
function chunk(name) {
  const found = assets.filter((file) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file))
  if (found.length !== 1) throw new Error(`${found.length} chunks are named ${name}`)
  return `assets/${found[0]}`
}

/**
 * A file and every file that it imports before it runs.
 * @param {string} file
 * @param {Set<string>} seen
 */
function closure(file, seen = new Set()) {
  if (seen.has(file)) return seen
  seen.add(file)
  const code = text(file)
  for (const [, imported] of code.matchAll(/\b(?:import|from)\s*"\.\/([\w.-]+\.js)"/g))
    closure(`assets/${imported}`, seen)
  return seen
}

const entry = /<script type="module"[^>]* src="\/([^"]+)"/.exec(text('app.html'))?.[1]
if (!entry) throw new Error('app.html has no script')
for (const page of /** @type {const} */ (['account', 'checkout', 'upsell', 'login', 'sign-up'])) {
  const scripts = new Set([entry, chunk(page), ...CALLED.map(chunk)].flatMap((file) => [...closure(file)]))
  const bytes = sum(scripts)
  console.log(`${page}: js ${kb(bytes)} KB`)
  if (bytes > SCRIPTS[page]) complain(`${page}: scripts over ${kb(SCRIPTS[page])} KB`)
}

const frame = sum([chunk('site')])
console.log(`the frame of every page without React: js ${kb(frame)} KB`)
if (frame > FRAME) complain(`the frame of every page is over ${kb(FRAME)} KB without React`)
