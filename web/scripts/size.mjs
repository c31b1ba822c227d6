/**
 * Prints what a first visit to each page loads without a touch, brotli, pictures apart. A page of
 * the site may have 150 KB, and no letter for which the font of other languages would come. The
 * gallery is in no build. README.md has these figures: `--write` renews them, and without it a
 * figure that is off by more than 2 KB is an error.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { files } from './files.mjs'

/** Bytes of a first visit of a page of the site. */
const TOTAL = 150_000
/** Bytes by which a figure of README.md may be off. */
const STALE = 2000
const README = '../README.md'
const TABLE = /(?<=<!-- size: [^\n]* -->\n).*?(?=<!-- \/size -->)/s
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

/** The files that a page names and loads. Stylesheets in a starter are never fetched. */
const NAMED = /["'`,]\/(assets\/[\w.-]+\.(?:js|woff2))(?=["'`,])|<link rel="stylesheet"[^>]*href="\/([^"]+)"/g
/**
 * A script and the scripts that it imports.
 * @param {string} file
 * @returns {string[]}
 */
const withImports = (file) => [
  file,
  ...[...text(file).matchAll(/from"\.\/([^"]+)"/g)].flatMap(([, name]) => withImports(`assets/${name}`)),
]
const scripts = files('dist/assets').map((path) => basename(path, '.br'))
/** src/frame/visit.tsx loads after the first paint of a page of the site. */
const visit = scripts
  .filter((name) => /^visit-.*\.js$/.test(name))
  .flatMap((name) => withImports(`assets/${name}`))
/** @type {string[]} */
const signUp = JSON.parse(text('sign-up-files.json'))

/** @type {import('../vite/site/route-table.ts').RouteTable} */
const { routes, notFound } = JSON.parse(readFileSync('dist/routes.json', 'utf8'))
const pages = new Map(
  routes.flatMap(({ area, canonical, file, campaignFile }) =>
    [file, campaignFile].flatMap((one) =>
      one ? [[one, { area, path: one === file ? canonical : null }]] : [],
    ),
  ),
)
pages.set(notFound.file, { area: 'site', path: null })
/** @type {{ path: string, total: number, ahead: number }[]} */
const shown = []
for (const [page, { area, path }] of pages) {
  const html = text(page)
  const named = [...html.matchAll(NAMED)].map(([, asset, stylesheet]) => asset ?? stylesheet ?? '')
  const loaded = new Set([...named, ...(area === 'site' ? visit : [])])
  /** @param {string} ending */
  const of = (ending) => sum([...loaded].filter((file) => file.endsWith(ending)))
  const parts = { html: weight(page), js: of('.js'), css: of('.css'), font: of('.woff2') }
  const total = Object.values(parts).reduce((all, part) => all + part)
  const sizes = Object.entries({ ...parts, total })
    .map(([name, bytes]) => `${name} ${kb(bytes)}`)
    .join('  ')
  console.log(`${page}: ${sizes} KB`)
  if (area === 'app') continue
  // A page with plan cards loads the scripts of /cadastro once the cards are in view
  // (features/plans/choice/use-sign-up-ahead.ts).
  const hasPlans = html.includes('id="planos"')
  const ahead = hasPlans ? sum(signUp.map((file) => file.slice(1)).filter((file) => !loaded.has(file))) : 0
  if (hasPlans) console.log(`  ahead: ${kb(ahead)} KB`)
  if (path) shown.push({ path, total, ahead })
  if (total > TOTAL) complain(`${page} is over ${kb(TOTAL)} KB`)
  const letters = html.replaceAll(/<(style|script)\b.*?<\/\1>|<[^>]+>/gs, '')
  const foreign = [...new Set(letters)].filter((letter) => !isOurs(letter.codePointAt(0) ?? 0))
  if (foreign.length > 0) complain(`${page} has letters that its font lacks: ${foreign.join(' ')}`)
}

const readme = readFileSync(README, 'utf8')
const rows = shown.map(
  ({ path, total, ahead }) => `| \`${path}\` | ${kb(total)} | ${ahead ? kb(ahead) : ''} |\n`,
)
if (process.argv.includes('--write')) {
  const table = `| Page | First visit, KB | Ahead, KB |\n|---|--:|--:|\n${rows.join('')}`
  writeFileSync(
    README,
    readme.replace(TABLE, () => table),
  )
} else {
  const [written = ''] = TABLE.exec(readme) ?? []
  for (const { path, total, ahead } of shown) {
    const [, ...figures] =
      new RegExp(`^\\| \`${path}\` \\| ([\\d.]+) \\| ([\\d.]*) \\|$`, 'm').exec(written) ?? []
    const isStale = [total, ahead].some(
      (bytes, at) => !(Math.abs(Number(figures[at]) * 1000 - bytes) <= STALE),
    )
    if (isStale) complain(`README.md is stale at ${path}: npm run size -- --write`)
  }
}
