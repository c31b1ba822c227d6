/**
 * How long visitors wait on Chromium's "Slow 4G" network with an empty cache: the next page
 * after a tap on a link and the pages of the way to the payment, with a processor a quarter as
 * fast, and the account.
 */
import { setTimeout } from 'node:timers/promises'
import puppeteer, { PredefinedNetworkConditions } from 'puppeteer-core'

/** @type {[from: string, tapped: string, to: string][]} */
const LINKS = [
  ['/sobre', 'main a[href="/planos"]', '/planos'],
  ['/planos', 'main button ::-p-text(Testar grátis)', '/cadastro'],
]
const PAYMENT_PATHS = ['/cadastro', '/login', '/upsell']
const SLOWDOWN = 4
/** Duration of a touch. Work of the page during the touch is not counted. */
const TOUCH_MS = 80

/** @typedef {{ what: string, median: number, worst: number }} Wait in milliseconds */

/**
 * The time until the heading is painted: of each tapped page, from the end of the touch; of the
 * pages to the payment, and of the account's content, from the opening of their address.
 * @param {string} url
 * @param {string | undefined} executablePath
 * @param {number} runs
 * @returns {Promise<Wait[]>}
 */
export async function measureWaits(url, executablePath, runs) {
  const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const waits = []
    for (const [from, tapped, to] of LINKS) {
      const measured = []
      for (let run = 0; run < runs; run += 1) measured.push(await tap(browser, url + from, tapped, to))
      waits.push({ what: `tap on \`${from}\` to \`${to}\``, ...summary(measured) })
    }
    for (const path of PAYMENT_PATHS) {
      const measured = []
      for (let run = 0; run < runs; run += 1) measured.push(await openOnPhone(browser, url + path))
      waits.push({ what: `\`${path}\`, opened by its address`, ...summary(measured) })
    }
    const measured = []
    for (let run = 0; run < runs; run += 1) measured.push(await openAccount(browser, url))
    waits.push({ what: '`/area-usuario`, processor at full speed', ...summary(measured) })
    return waits
  } finally {
    await browser.close()
  }
}

/** @param {number[]} measured */
function summary(measured) {
  const sorted = measured.toSorted((a, b) => a - b)
  return { median: Number(sorted[Math.floor(sorted.length / 2)]), worst: Number(sorted.at(-1)) }
}

/**
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url
 * @param {string} tapped selector
 * @param {string} to path of the next page
 */
async function tap(browser, url, tapped, to) {
  const context = await browser.createBrowserContext()
  try {
    const page = await slowPhone(context)
    await page.evaluateOnNewDocument(watchTaps)
    await page.goto(url, { waitUntil: 'networkidle0' })
    await page.waitForSelector('#root:not([data-static])')
    // To the middle of the window, where neither header nor consent bar covers the link.
    const link = await page.waitForSelector(tapped)
    if (!link) throw new Error(`${url} has no ${tapped}`)
    await link.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }))
    await touch(page, link)
    const answer = await page.waitForFunction(
      (path) => location.pathname === path && document.body?.dataset.answer,
      {},
      to,
    )
    return Number(await answer.jsonValue())
  } finally {
    await context.close()
  }
}

/** @param {import('puppeteer-core').BrowserContext} context */
async function slowPhone(context) {
  const page = await context.newPage()
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 })
  await page.emulateNetworkConditions(PredefinedNetworkConditions['Slow 4G'])
  await page.emulateCPUThrottling(SLOWDOWN)
  return page
}

/**
 * Opens a page as a new visitor who has chosen a plan, without which /upsell has no offers.
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} address
 */
async function openOnPhone(browser, address) {
  const context = await browser.createBrowserContext()
  try {
    const page = await slowPhone(context)
    await page.evaluateOnNewDocument(storePlan)
    await page.evaluateOnNewDocument(watchContent, 'main h1')
    await page.goto(address)
    const shown = await page.waitForFunction(() => document.body.dataset.shown)
    return Number(await shown.jsonValue())
  } finally {
    await context.close()
  }
}

/** Runs in the page: the choice of a plan's card. */
function storePlan() {
  const price = { price: 'R$ 197,90', period: '/mês', priceRaw: '197.90', interval: 'month' }
  localStorage.setItem('selectedPlan', JSON.stringify({ name: 'Elite Nível 1', ...price }))
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
 * Runs in each document. From a tap until another heading is painted, in this document or the next.
 */
function watchTaps() {
  const now = () => performance.timeOrigin + performance.now()
  /** @param {Element | null} old */
  const watch = (old) => {
    const look = () => {
      const heading = document.querySelector('main h1')
      if (!heading || heading === old) return requestAnimationFrame(look)
      // The message comes after the frame is painted.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        document.body.dataset.answer ??= String(now() - Number(sessionStorage.getItem('tapped')))
      }
      port2.postMessage(null)
    }
    requestAnimationFrame(look)
  }
  if (sessionStorage.getItem('tapped')) watch(null)
  const start = (/** @type {MouseEvent} */ { timeStamp }) => {
    sessionStorage.setItem('tapped', String(performance.timeOrigin + timeStamp))
    watch(document.querySelector('main h1'))
  }
  addEventListener('click', start, { capture: true })
}

/**
 * Signs up, and opens the account as a new visit.
 * @param {import('puppeteer-core').Browser} browser
 * @param {string} url
 */
async function openAccount(browser, url) {
  const context = await browser.createBrowserContext()
  try {
    const first = await context.newPage()
    await first.goto(`${url}/cadastro`)
    await first.locator('[name=name]').fill('Ana Souza')
    await first.locator('[name=email]').fill(`ana${Date.now()}@exemplo.com.br`)
    await first.locator('[name=password]').fill('segredo-da-ana')
    await first.locator('button[type=submit]').click()
    await first.waitForFunction(() => location.pathname === '/account-confirmation')
    await first.close()

    const page = await context.newPage()
    await page.setCacheEnabled(false)
    await page.emulateNetworkConditions(PredefinedNetworkConditions['Slow 4G'])
    await page.evaluateOnNewDocument(watchContent, 'main h2')
    await page.goto(`${url}/area-usuario`)
    const shown = await page.waitForFunction(() => document.body.dataset.shown)
    return Number(await shown.jsonValue())
  } finally {
    await context.close()
  }
}

/**
 * Runs in the document, until the first element of a selector is painted.
 * @param {string} selector
 */
function watchContent(selector) {
  const look = () => {
    if (!document.querySelector(selector)?.checkVisibility()) return requestAnimationFrame(look)
    // The message comes after the frame is painted.
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      document.body.dataset.shown ??= String(performance.now())
    }
    port2.postMessage(null)
  }
  requestAnimationFrame(look)
}
