/**
 * `make lighthouse`: measures all marketing pages with Lighthouse (mobile preset, median of five
 * runs), an empty page of a bare server as the machine's own share, how long a tap on a
 * link takes to the next page's heading, and how long the account takes to open. Writes
 * docs/lighthouse.md. GARIMPO_BINARY names another binary, RUNS another number of runs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
import { measureWaits } from './waits.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const binary = process.env.GARIMPO_BINARY ?? join(root, 'target/dist/garimpo')
const RUNS = Number(process.env.RUNS ?? 5)
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo']
/** Goals beside 100 in every category: seconds, shift, milliseconds. */
const GOAL = { lcp: 1.0, cls: 0, tbt: 0 }

const product = await start()
const chrome = await launch({
  chromePath: process.env.CHROMIUM,
  chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu'],
})
const empty = await emptyPage()
/**
 * A line of the table.
 * @typedef {Awaited<ReturnType<typeof measure>> & { path: string }} Row
 */
/** @type {Row[]} */
const rows = []
/** @type {Row | undefined} */
let reference
/** @type {import('./waits.mjs').Wait[]} */
let waits = []
try {
  reference = { path: 'an empty page', ...(await median(empty.url)) }
  console.log(line(reference))
  for (const path of await marketingPages()) {
    const row = { path: `\`${path}\``, ...(await median(`${product.url}${path}`)) }
    rows.push(row)
    console.log(line(row))
  }
  waits = await measureWaits(product.url, process.env.CHROMIUM, RUNS)
  console.log(waitLines(waits))
} finally {
  chrome.kill()
  empty.close()
  product.process.kill()
  rmSync(product.folder, { recursive: true, force: true })
}
writeFileSync(join(root, 'docs/lighthouse.md'), page())

