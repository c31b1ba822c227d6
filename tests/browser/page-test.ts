/** The fixtures of every test of a page, with whatever serves it. */
import { test as base, expect } from '@playwright/test'
import { PageErrors } from './page-errors'

type Fixtures = {
  /**
   * Whether ads were refused before the test. Without an answer the consent bar covers each page.
   */
  isConsentAnswered: boolean
  pageErrors: PageErrors
}

export const test = base.extend<Fixtures>({
  pageErrors: [
    async ({ browser, context }, use, info) => {
      const pageErrors = new PageErrors()
      const stop = pageErrors.start(browser, context)
      await use(pageErrors)
      stop()
      // A test that ended early has not caused all expected errors.
      if (info.status === info.expectedStatus) await pageErrors.check()
    },
    { auto: true },
  ],
  isConsentAnswered: [true, { option: true }],
  context: async ({ context, isConsentAnswered }, use) => {
    if (isConsentAnswered) await context.addInitScript(storeConsentRefusal)
    await use(context)
  },
  // A prerendered page shows before hydration: wait for it, so that clicks take effect.
  page: async ({ page }, use) => {
    const goto = page.goto.bind(page)
    page.goto = async (...where) => {
      const answer = await goto(...where)
      await expect(page.locator('#root[data-static]')).toHaveCount(0)
      return answer
    }
    await use(page)
  },
})

/** Runs in the page: stores the refusal that 'Recusar' stores. */
function storeConsentRefusal() {
  const refused = { allowed: false, version: '2026-11.3', at: new Date().toISOString() }
  try {
    if (!localStorage.getItem('adsConsent')) localStorage.setItem('adsConsent', JSON.stringify(refused))
  } catch {
    // Without storage the page shows the consent bar.
  }
}
