/** /cadastro with a mistyped email, empty fields or no connection. */
import { expectAccessible, expectFits } from '../browser/accessibility'
import { goOffline } from '../browser/calls'
import { newPerson, signUp } from '../browser/product'
import { expect, test } from './screen-test'

test('a mistyped domain is asked about, and a press corrects it', async ({ page }) => {
  await page.goto('/cadastro')
  const email = page.getByLabel('Email')
  await email.pressSequentially('ana@gmial.com')
  const correct = page.getByRole('button', { name: 'Você quis dizer ana@gmail.com?' })
  await expect(correct).toBeVisible()
  await expectAccessible(page)
  await expectFits(page, 320)

  await correct.click()
  await expect(email).toHaveValue('ana@gmail.com')
  await expect(email).toBeFocused()
  await expect(correct).toHaveCount(0)

  // Still being typed, and then not.
  await email.fill('ana@hotmail.co')
  await expect(page.getByRole('button', { name: /Você quis dizer/ })).toHaveCount(0)
  await email.press('Tab')
  await expect(page.getByRole('button', { name: 'Você quis dizer ana@hotmail.com?' })).toBeVisible()
})

test('an address that looks mistyped signs up all the same', async ({ page }) => {
  const ana = { ...newPerson(), email: `ana.${Date.now()}@gmial.com` }
  await page.goto('/cadastro')
  await signUp(page, ana)
  await page.waitForURL('**/account-confirmation')
})

test('each empty field of the sign-up has its error', async ({ page }) => {
  const required = 'Por favor, preencha todos os campos obrigatórios.'
  await page.goto('/cadastro')
  await page.getByRole('button', { name: 'Criar conta' }).click()
  for (const label of ['Nome completo', 'Email', 'Senha']) {
    const field = page.getByLabel(label, { exact: true })
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect(field).toHaveAccessibleDescription(required)
  }
  await expect(page.getByLabel('Nome completo')).toBeFocused()
  await expect(page.getByLabel('WhatsApp')).not.toHaveAttribute('aria-invalid')
})

test('a sign-up without a connection says that there is none', async ({ page, context, pageErrors }) => {
  await page.goto('/cadastro')
  await page.getByLabel('Nome completo').focus()
  await expect(page.getByRole('button', { name: 'Criar conta' })).toBeEnabled()
  await goOffline(page)
  await signUp(page, newPerson())

  const offline = page.getByText('Não conseguimos falar com o servidor. Confira a internet e tente de novo.')
  await expect(offline.first()).toBeVisible()
  await expect(page.getByText('Ocorreu um erro ao criar sua conta.')).toHaveCount(0)

  await context.setOffline(false)
  await page.getByRole('button', { name: 'Criar conta' }).click()
  await page.waitForURL('**/account-confirmation')
  pageErrors.expect(/ERR_INTERNET_DISCONNECTED/)
})
