import { brokenHeading, recordReports } from './page-errors'
import { expect, test } from './product'

test('a page that breaks is counted and logged once per visit', async ({ page, product, pageErrors }) => {
  await page.route(/\/assets\/(login|sign-up)-[\w-]+\.js$/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: "export default () => { throw new Error('quebrou por ana@exemplo.com.br') }",
    }),
  )
  const reports = await recordReports(page)
  await page.goto('/login?email=ana@exemplo.com.br')
  await expect(brokenHeading(page)).toBeVisible()
  await page.goto('/cadastro')
  await expect(brokenHeading(page)).toBeVisible()

  expect(reports).toHaveLength(1)
  expect(reports[0]).toMatchObject({ path: '/login', error: expect.stringContaining('Error: quebrou por') })
  await expect.poll(() => product.readLog()).toContain('a page broke')
  const lines = product.readLog().split('\n')
  const [line = ''] = lines.filter((text) => text.includes('a page broke'))
  expect(line).toContain(`"release":"${reports[0]?.release}"`)
  expect(line).toContain('"route":"/login"')
  expect(line).toMatch(/quebrou por \*\*\*.*\/assets\/login-/)
  pageErrors.expect(/quebrou por ana@exemplo/)
})
