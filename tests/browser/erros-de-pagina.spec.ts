import type { Page } from '@playwright/test'
import { expect, test } from './product'

const broken = (page: Page) => page.getByRole('heading', { name: 'Esta página não abriu como devia' })

/** The reports that the page sends from now on. */
async function reportsOf(page: Page) {
  const reports: { release: string; path: string; error: string }[] = []
  // A beacon's body is known only where it is held.
  await page.route('**/api/client-errors', (route) => {
    reports.push(route.request().postDataJSON())
    return route.continue()
  })
  return reports
}

test('página que quebra é contada e registrada uma vez por visita', async ({ page, product, complaints }) => {
  await page.route(/\/assets\/(login|sign-up)-[\w-]+\.js$/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: "export default () => { throw new Error('quebrou por ana@exemplo.com.br') }",
    }),
  )
  const reports = await reportsOf(page)
  await page.goto('/login?email=ana@exemplo.com.br')
  await expect(broken(page)).toBeVisible()
  await page.goto('/cadastro')
  await expect(broken(page)).toBeVisible()

  expect(reports).toHaveLength(1)
  expect(reports[0]).toMatchObject({ path: '/login', error: expect.stringContaining('Error: quebrou por') })
  await expect.poll(() => product.log()).toContain('a page broke')
  const lines = product.log().split('\n')
  const [line = ''] = lines.filter((text) => text.includes('a page broke'))
  expect(line).toContain(`"release":"${reports[0]?.release}"`)
  expect(line).toContain('"route":"/login"')
  expect(line).toMatch(/quebrou por \*\*\*.*\/assets\/login-/)
  complaints.expect(/quebrou por ana@exemplo/)
})

test('script de página que não chega nem com outro carregamento é contado', async ({ page, complaints }) => {
  await page.route('**/assets/login-*.js', (route) => route.abort())
  const reports = await reportsOf(page)
  await page.goto('/login')
  await expect(broken(page)).toBeVisible()

  expect(reports).toMatchObject([{ path: '/login', error: expect.stringMatching(/\/assets\/login-/) }])
  complaints.expect(/ERR_FAILED .*\/assets\/login-/, /^TypeError: .*\/assets\/login-/)
})

test('erro de extensão ou de script de fora não é contado', async ({ page, complaints }) => {
  const reports = await reportsOf(page)
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
  complaints.expect(/extensão/, /Error: de fora/, /promessa de fora/, /nosso/)
})
