import type { Browser, Page } from '@playwright/test'
import { waitForCheckoutSession } from './payment-frame'
import { expect, newPerson, type Person, type Product, signIn, signUp, test } from './product'

const keptCoupon = (page: Page) => page.getByRole('region', { name: 'Seu cupom' })
const elite = (page: Page) => page.getByRole('region', { name: 'Elite', exact: true })
const readPromoCode = (page: Page) => page.evaluate(() => localStorage.getItem('promoCode'))

/** Follows the link of BF40 and signs up. */
async function signUpWithCoupon(page: Page): Promise<Person> {
  const who = newPerson()
  await page.goto('/promo?promo=blackfriday')
  await expect.poll(() => readPromoCode(page)).toBe('blackfriday')
  await page.goto('/cadastro')
  await signUp(page, who)
  await page.waitForURL('**/account-confirmation')
  return who
}

/** Signs in on another device. */
async function signInElsewhere(browser: Browser, product: Product, who: Person): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: product.url })).newPage()
  await page.goto('/login')
  await signIn(page, who)
  await page.waitForURL('**/area-usuario')
  await expect(page.getByRole('region', { name: 'Você está no teste grátis' })).toBeVisible()
  return page
}

/** Removes the coupon, also from the account. */
async function removeCoupon(page: Page) {
  const removed = page.waitForResponse('**/RemovePromotion')
  await keptCoupon(page).getByRole('button', { name: 'Remover cupom' }).click()
  expect((await removed).ok()).toBe(true)
}

async function expectNotOffered(page: Page) {
  await page.goto('/planos')
  await expect.poll(() => readPromoCode(page)).toBeNull()
  await expect(elite(page)).not.toContainText('no 1º mês')
  await expect(keptCoupon(page)).toHaveCount(0)
}

test('the coupon of the sign-up is offered on another device at the price that the checkout charges', async ({
  page,
  browser,
  product,
}) => {
  const who = await signUpWithCoupon(page)
  const elsewhere = await signInElsewhere(browser, product, who)
  await expect(keptCoupon(elsewhere)).toContainText('Seu cupom BF40 ainda vale.')
  await elsewhere.goto('/planos')
  // It moves the cards down.
  await expect(keptCoupon(elsewhere)).toBeVisible()
  await elite(elsewhere).getByRole('tab', { name: 'Nível 2' }).click()
  await expect(elite(elsewhere)).toContainText(/R\$\s*130,74\s*no 1º mês/)
  await elite(elsewhere).getByRole('button', { name: 'Assinar Agora' }).click()
  await elsewhere.waitForURL('**/upsell')
  const popup = elsewhere.waitForEvent('popup')
  await elsewhere.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const tab = await popup
  await waitForCheckoutSession(tab)
  await expect(tab.getByRole('complementary', { name: 'Resumo' })).toContainText(
    /Cobrado hoje\s*R\$\s*130,74/,
  )
})

test('a coupon removed on one device is not offered on the other, and a promotion link restores it', async ({
  page,
  browser,
  product,
}) => {
  const who = await signUpWithCoupon(page)
  const elsewhere = await signInElsewhere(browser, product, who)
  await removeCoupon(elsewhere)
  await expectNotOffered(page)
  await expectNotOffered(elsewhere)

  await page.goto('/planos?promo=blackfriday')
  await expect(keptCoupon(page)).toContainText('Seu cupom BF40 vale aqui.')
})

test('a coupon removed before the sign-in is not shown after it, nor on another device', async ({
  page,
  browser,
  product,
}) => {
  const who = await signUpWithCoupon(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Sair', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'A promoção certa' })).toBeVisible()
  await page.goto('/planos')
  await keptCoupon(page).getByRole('button', { name: 'Remover cupom' }).click()
  await expect(keptCoupon(page)).toHaveCount(0)
  await page.goto('/login')
  const removed = page.waitForResponse('**/RemovePromotion')
  await signIn(page, who)
  expect((await removed).ok()).toBe(true)
  await expectNotOffered(page)

  await expectNotOffered(await signInElsewhere(browser, product, who))
})
