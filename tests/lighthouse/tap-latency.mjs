/**
 * Time from a tap on a link to the first change of the page, on a slow phone: Chromium's slow 4G
 * network and a processor a quarter as fast. Each run begins with an empty cache.
 */
import { setTimeout } from 'node:timers/promises'
import puppeteer, { PredefinedNetworkConditions } from 'puppeteer-core'

/** @type {[from: string, tapped: string, to: string][]} */
const LINKS = [
  ['/sobre', 'main a[href="/planos"]', '/planos'],
  ['/planos', 'main button ::-p-text(Testar grátis)', '/cadastro'],
]
const SLOWDOWN = 4
/** Duration of a touch. Work of the page during the touch is not counted. */
const TOUCH_MS = 80

/**
 * @typedef {{ sign: number, heading: number }} Latency in milliseconds
 * @typedef {Latency & { from: string, to: string, worst: number }} Row
 */

/**
 * Measures for each pair of pages the first painted change (`sign`) and the new page's heading, in
 * milliseconds.
 * @param {string} url
 * @param {string | undefined} executablePath
 * @param {number} runs
 */
export async function measureTaps(url, executablePath, runs) {
  const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    /** @type {Row[]} */
    const rows = []
    for (const [from, tapped, to] of LINKS) {
      /** @type {Latency[]} */
      const measured = []
      for (let run = 0; run < runs; run += 1) measured.push(await tap(browser, url + from, tapped, to))
      const { sign, heading } = median(measured)
      rows.push({ from, to, sign, heading, worst: Math.max(...measured.map((taken) => taken.sign)) })
    }
    return rows
  } finally {
    await browser.close()
  }
}

/**
 * The median run, by the first painted change.
 * @param {Latency[]} measured
 */
function median(measured) {
  const sorted = measured.toSorted((a, b) => a.sign - b.sign)
  return /** @type {Latency} */ (sorted[Math.floor(sorted.length / 2)])
}

/**
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url
 * @param {string} tapped selector
 * @param {string} to path of the next page
 * @returns {Promise<Latency>}
 */
async function tap(browser, url, tapped, to) {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  try {
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 })
    await page.emulateNetworkConditions(PredefinedNetworkConditions['Slow 4G'])
    await page.emulateCPUThrottling(SLOWDOWN)
    await page.evaluateOnNewDocument(watchTaps)
    await page.goto(url, { waitUntil: 'networkidle0' })
    await page.waitForSelector('#root:not([data-static])')
    // To the middle of the window, where neither header nor consent bar covers the link.
    const link = await page.waitForSelector(tapped)
    if (!link) throw new Error(`${url} has no ${tapped}`)
    await link.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }))
    await touch(page, link)
    const answer = await page.waitForFunction(
      (path) => location.pathname === path && document.body.dataset.answer,
      {},
      to,
    )
    return JSON.parse(String(await answer.jsonValue()))
  } finally {
    await context.close()
  }
}

/**
 * A tap with the duration of a touch. The tap of puppeteer ends at once.
 * @param {import('puppeteer-core').Page} page
 * @param {import('puppeteer-core').ElementHandle} link
 */
async function touch(page, link) {
  const { x, y } = await link.clickablePoint()
  const finger = await page.touchscreen.touchStart(x, y)
  await setTimeout(TOUCH_MS)
  await finger.end()
}

/**
 * Runs in the page and stores the measured times there, from the input event to the paint of the
 * change.
 */
function watchTaps() {
  /** @param {() => void} report */
  const painted = (report) =>
    requestAnimationFrame(() => {
      const channel = new MessageChannel()
      channel.port1.onmessage = report
      channel.port2.postMessage(null)
    })
  /** @param {MouseEvent} event */
  const watch = ({ timeStamp }) => {
    const old = document.querySelector('h1')
    let sign = 0
    const changes = new MutationObserver(() =>
      painted(() => {
        const now = performance.now() - timeStamp
        sign ||= now
        const heading = document.querySelector('main h1')
        if (heading && heading !== old)
          document.body.dataset.answer ??= JSON.stringify({ sign, heading: now })
      }),
    )
    changes.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  }
  addEventListener('click', watch, { capture: true })
}
