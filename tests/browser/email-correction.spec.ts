/** A mistyped email is corrected in the user area, as long as it is not confirmed. */
import { expectAccessible, expectFitsEveryWidth } from './accessibility'
import {
  createAccount,
  expect,
  newPerson,
  type Product,
  productPerTest,
  test,
  waitForMailedLink,
} from './product'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

/** Confirmations of one client beyond 20 an hour wait, so these have a product of their own. */
const isolatedTest = test.extend<{ product: Product }>(productPerTest())

isolatedTest('a corrected email gets the link, and the old link is dead', async ({ page, product }) => {
  const typo = await createAccount(page)
  const meant = newPerson().email
  const old = await waitForMailedLink(product, typo.email, '/confirmar-email', 1)
  await page.goto('/area-usuario')
  const profile = page.getByRole('region', { name: 'Perfil', exact: true })
  const dialog = page.getByRole('dialog')
  await profile.getByRole('button', { name: 'Corrigir email' }).click()
  const email = dialog.getByLabel('Email certo')
  await expect(email).toHaveValue(typo.email)
  await expectAccessible(page)
  await expectFitsEveryWidth(page)

  await dialog.getByRole('button', { name: 'Corrigir', exact: true }).click()
  await expect(dialog.getByLabel('Sua senha')).toHaveAttribute('aria-invalid', 'true')
  await email.fill('ana@exemplo')
  await dialog.getByLabel('Sua senha').fill('errada!')
  await dialog.getByRole('button', { name: 'Corrigir', exact: true }).click()
  await expect(dialog.getByText('Digite um email válido.')).toBeVisible()
  await email.fill(meant)
  await dialog.getByRole('button', { name: 'Corrigir', exact: true }).click()
  await expect(dialog.getByText('Senha incorreta')).toBeVisible()
  await dialog.getByLabel('Sua senha').fill(typo.password)
  await dialog.getByRole('button', { name: 'Corrigir', exact: true }).click()

  await expect(page.getByText(`Enviamos o link de confirmação para ${meant}.`)).toBeVisible()
  await expect(profile.getByText(meant.replace(/@.*/, ''))).toBeVisible()
  const link = await waitForMailedLink(product, meant, '/confirmar-email', 1)
  await page.goto(old)
  await page.getByRole('button', { name: 'Confirmar meu email' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Este link não vale mais' })).toBeVisible()
  await page.goto(link)
  await page.getByRole('button', { name: 'Confirmar meu email' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Email confirmado' })).toBeVisible()
})
