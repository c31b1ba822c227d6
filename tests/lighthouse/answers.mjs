/**
 * How soon a tap on a link shows something, on a slow phone: Chromium's conditions for a slow 4G network and a processor
 * a quarter as fast. Each run begins with an empty cache.
 */
import puppeteer, { PredefinedNetworkConditions } from 'puppeteer-core'

/** From a page, by what is tapped, to a page. */
const WAYS = [
  ['/sobre', 'main a[href="/planos"]', '/planos'],
  ['/planos', 'main button ::-p-text(Testar grátis)', '/cadastro'],
]
const SLOWDOWN = 4

/** For each way the first sign (a change of the page that is painted) and the new page's heading, in milliseconds. */
export async function answers(url, executablePath, runs) {
  const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const rows = []
    for (const [from, tapped, to] of WAYS) {
      const measured = []
      for (let run = 0; run < runs; run += 1) measured.push(await tap(browser, url + from, tapped, to))
      const sorted = (name) => measured.map((taken) => taken[name]).sort((a, b) => a - b)
      const middle = (name) => sorted(name)[Math.floor(runs / 2)]
      rows.push({ from, to, sign: middle('sign'), worst: sorted('sign').at(-1), heading: middle('heading') })
    }
    return rows
  } finally {
    await browser.close()
  }
}

async function tap(browser, url, tapped, to) {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  try {
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 })
    await page.emulateNetworkConditions(PredefinedNetworkConditions['Slow 4G'])
    await page.emulateCPUThrottling(SLOWDOWN)
    await page.evaluateOnNewDocument(watchTaps)
    await page.goto(url, { waitUntil: 'networkidle0' })
    await page.waitForSelector('#root:not([data-scripts])')
    // Into the middle, where neither header nor consent bar lies over it.
    const link = await page.waitForSelector(tapped)
    await link.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }))
    await link.tap()
    await page.waitForFunction((path) => location.pathname === path && window.heading, {}, to)
    return await page.evaluate(() => ({ sign: window.sign, heading: window.heading }))
  } finally {
    await context.close()
  }
}

/** Runs in the page. Times count from the input event and end once the change has been painted. */
function watchTaps() {
  const painted = (tell) =>
    requestAnimationFrame(() => {
      const channel = new MessageChannel()
      channel.port1.onmessage = tell
      channel.port2.postMessage(null)
    })
  addEventListener(
    'click',
    ({ timeStamp }) => {
      const root = document.getElementById('root')
      const old = document.querySelector('h1')
      const note = (name) => painted(() => (window[name] ??= performance.now() - timeStamp))
      const changes = new MutationObserver(() => {
        note('sign')
        const heading = document.querySelector('main h1')
        if (heading && heading !== old) note('heading')
      })
      changes.observe(root, { subtree: true, childList: true, characterData: true })
    },
    { capture: true },
  )
}
