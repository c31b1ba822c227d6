/** Data rights: the export of personal data and the deletion of the account. */

import type { Page } from '@playwright/test'
import { expectAccessible } from '../browser/accessibility'
import { dialog } from '../browser/account-page'
import { failCall } from '../browser/calls'
import { createAccount, type Person } from '../browser/product'
import { expect, test } from './screen-test'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

async function openAccount(page: Page): Promise<Person> {
  const who = await createAccount(page)
  await page.goto('/area-usuario')
  await expect(page.getByRole('button', { name: 'Baixar meus dados' })).toBeVisible()
  return who
}

test('each failure of the deletion has its message, and nothing is lost', async ({ page }) => {
  const ana = await openAccount(page)
  const form = dialog(page)
  await failCall(page, 'PreviewMyDeletion', 'INTERNAL')
  await page.getByRole('button', { name: 'Excluir minha conta' }).click()
  await expect(
    form.getByText('Não conseguimos conferir o que você perderia. Nada foi excluído.'),
  ).toBeVisible()
  await expectAccessible(page)
  await page.unroute('**/PreviewMyDeletion')
  await form.getByRole('button', { name: 'Tentar novamente' }).click()
  for (const [reason, text] of [
    ['TOO_MANY_REQUESTS', 'Muitas tentativas. Tente novamente mais tarde'],
    ['INTERNAL', 'Não foi possível confirmar a exclusão. Tente novamente.'],
  ] as const) {
    await failCall(page, 'DeleteMyAccount', reason)
    await form.getByLabel('Sua senha').fill(ana.password)
    await form.getByRole('button', { name: 'Excluir minha conta' }).click()
    await expect(form.getByText(text)).toBeVisible()
  }
  await form.getByRole('button', { name: 'Voltar' }).click()
  await page.reload()
  await expect(page.getByRole('heading', { name: ana.name })).toBeVisible()
})
