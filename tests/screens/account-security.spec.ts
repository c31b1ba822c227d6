/** Devices, password, profile and email of the account. */

import type { Page } from '@playwright/test'
import { expectAccessible } from '../browser/accessibility'
import { devices, dialog, openNewAccount, region, security, toast } from '../browser/account-page'
import { failCall, hold } from '../browser/calls'
import { createAccount, newPerson, signUp } from '../browser/product'
import { expect, test } from './screen-test'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const profile = (page: Page) => region(page, 'Perfil')

test('each failure of the confirmation link has its message', async ({ page }) => {
  for (const [reason, text] of [
    ['TOO_MANY_REQUESTS', 'Muitas tentativas. Tente novamente mais tarde'],
    ['INTERNAL', 'Não foi possível confirmar o email. Tente novamente.'],
    ['EMAIL_CODE_EXPIRED', 'Este link expirou'],
  ] as const) {
    await failCall(page, 'ConfirmEmail', reason)
    await page.goto('/confirmar-email?code=inventado')
    await page.getByRole('button', { name: 'Confirmar meu email' }).click()
    await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
    await expectAccessible(page)
  }
})

test('each part of the account that fails shows the error and can be tried again', async ({ page }) => {
  const ana = await createAccount(page)
  const answer = await hold(page, '**/ListSessions')
  await page.goto('/area-usuario')
  await expect(security(page).getByText('Carregando aparelhos...')).toBeVisible()
  await expectAccessible(page)
  await answer()
  await expect(devices(page)).toHaveCount(1)

  await failCall(page, 'ListSessions', 'INTERNAL')
  await page.reload()
  await expect(security(page).getByText('Não conseguimos listar seus aparelhos.')).toBeVisible()
  await expectAccessible(page)
  await page.unroute('**/ListSessions')
  await security(page).getByRole('button', { name: 'Buscar de novo' }).click()
  await expect(devices(page)).toHaveCount(1)

  for (const [method, button, refused, other] of [
    [
      'RequestEmailVerification',
      'Enviar link novamente',
      'Muitas tentativas. Tente novamente mais tarde',
      'Não foi possível enviar o link. Tente novamente.',
    ],
    [
      'ExportMyData',
      'Baixar meus dados',
      'Muitas tentativas. Tente novamente mais tarde',
      'Não foi possível preparar seus dados. Tente novamente.',
    ],
  ] as const) {
    for (const [reason, text] of [
      ['TOO_MANY_REQUESTS', refused],
      ['INTERNAL', other],
    ] as const) {
      await failCall(page, method, reason)
      await page.getByRole('button', { name: button }).click()
      await expect(toast(page, text)).toBeVisible()
    }
  }
  await failCall(page, 'RevokeSession', 'INTERNAL')
  await security(page).getByRole('button', { name: 'Encerrar todas as sessões' }).click()
  await expect(toast(page, 'Não foi possível encerrar a sessão. Tente novamente.')).toBeVisible()

  const form = dialog(page)
  for (const [reason, text] of [
    ['TOO_MANY_REQUESTS', 'Muitas tentativas. Tente novamente mais tarde'],
    ['INTERNAL', 'Não foi possível trocar a senha. Tente novamente.'],
  ] as const) {
    await failCall(page, 'ChangePassword', reason)
    await security(page).getByRole('button', { name: 'Trocar senha' }).click()
    await form.getByLabel('Senha atual').fill(ana.password)
    await form.getByLabel('Nova senha', { exact: true }).fill('novasenha')
    await form.getByLabel('Confirmar nova senha').fill('novasenha')
    await form.getByRole('button', { name: 'Trocar senha' }).click()
    await expect(form.getByText(text)).toBeVisible()
    await form.getByRole('button', { name: 'Voltar' }).click()
  }
  await failCall(page, 'SaveUser', 'INTERNAL')
  await profile(page).getByRole('button', { name: 'Editar perfil' }).click()
  await form.getByRole('button', { name: 'Salvar' }).click()
  await expect(form.getByText('Não foi possível salvar o perfil. Tente novamente.')).toBeVisible()
  await expectAccessible(page)
})

test('a removed WhatsApp number does not return from the sign-up', async ({ page }) => {
  await page.goto('/cadastro')
  await page.getByLabel('WhatsApp (opcional)').fill('31998761234')
  await signUp(page, newPerson())
  await page.waitForURL('**/account-confirmation')
  await page.goto('/area-usuario')
  await expect(profile(page)).toContainText('(31) 99876-1234')
  await profile(page).getByRole('button', { name: 'Editar perfil' }).click()
  await dialog(page).getByLabel('WhatsApp (opcional)').fill('')
  await dialog(page).getByRole('button', { name: 'Salvar' }).click()
  await expect(profile(page)).toContainText('Não informado')
  await page.reload()
  await expect(profile(page)).toContainText('Não informado')
})

test('a session ended elsewhere leads to the sign-in with the reason, not to another try', async ({
  page,
}) => {
  await openNewAccount(page)
  await profile(page).getByRole('button', { name: 'Editar perfil' }).click()
  await page.context().clearCookies()
  await dialog(page).getByRole('button', { name: 'Salvar' }).click()

  await page.waitForURL('**/login')
  await expect(toast(page, 'Sua sessão terminou. Entre de novo.')).toBeVisible()
  await expect(page.getByText('Não foi possível salvar o perfil')).toHaveCount(0)
})
