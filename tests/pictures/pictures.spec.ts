/** Draws docs/screens: the first screen of each route on a phone and on a desktop. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { hold } from '../browser/calls'
import { payByCard, waitForCheckoutSession } from '../browser/payment-frame'
import {
  arriveAtUpsell,
  createUnconfirmedRenewal,
  expect,
  newPerson,
  type Product,
  productPerTest,
  signUp,
  takeOffer,
  test,
} from '../browser/product'

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../docs/screens')
/** Width and height of the window, and the width of the picture. */
const WINDOWS = [
  [390, 844, 780],
  [1280, 800, 1600],
] as const
/** The maximum size of a picture, in bytes. */
const MAX_BYTES = 180_000

// Sharp on a screen of twice the density.
test.use({ deviceScaleFactor: 2, contextOptions: { reducedMotion: 'reduce' } })
test.beforeAll(() => void mkdirSync(folder, { recursive: true }))

/** Saves a picture of the page. Chromium encodes it, because Playwright writes no WebP. */
async function savePicture(page: Page, name: string, settled = true) {
  if (settled) await expect(page.locator('[aria-busy]')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready)
  const packer = await page.context().newPage()
  for (const [width, height, scaled] of WINDOWS) {
    await page.setViewportSize({ width, height })
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    const shot = (await page.screenshot()).toString('base64')
    const packed = await packer.evaluate(
      async ([shot, scaled]) => {
        const image = new Image()
        image.src = `data:image/png;base64,${shot}`
        await image.decode()
        const canvas = document.createElement('canvas')
        canvas.width = scaled
        canvas.height = Math.round((image.naturalHeight * scaled) / image.naturalWidth)
        const context = canvas.getContext('2d')
        if (!context) throw new Error('no canvas')
        context.imageSmoothingQuality = 'high'
        context.drawImage(image, 0, 0, canvas.width, canvas.height)
        return canvas.toDataURL('image/webp', 0.82).split(',')[1] ?? ''
      },
      [shot, scaled] as const,
    )
    const bytes = Buffer.from(packed, 'base64')
    expect(bytes.length, `${name} at ${width} px`).toBeLessThan(MAX_BYTES)
    writeFileSync(join(folder, `${name}-${width}.webp`), bytes)
  }
  await packer.close()
}

async function draw(page: Page, address: string, name: string) {
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await savePicture(page, name)
}

test('the public pages are drawn', async ({ page, pageErrors }) => {
  for (const [address, name] of [
    ['/', 'home'],
    ['/solucoes', 'solucoes'],
    ['/planos', 'planos'],
    ['/planos-promo?promo=final', 'planos-promo'],
    ['/promo-landing', 'promo-landing'],
    ['/bio', 'bio'],
    ['/sobre', 'sobre'],
    ['/termos', 'termos'],
    ['/politicas-de-privacidade', 'politicas-de-privacidade'],
    ['/login', 'login'],
    ['/cadastro', 'cadastro'],
    ['/esqueci-senha', 'esqueci-senha'],
    ['/redefinir-senha?code=exemplo', 'redefinir-senha'],
    ['/confirmar-email?code=exemplo', 'confirmar-email'],
    ['/nao-existe', 'not-found'],
  ] as const)
    await draw(page, address, name)
  pageErrors.expect(/status of 404 .*\/nao-existe/, /No route answers \/nao-existe/)
})

test('the pages of account and purchase are drawn', async ({ page, product }) => {
  await page.goto('/cadastro')
  await signUp(page, newPerson())
  await page.waitForURL('**/account-confirmation')
  await expect(page.getByRole('heading', { name: 'Conta criada com sucesso!' })).toBeVisible()
  await savePicture(page, 'account-confirmation')
  await draw(page, '/area-usuario', 'area-usuario-trial')
  await draw(page, '/payment-canceled', 'payment-canceled')

  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
  await arriveAtUpsell(page, 'Elite', 'Nível 2')
  await expect(page.getByRole('heading', { name: 'Aproveite as Ofertas Exclusivas' })).toBeVisible()
  await savePicture(page, 'upsell')
  const tab = await takeOffer(page, 'Semestral')
  const session = await waitForCheckoutSession(tab)
  await savePicture(tab, 'checkout')
  await tab.close()
  await page.waitForURL('**/payment-canceled**')
  expect(await product.postToSandbox(`checkout/${session}`, { boleto: { tax_id: '529.982.247-25' } })).toBe(
    200,
  )
  await draw(page, `/payment-awaited?session_id=${session}`, 'payment-awaited')

  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
  await arriveAtUpsell(page, 'Elite PRO', 'PRO 1')
  const paid = await takeOffer(page, 'Anual')
  await payByCard(paid, '4242424242424242')
  await page.waitForURL('**/payment-success**')
  await expect(page.getByRole('heading', { name: 'Pagamento confirmado!' })).toBeVisible()
  await savePicture(page, 'payment-success')
  await draw(page, '/area-usuario', 'area-usuario')
  const answer = await hold(page, '**/GetCheckoutSession')
  await page.goto(`/checkout-return?session_id=${session}`)
  await expect(page.getByText('Carregando...').first()).toBeAttached()
  await savePicture(page, 'checkout-return', false)
  await answer()
})

test.extend<{ product: Product }>(productPerTest({ GARIMPO_BLACK_NOVEMBER: 'on' }))(
  'the pages of Black November are drawn',
  async ({ page }) => {
    await draw(page, '/', 'home-black-november')
    await draw(page, '/planos', 'planos-black-november')
  },
)

test.extend<{ product: Product }>(productPerTest())(
  'the pages of a payment that the bank asks to confirm are drawn',
  async ({ page, product }) => {
    await createUnconfirmedRenewal(page, product)
    await draw(page, '/area-usuario', 'area-usuario-bank-confirmation')
    await draw(page, '/confirmar-pagamento', 'confirmar-pagamento')
  },
)
