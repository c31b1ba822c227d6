import type { Browser, Page } from '@playwright/test'
import { openedSession } from './payment-frame'
import { expect, type Person, type Product, person, signIn, signUp, test } from './product'

const kept = (page: Page) => page.getByRole('region', { name: 'Seu cupom' })
const elite = (page: Page) => page.getByRole('region', { name: 'Elite', exact: true })
const code = (page: Page) => page.evaluate(() => localStorage.getItem('promoCode'))

/** Somebody who signs up in this browser, brought by BF40. */
async function signsUpWithCoupon(page: Page): Promise<Person> {
  const who = person()
  await page.goto('/promo?promo=blackfriday')
  await expect.poll(() => code(page)).toBe('blackfriday')
  await page.goto('/cadastro')
  await signUp(page, who)
  await page.waitForURL('**/account-confirmation')
  return who
}

/** Another device of the person, signed in. */
async function entersElsewhere(browser: Browser, product: Product, who: Person): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: product.url })).newPage()
  await page.goto('/login')
  await signIn(page, who)
  await page.waitForURL('**/area-usuario')
  await expect(page.getByRole('region', { name: 'Você está no teste grátis' })).toBeVisible()
  return page
}

/** Removes the coupon, also from the account. */
async function removesCoupon(page: Page) {
  const removed = page.waitForResponse('**/RemovePromotion')
  await kept(page).getByRole('button', { name: 'Remover cupom' }).click()
  expect((await removed).ok()).toBe(true)
}

async function isNotOffered(page: Page) {
  await page.goto('/planos')
  await expect.poll(() => code(page)).toBeNull()
  await expect(elite(page)).not.toContainText('no 1º mês')
  await expect(kept(page)).toHaveCount(0)
}

test('o cupom do cadastro é oferecido em outro aparelho, pelo preço que o checkout cobra', async ({
  page,
  browser,
  product,
}) => {
  const who = await signsUpWithCoupon(page)
  const elsewhere = await entersElsewhere(browser, product, who)
  await expect(kept(elsewhere)).toContainText('Seu cupom BF40 ainda vale.')
  await elsewhere.goto('/planos')
  await elite(elsewhere).getByRole('tab', { name: 'Nível 2', exact: true }).click()
  await expect(elite(elsewhere)).toContainText(/R\$\s*130,74\s*no 1º mês/)
  await elite(elsewhere).getByRole('button', { name: 'Assinar Agora' }).click()
  await elsewhere.waitForURL('**/upsell')
  const popup = elsewhere.waitForEvent('popup')
  await elsewhere.getByRole('button', { name: 'Continuar com o plano mensal' }).click()
  const tab = await popup
  await openedSession(tab)
  await expect(tab.getByRole('complementary', { name: 'Resumo' })).toContainText(
    /Cobrado hoje\s*R\$\s*130,74/,
  )
})

test('o cupom removido em um aparelho deixa de ser oferecido no outro, e um link da promoção o traz de volta', async ({
  page,
  browser,
  product,
}) => {
  const who = await signsUpWithCoupon(page)
  const elsewhere = await entersElsewhere(browser, product, who)
  await removesCoupon(elsewhere)
  await isNotOffered(page)
  await isNotOffered(elsewhere)

  await page.goto('/planos?promo=blackfriday')
  await expect(kept(page)).toContainText('Seu cupom BF40 vale aqui.')
})

test('quem remove o cupom antes de entrar não o vê ao entrar, nem em outro aparelho', async ({
  page,
  browser,
  product,
}) => {
  const who = await signsUpWithCoupon(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Sair', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'A promoção certa' })).toBeVisible()
  await page.goto('/planos')
  await kept(page).getByRole('button', { name: 'Remover cupom' }).click()
  await expect(kept(page)).toHaveCount(0)
  await page.goto('/login')
  const removed = page.waitForResponse('**/RemovePromotion')
  await signIn(page, who)
  expect((await removed).ok()).toBe(true)
  await isNotOffered(page)

  await isNotOffered(await entersElsewhere(browser, product, who))
})
