import puppeteer, {
  type Browser,
  type ConsoleMessage,
  type ElementHandle,
  type Frame,
  type Page,
} from 'puppeteer-core'
import { DEADLINE_MS, ENVIRONMENT, type Engine } from './engine'

/** Firefox by WebDriver BiDi. */
export class Firefox implements Engine {
  readonly errors: string[] = []
  private frame: Frame

  private constructor(
    private readonly browser: Browser,
    private page: Page,
  ) {
    this.frame = page.mainFrame()
    this.listen(page)
  }

  static async start(executablePath: string): Promise<Firefox> {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath,
      extraPrefsFirefox: { 'intl.accept_languages': 'pt-BR' },
      defaultViewport: null,
      env: ENVIRONMENT,
    })
    return new Firefox(browser, await browser.newPage())
  }

  private listen(page: Page) {
    page.setDefaultTimeout(DEADLINE_MS)
    page.on('pageerror', (error) => {
      // A warning reported as an error: a refusal also deletes cookies of parent domains, which do
      // not exist here.
      if (!/^Error: Cookie “_\w+” has been rejected for invalid domain/.test(String(error)))
        this.errors.push(String(error))
    })
    page.on('console', (message) => {
      if (message.type() === 'error') void this.record(message)
    })
  }

  /** An error object has no text before it is read from the page. */
  private async record(message: ConsoleMessage) {
    const texts = message
      .args()
      .map((part) => part.evaluate((value) => String(value)).catch(() => message.text()))
    this.errors.push((await Promise.all(texts)).join(' '))
  }

  resize(width: number, height: number) {
    return this.page.setViewport({ width, height })
  }

  async open(address: string) {
    await this.page.goto(address)
  }

  async run<Value>(job: () => Value): Promise<Value> {
    return (await this.frame.evaluate(job)) as Value
  }

  async see(path: string) {
    await this.find(path)
  }

  async click(path: string) {
    await (await this.find(path)).click()
  }

  async type(path: string, text: string) {
    const field = await this.find(path)
    await field.click({ count: 3 })
    await field.type(text)
  }

  press(key: 'Escape') {
    return this.page.keyboard.press(key)
  }

  async inTab(open: () => Promise<void>, act: () => Promise<void>) {
    const [first, opened] = [this.page, new Promise<Page | null>((done) => this.page.once('popup', done))]
    await open()
    const tab = await opened
    if (!tab) throw new Error('the tab was closed at once')
    this.listen(tab)
    this.enter(tab)
    await act()
    this.enter(first)
  }

  private enter(page: Page) {
    this.page = page
    this.frame = page.mainFrame()
  }

  async inFrame(act: () => Promise<void>) {
    const inside = await (await this.find('//iframe')).contentFrame()
    if (!inside) throw new Error('the frame has no page')
    this.frame = inside
    await act()
    this.frame = this.page.mainFrame()
  }

  private async find(path: string): Promise<ElementHandle<Element>> {
    const found = await this.frame.waitForSelector(`::-p-xpath(${path})`, { visible: true })
    if (!found) throw new Error(`${path} is not there`)
    return found as ElementHandle<Element>
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(await this.page.screenshot())
  }

  async close() {
    await this.browser.close()
  }
}
