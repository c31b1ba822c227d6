import { type Browser, type BrowserContext, type ConsoleMessage, expect, type Page } from '@playwright/test'

/** Console errors and uncaught exceptions of all pages of a test. Unexpected ones fail the test. */
export class PageErrors {
  private readonly received: string[] = []
  private readonly expected: RegExp[] = []

  private readonly listen = (context: BrowserContext) => {
    context.on('weberror', (error) => this.received.push(String(error.error())))
    context.on('console', (message) => {
      if (message.type() === 'error') this.received.push(textOf(message))
    })
  }

  /**
   * Listens to the context of the test and to those it opens. Returns a function that stops
   * listening.
   */
  start(browser: Browser, context: BrowserContext): () => void {
    this.listen(context)
    browser.on('context', this.listen)
    return () => browser.off('context', this.listen)
  }

  /** Expects at least one error of each pattern, before this call or after it. */
  expect(...patterns: RegExp[]) {
    this.expected.push(...patterns)
  }

  matching(pattern: RegExp): string[] {
    return this.received.filter((text) => pattern.test(text))
  }

  async check() {
    // The browser reports an error after the page has acted on it.
    await expect
      .poll(() => this.expected.filter((pattern) => this.matching(pattern).length === 0), 'expected errors')
      .toEqual([])
    const unexpected = this.received.filter((text) => !this.expected.some((pattern) => pattern.test(text)))
    expect(unexpected, 'errors of the page').toEqual([])
  }
}

/** The address of a failed request is in the location of the message, not in its text. */
function textOf(message: ConsoleMessage): string {
  const text = message.text()
  return text.startsWith('Failed to load resource') ? `${text} ${message.location().url}` : text
}

export const brokenHeading = (page: Page) =>
  page.getByRole('heading', { name: 'Esta página não abriu como devia' })

/** The reports that the page sends from now on. */
export async function recordReports(page: Page) {
  const reports: { release: string; path: string; error: string }[] = []
  // The body of a beacon can only be read in a route handler.
  await page.route('**/api/client-errors', (route) => {
    reports.push(route.request().postDataJSON())
    return route.continue()
  })
  return reports
}
