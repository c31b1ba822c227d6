/**
 * What a first visit to each prerendered page costs, brotli. The budgets are those of `/`; the
 * total holds for every page. Nor does any of them name a script of the account, of a purchase or of the calls, or
 * have a letter for which the font of other languages would come.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotli } from './files.mjs'

const BUDGET = { total: 120_000, js: 80_000 }
const ON_DEMAND = /^assets\/(?:account|checkout|clients|forms|login|payment|plan_pb|sign-up|upsell)\b/
const weight = (file) => {
  const path = join('dist', file)
  if (existsSync(`${path}.br`)) return statSync(`${path}.br`).size
  return file.endsWith('.html') ? brotli(readFileSync(path)).length : statSync(path).size
}

const [letters] = /(?<=letters=")[^"]+/.exec(readFileSync('scripts/font.sh', 'utf8'))
const LETTERS = letters
  .split(',')
  .map((part) => part.match(/[\dA-F]+/g).map((digits) => Number.parseInt(digits, 16)))
const isOurs = (code) => LETTERS.some(([first, last = first]) => code >= first && code <= last)

const { routes, notFound } = JSON.parse(readFileSync('dist/routes.json', 'utf8'))
const pages = new Set(
  routes.flatMap(({ kind, file, campaignFile }) => (kind === 'prerendered' ? [file, campaignFile] : [])),
)
for (const page of [...pages, notFound.file].filter(Boolean)) {
  const html = readFileSync(join('dist', page), 'utf8')
  // What is disabled is never fetched.
  const fetched = html.replaceAll(/<link [^>]*disabled>/g, '')
  const attributes = [...fetched.matchAll(/(?:src|href|data-scripts)="(\/assets\/[^"]+)"/g)]
  const named = [...new Set(attributes.flatMap(([, files]) => files.split(' ')).map((file) => file.slice(1)))]
  const sum = (pattern) =>
    named.filter((file) => pattern.test(file)).reduce((all, file) => all + weight(file), 0)
  const parts = { html: weight(page), js: sum(/\.js$/), font: sum(/\.woff2$/), css: sum(/\.css$/) }
  const total = Object.values(parts).reduce((all, part) => all + part)
  const over = total > BUDGET.total || (/^index\b/.test(page) && parts.js > BUDGET.js)
  const sizes = Object.entries({ ...parts, total })
    .map(([name, bytes]) => `${name} ${(bytes / 1000).toFixed(1)}`)
    .join('  ')
  console.log(`${over ? 'OVER ' : ''}${page}: ${sizes} KB`)
  const early = named.filter((file) => ON_DEMAND.test(file))
  if (early.length > 0) console.error(`${page} calls ${early.join(', ')}`)
  const text = html.replaceAll(/<(style|script)\b.*?<\/\1>|<[^>]+>/gs, '')
  const foreign = [...new Set(text)].filter((letter) => !isOurs(letter.codePointAt(0)))
  if (foreign.length > 0) console.error(`${page} has letters that its font lacks: ${foreign.join(' ')}`)
  if (over || early.length > 0 || foreign.length > 0) process.exitCode = 1
}
