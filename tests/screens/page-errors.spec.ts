import { brokenHeading, recordReports } from '../browser/page-errors'
import { expect, test } from './screen-test'

test('a page script that fails even after a reload is counted', async ({ page, pageErrors }) => {
  await page.route('**/assets/login-*.js', (route) => route.abort())
  const reports = await recordReports(page)
  await page.goto('/login')
  await expect(brokenHeading(page)).toBeVisible()

  expect(reports).toMatchObject([{ path: '/login', error: expect.stringMatching(/\/assets\/login-/) }])
  pageErrors.expect(/ERR_FAILED .*\/assets\/login-/, /^TypeError: .*\/assets\/login-/)
})

test('an error of an extension or of a foreign script is not counted', async ({ page, pageErrors }) => {
  const reports = await recordReports(page)
  await page.goto('/login')
  await page.evaluate(async () => {
    const ours = `${location.origin}/assets/site-x.js:1:2`
    const error = (message: string, ...places: string[]) =>
      Object.assign(new Error(message), { stack: [message, ...places].join('\n    at ') })
    reportError(error('extensão', 'chrome-extension://abc/content.js:1:2', ours))
    reportError(error('de fora', 'https://outro.example/tag.js:1:2'))
    void Promise.reject(error('promessa de fora', 'https://outro.example/tag.js:1:2'))
    // The browser reports a rejection after the current task.
    await new Promise((done) => addEventListener('unhandledrejection', done, { once: true }))
    void Promise.reject(error('nosso', ours))
  })

  await expect.poll(() => reports.map(({ error }) => error.split('\n')[0])).toEqual(['Error: nosso'])
  // The console has each of them.
  pageErrors.expect(/extensão/, /Error: de fora/, /promessa de fora/, /nosso/)
})
