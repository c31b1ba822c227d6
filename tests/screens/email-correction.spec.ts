/** A mistyped email is corrected in the user area, as long as it is not confirmed. */
import { failCall } from '../browser/calls'
import { createAccount } from '../browser/product'
import { expect, test } from './screen-test'

test('each refusal of a correction has its sentence', async ({ page }) => {
  const ana = await createAccount(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Corrigir email' }).click()
  const dialog = page.getByRole('dialog')
  for (const [reason, text] of [
    ['EMAIL_IN_USE', 'Este email já está em uso em outra conta.'],
    ['EMAIL_CONFIRMED', 'Este email já foi confirmado e não pode mais ser trocado.'],
    ['TOO_MANY_REQUESTS', 'Muitas tentativas. Tente novamente mais tarde'],
    ['INTERNAL', 'Não foi possível corrigir o email. Tente novamente.'],
  ] as const) {
    await failCall(page, 'CorrectEmail', reason)
    await dialog.getByLabel('Email certo').fill(`outra.${ana.email}`)
    await dialog.getByLabel('Sua senha').fill(ana.password)
    await dialog.getByRole('button', { name: 'Corrigir', exact: true }).click()
    await expect(dialog.getByText(text).first()).toBeVisible()
    await page.unroute('**/CorrectEmail')
  }
})
