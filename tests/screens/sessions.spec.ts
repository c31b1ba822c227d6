/** Signing in and out, recovery and what the account does with sessions, data and navigation. */

import { AuthService } from '../../web/src/gen/garimpo/auth/v1/auth_service_pb'
import { UserService } from '../../web/src/gen/garimpo/users/v1/user_service_pb'
import { dialog, region } from '../browser/account-page'
import { hold } from '../browser/calls'
import { createAccount } from '../browser/product'
import { inDays } from './messages'
import { expect, test } from './screen-test'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const auth = AuthService.method
const users = UserService.method

test('each refusal of a new password shows its text, or that the link has expired', async ({
  page,
  backend,
}) => {
  backend.returns(auth.checkPasswordReset, {})
  await page.goto('/redefinir-senha?code=valid')
  const send = async () => {
    await page.getByLabel('Nova senha', { exact: true }).fill('nova-senha')
    await page.getByLabel('Confirmar nova senha').fill('nova-senha')
    await page.getByRole('button', { name: 'Redefinir senha' }).click()
  }
  for (const [reason, text] of [
    ['TOO_MANY_REQUESTS', 'Muitas tentativas. Tente novamente mais tarde'],
    ['INTERNAL', 'Não foi possível redefinir a senha. Tente novamente.'],
    ['WEAK_PASSWORD', 'A senha deve ter pelo menos 6 caracteres.'],
    ['RESET_CODE_EXPIRED', 'Este link expirou'],
  ] as const) {
    backend.refuses(auth.confirmPasswordReset, reason)
    await send()
    await expect(page.getByRole('main').getByText(text).first(), reason).toBeVisible()
  }
  await expect(page.getByRole('link', { name: 'Pedir um novo link' })).toHaveAttribute(
    'href',
    '/esqueci-senha',
  )
})

test('a new password leads to the sign-in, which reports it and has the email', async ({ page, backend }) => {
  backend.returns(auth.checkPasswordReset, {})
  backend.returns(auth.confirmPasswordReset, { email: 'ana@exemplo.com.br' })
  await page.goto('/redefinir-senha?code=valid')
  await page.getByLabel('Nova senha', { exact: true }).fill('nova-senha')
  await page.getByLabel('Confirmar nova senha').fill('nova-senha')
  await page.getByRole('button', { name: 'Redefinir senha' }).click()
  await page.waitForURL('**/login')
  await expect(page.getByText('Senha redefinida com sucesso! Entre com a nova senha.')).toBeVisible()
  await expect(page.getByLabel('Email')).toHaveValue('ana@exemplo.com.br')
})

test('an ended session of another device leaves the list, which has the focus', async ({ page, backend }) => {
  const here = { id: 'ses_1', device: 'Chrome no Linux', createdAt: inDays(-1), current: true }
  const phone = { id: 'ses_2', device: '', lastSeenAt: inDays(-1) }
  backend.returns(auth.listSessions, { sessions: [here, phone] })
  await createAccount(page)
  await page.goto('/area-usuario')
  const security = region(page, 'Segurança')
  await expect(security.getByRole('listitem')).toHaveText([
    /Chrome no Linux.*Este aparelho/,
    /Aparelho desconhecido/,
  ])
  backend.returns(auth.listSessions, { sessions: [here] })
  await security.getByRole('button', { name: 'Encerrar a sessão: Aparelho desconhecido' }).click()

  await expect(security.getByRole('listitem')).toHaveCount(1)
  await expect(security.getByRole('list', { name: 'Aparelhos conectados' })).toBeFocused()
})

test('before a deletion the account states the plan, the refund and the boleto that end with it', async ({
  page,
  backend,
}) => {
  await createAccount(page)
  for (const [preview, said] of [
    [{ planId: 'elite_nivel_2', paidUntil: inDays(10) }, 'Sua assinatura do Elite Nível 2 termina.'],
    [{ refundCentavos: 21_790n, refundMethod: 'card' }, /Devolvemos R\$\s217,90 no seu cartão\./],
    [{ voidsBoleto: true }, 'O boleto em aberto é cancelado: não pague.'],
  ] as const) {
    backend.returns(users.previewMyDeletion, preview)
    await page.goto('/area-usuario')
    await page.getByRole('button', { name: 'Excluir minha conta' }).click()
    await expect(dialog(page).getByText(said)).toBeVisible()
  }
})

test('a deletion with the wrong password keeps the account, and with the right one shows its protocol', async ({
  page,
}) => {
  const { password } = await createAccount(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Excluir minha conta' }).click()
  const send = dialog(page).getByRole('button', { name: 'Excluir minha conta' })
  await dialog(page).getByLabel('Sua senha').fill('errada1')
  await send.click()
  await expect(dialog(page).getByText('Senha incorreta')).toBeVisible()
  await dialog(page).getByLabel('Sua senha').fill(password)
  await send.click()

  await page.waitForURL('**/conta-excluida')
  await expect(page.getByRole('definition')).toHaveText('2026-1130-0001')
  expect(await page.evaluate(() => localStorage.getItem('uid'))).toBeNull()
})

test('a corrected email stands in the profile, and the notice names it', async ({ page }) => {
  const { password } = await createAccount(page)
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Corrigir email' }).click()
  await dialog(page).getByLabel('Email certo').fill('certa@exemplo.com.br')
  await dialog(page).getByLabel('Sua senha').fill(password)
  await dialog(page).getByRole('button', { name: 'Corrigir', exact: true }).click()
  await expect(page.getByText('Enviamos o link de confirmação para certa@exemplo.com.br.')).toBeVisible()
  await expect(region(page, 'Perfil').getByText('certa@exemplo.com.br')).toBeVisible()
})

test('a refused phone number is shown at its field', async ({ page, backend }) => {
  await createAccount(page)
  backend.refuses(users.saveUser, 'INVALID_PHONE')
  await page.goto('/area-usuario')
  await page.getByRole('button', { name: 'Editar perfil' }).click()
  await dialog(page).getByRole('button', { name: 'Salvar' }).click()
  const field = dialog(page).getByLabel('WhatsApp (opcional)')
  await expect(field).toHaveAccessibleDescription(/Digite um número de WhatsApp válido com DDD\./)
})

test('the account shows at once on the way back, while it is read again', async ({ page }) => {
  await createAccount(page)
  await page.goto('/area-usuario')
  const title = page.getByRole('heading', { name: 'Ana Maria Souza' })
  await expect(title).toBeVisible()
  await page.evaluate(() => {
    history.pushState({ key: 'next', idx: 1 }, '', '/account-confirmation')
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
  })
  await expect(page.getByRole('heading', { name: 'Conta criada com sucesso!' })).toBeVisible()
  const release = await hold(page, '**/GetUser')
  await page.goBack()
  await expect(title).toBeVisible()
  await expect(page.getByText('Carregando...')).toHaveCount(0)
  await release()
})
