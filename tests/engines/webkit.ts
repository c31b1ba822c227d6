import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { Builder, By, Capabilities, error, type WebDriver, type WebElement } from 'selenium-webdriver'
import { DEADLINE_MS, ENVIRONMENT, type Engine } from './engine'

/** States of a page that is still being drawn. */
const TRANSIENT_ERRORS = [
  error.StaleElementReferenceError,
  error.ElementNotInteractableError,
  error.ElementClickInterceptedError,
]

/** WebKitGTK by W3C WebDriver, on its own display. */
export class WebKit implements Engine {
  private constructor(
    readonly errors: string[],
    private readonly driver: WebDriver,
    private readonly processes: ChildProcess[],
  ) {}

  /** The driver reports no errors of a page; `errors` are those that the collector received. */
  static async start(binary: string, errors: string[]): Promise<WebKit> {
    const [display, name] = await startDisplay()
    const port = await freePort()
    const service = spawn('WebKitWebDriver', [`--port=${port}`], {
      stdio: 'ignore',
      env: { ...ENVIRONMENT, DISPLAY: name },
    })
    try {
      await waitForResponse(`http://127.0.0.1:${port}/status`)
      const options = { binary, args: ['--automation', '--full-screen'] }
      const wanted = new Capabilities({ browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options })
      const driver = await new Builder()
        .usingServer(`http://127.0.0.1:${port}`)
        .withCapabilities(wanted)
        .build()
      return new WebKit(errors, driver, [service, display])
    } catch (failure) {
      for (const process of [service, display]) process.kill()
      throw failure
    }
  }

  async resize(width: number, height: number) {
    await this.driver.manage().window().setRect({ x: 0, y: 0, width, height })
  }

  open(address: string) {
    return this.driver.get(address)
  }

  run<Value>(job: () => Value): Promise<Value> {
    return this.driver.executeScript<Value>(job)
  }

  async see(path: string) {
    await this.use(path, async () => undefined)
  }

  async click(path: string) {
    await this.use(path, (element) => element.click())
  }

  async type(path: string, text: string) {
    await this.use(path, async (element) => {
      await element.click()
      await this.driver.executeScript((field: HTMLInputElement) => field.select(), element)
      await element.sendKeys(text)
    })
  }

  press(key: 'Escape') {
    return this.driver.actions().sendKeys({ Escape: '\uE00C' }[key]).perform()
  }

  async inTab(open: () => Promise<void>, act: () => Promise<void>) {
    const first = await this.driver.getWindowHandle()
    const before = await this.driver.getAllWindowHandles()
    await open()
    const opened = async () =>
      (await this.driver.getAllWindowHandles()).find((handle) => !before.includes(handle))
    const tab = await this.driver.wait(opened, DEADLINE_MS, 'no tab was opened')
    await this.driver.switchTo().window(tab as string)
    await act()
    await this.driver.switchTo().window(first)
  }

  async inFrame(act: () => Promise<void>) {
    await this.use('//iframe', (frame) => this.driver.switchTo().frame(frame))
    await act()
    await this.driver.switchTo().defaultContent()
  }

  /** Waits until the first element of a path can be used. The page may replace it meanwhile. */
  private async use(path: string, job: (element: WebElement) => Promise<void>) {
    let state = 'missing'
    const isDone = async () => {
      const [element] = await this.driver.findElements(By.xpath(path))
      state = element ? 'hidden' : 'missing'
      if (!element || !(await this.driver.executeScript(scrollAndCheckVisible, element))) return false
      await job(element)
      return true
    }
    const isOver = () =>
      isDone().catch((thrown: Error) => {
        if (!TRANSIENT_ERRORS.some((kind) => thrown instanceof kind)) throw thrown
        state = thrown.name
        return false
      })
    await this.driver.wait(isOver, DEADLINE_MS).catch((thrown: Error) => {
      throw new Error(`${path}: ${state}`, { cause: thrown })
    })
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(await this.driver.takeScreenshot(), 'base64')
  }

  async close() {
    await this.driver.quit().catch(() => undefined)
    for (const process of this.processes) process.kill()
  }
}

/**
 * Runs in the page: scrolls to an element, and returns whether it is visible. The driver does not
 * wait for a smooth scroll, and treats elements below the window as hidden.
 */
const scrollAndCheckVisible = (element: Element) => {
  element.scrollIntoView({ block: 'center', behavior: 'instant' })
  return element.checkVisibility({ visibilityProperty: true })
}

/** A display of a free number, which Xvfb chooses and writes to its descriptor 3. */
async function startDisplay(): Promise<[ChildProcess, string]> {
  const process = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const number = await new Promise<string>((done, fail) => {
    process.stdio[3]?.once('data', (written) => done(String(written).trim()))
    process.once('exit', () => fail(new Error('Xvfb did not start')))
    process.once('error', fail)
  })
  return [process, `:${number}`]
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function waitForResponse(address: string) {
  const deadline = Date.now() + DEADLINE_MS
  while (!(await fetch(address).catch(() => null))) {
    if (Date.now() > deadline) throw new Error(`nothing answers at ${address}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}
