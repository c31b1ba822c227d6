/** Browsers older than the oldest supported ones (README.md, 'Browsers'). */
import { expect, test } from './product'

const tooOld =
  'Este navegador é antigo demais para esta página. Atualize o navegador ou abra a página em outro.'

test('a browser older than the floor reads that it is too old', async ({ context }) => {
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  for (const path of ['/', '/login', '/upsell']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await expect(page.getByText(tooOld)).toBeHidden()
  }
  // A current browser does not load the script for old ones.
  expect(asked).not.toContain('/old-browser.js')

  await context.addInitScript(() => {
    delete (Object as Partial<ObjectConstructor>).hasOwn
  })
  for (const path of ['/', '/login', '/upsell']) {
    await page.goto(path)
    await expect(page.getByText(tooOld), path).toBeVisible()
  }
})

test('a browser without modules reads that it is too old, and not that the page is slow', async ({
  context,
}) => {
  const page = await context.newPage()
  await context.addInitScript(() => {
    delete (Object as Partial<ObjectConstructor>).hasOwn
  })
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback()
    const response = await route.fetch()
    const body = (await response.text())
      .replaceAll('type="module"', 'type="unknown"')
      .replaceAll('nomodule', 'async')
    await route.fulfill({ response, body })
  })
  for (const path of ['/planos', '/login', '/upsell']) {
    await page.goto(path)
    await expect(page.getByText(tooOld), path).toBeVisible()
    await expect(page.locator('.late, .late-wait').filter({ visible: true })).toHaveCount(0)
  }
})