/** Starts the product on free ports with empty data. */
async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'garimpo-lighthouse-'))
  const any = '127.0.0.1:0'
  const child = spawn(binary, ['serve'], {
    stdio: 'ignore',
    env: {
      GARIMPO_DATA_DIR: folder,
      GARIMPO_LISTEN: any,
      GARIMPO_GRPC_LISTEN: any,
      GARIMPO_SANDBOX_LISTEN: any,
      GARIMPO_METRICS_LISTEN: any,
      GARIMPO_BLACK_NOVEMBER: 'off',
    },
  })
  const deadline = Date.now() + 30_000
  for (;;) {
    const note = join(folder, 'addresses.json')
    if (existsSync(note)) {
      const { public: url, metrics } = JSON.parse(readFileSync(note, 'utf8'))
      if ((await fetch(`${metrics}/readyz`).catch(() => null))?.ok) return { process: child, folder, url }
    }
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${binary} did not come up`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** The paths of the sitemap. */
async function marketingPages() {
  const map = await (await fetch(`${product.url}/sitemap.xml`)).text()
  return [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place]) => new URL(place ?? '').pathname)
}

/** A page without styles and scripts. */
async function emptyPage() {
  const html = `<!doctype html><html lang="pt-BR"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <meta name="description" content="Nada"><title>Nada</title><h1>Nada</h1>`
  const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(html))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

/**
 * The median run, by performance.
 * @param {string} url
 */
async function median(url) {
  /** @type {Awaited<ReturnType<typeof measure>>[]} */
  const runs = []
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(url))
  runs.sort((a, b) => (a.scores.performance ?? 0) - (b.scores.performance ?? 0) || b.lcp - a.lcp)
  const middle = runs[Math.floor(RUNS / 2)]
  if (!middle) throw new Error('RUNS is a whole number from 1')
  return middle
}

/** @param {string} url */
async function measure(url) {
  const { lhr, artifacts } = await lighthouse(url, {
    port: chrome.port,
    output: 'json',
    logLevel: 'error',
    onlyCategories: CATEGORIES,
  })
  /** @param {string} id */
  const audit = (id) => lhr.audits[id] ?? { score: null, displayValue: 'not measured' }
  /** @param {string} id */
  const value = (id) => audit(id).numericValue ?? Number.NaN
  const categories = CATEGORIES.map((id) => ({
    id,
    ...(lhr.categories[id] ?? { score: null, auditRefs: [] }),
  }))
  return {
    scores: Object.fromEntries(categories.map(({ id, score }) => [id, Math.round((score ?? 0) * 100)])),
    lcp: value('largest-contentful-paint') / 1000,
    cls: value('cumulative-layout-shift'),
    tbt: value('total-blocking-time'),
    processorTbt: processorTbt(artifacts.Trace),
    missing: categories.flatMap(({ auditRefs }) =>
      auditRefs
        .filter(({ id, weight }) => weight > 0 && (audit(id).score ?? 1) < 0.995)
        .map(({ id }) => `${id} ${audit(id).displayValue ?? ''}`.trim()),
    ),
  }
}

/**
 * Total blocking time in milliseconds, by the processor time of each task, times four. Lighthouse's
 * own value includes the time in which other processes had the cores.
 * @param {import('lighthouse').Trace} trace
 */
function processorTbt({ traceEvents }) {
  const painted = traceEvents.findLast(({ name }) => name === 'firstContentfulPaint')
  if (!painted) throw new Error('the page was never painted')
  return traceEvents
    .filter(
      ({ name, pid, tid, ts }) =>
        name === 'RunTask' && pid === painted.pid && tid === painted.tid && ts > painted.ts,
    )
    .reduce((sum, { tdur = 0 }) => sum + Math.max(0, (tdur / 1000) * 4 - 50), 0)
}

/** @param {Row} row */
function line({ path, scores, lcp, cls, tbt, processorTbt, missing }) {
  const cells = [
    path,
    ...CATEGORIES.map((id) => scores[id]),
    lcp.toFixed(2),
    cls.toFixed(3),
    tbt.toFixed(0),
    processorTbt.toFixed(0),
  ]
  return `| ${[...cells, missing.join(', ') || 'nothing'].join(' | ')} |`
}

function page() {
  const missed = rows.filter(({ lcp, cls, tbt }) => lcp > GOAL.lcp || cls > GOAL.cls || tbt > GOAL.tbt)
  const before = existsSync(join(root, 'docs/lighthouse.md'))
    ? readFileSync(join(root, 'docs/lighthouse.md'), 'utf8')
    : ''
  const words = before.split('<!-- /lighthouse -->')[1] ?? '\n'
  return `# Lighthouse

\`make lighthouse\` measures every marketing page of the product's own server: mobile preset with its simulated slow
network and processor, the median of ${RUNS} runs. Goals: 100 in each category, LCP at most ${GOAL.lcp.toFixed(1)} s, CLS ${GOAL.cls}, TBT ${GOAL.tbt}.
The first row is a page without style or script from a bare server, as the machine's own share. TBT uses the clock; the
next column has the same sum by the processor time of each task, which excludes other processes.

<!-- lighthouse: written by \`make lighthouse\` -->
| Page | Performance | Accessibility | Best practices | SEO | LCP, s | CLS | TBT, ms | by processor time, ms | What is missing |
|---|--:|--:|--:|--:|--:|--:|--:|--:|---|
${[reference, ...rows]
  .filter((row) => row !== undefined)
  .map(line)
  .join('\n')}

${missed.length === 0 ? 'Every page meets LCP, CLS and TBT.' : `Above a goal for LCP, CLS or TBT: ${missed.map(({ path }) => path).join(', ')}.`}

On Chromium's "Slow 4G" network with an empty cache (\`tests/lighthouse/waits.mjs\`): from the moment when a finger
that rested 80 ms on a link leaves it, on a phone with a processor slowed down four times, until the next page's heading is
painted; from the opening of a page of the way to the payment until its heading, with the same processor; and from the
opening of the account until its first card. Goals: 1,300 ms, and 4,500 ms for the account.

| What | Median of ${RUNS}, ms | Slowest, ms |
|---|--:|--:|
${waitLines(waits)}
<!-- /lighthouse -->${words}`
}

/** @param {import('./waits.mjs').Wait[]} waits */
function waitLines(waits) {
  return waits
    .map(({ what, median, worst }) => `| ${what} | ${median.toFixed(0)} | ${worst.toFixed(0)} |`)
    .join('\n')
}
