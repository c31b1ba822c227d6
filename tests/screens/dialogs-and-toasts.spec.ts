/** Dialogs and toasts of the account: borders, focus, and clicks outside. */

import type { Page } from '@playwright/test'
import { AuthService } from '../../web/src/gen/garimpo/auth/v1/auth_service_pb'
import { BillingService } from '../../web/src/gen/garimpo/billing/v1/billing_service_pb'
import { boxOf, expectAccessible } from '../browser/accessibility'
import { dialog, region, toast } from '../browser/account-page'
import { createAccount } from '../browser/product'
import { createSubscriber } from './account'
import { monthlyOf, preview } from './messages'
import { expect, test } from './screen-test'

// On a phone the parts of the account are folded.
test.use({ viewport: { width: 1280, height: 844 } })

const security = (page: Page) => region(page, 'Segurança')
const profile = (page: Page) => region(page, 'Perfil')

async function openAccount(page: Page) {
  await createAccount(page)
  await page.goto('/area-usuario')
  await expect(security(page).getByRole('listitem')).toHaveCount(1)
}

test('in forced colors dialog, badge and toast have a border, and the focus is visible', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await openAccount(page)
  const hasEdge = (element: Element) => {
    const { borderTopWidth, borderTopColor, outlineWidth, outlineColor, outlineStyle, backgroundColor } =
      getComputedStyle(element)
    const bordered = Number.parseFloat(borderTopWidth) > 0 && borderTopColor !== backgroundColor
    return (
      bordered ||
      (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0 && outlineColor !== backgroundColor)
    )
  }
  expect(await page.getByText('Este aparelho', { exact: true }).evaluate(hasEdge)).toBe(true)
  await security(page).getByRole('button', { name: 'Trocar senha' }).click()
  await expect(dialog(page).getByLabel('Senha atual')).toBeFocused()
  expect(await dialog(page).evaluate(hasEdge)).toBe(true)
  expect(await dialog(page).getByLabel('Senha atual').evaluate(hasEdge)).toBe(true)
  await page.keyboard.press('Escape')
  await profile(page).getByRole('button', { name: 'Enviar link novamente' }).click()
  const notice = page.getByRole('status').filter({ hasText: 'Link enviado' })
  await expect(notice).toBeVisible()
  expect(await notice.evaluate(hasEdge)).toBe(true)
})

test('the notice of an error has another role and another colour than that of a success', async ({
  page,
  backend,
}) => {
  await openAccount(page)
  const notices = page.getByRole('region', { name: 'Avisos' })
  const edge = (element: Element) => getComputedStyle(element).borderLeftColor
  const send = profile(page).getByRole('button', { name: 'Enviar link novamente' })
  await send.click()
  const success = notices.getByRole('status')
  await expect(success).toContainText('Link enviado')
  const successEdge = await success.evaluate(edge)

  backend.refuses(AuthService.method.requestEmailVerification, 'TOO_MANY_REQUESTS')
  await send.click()
  const error = notices.getByRole('alert')
  await expect(error).toContainText('Muitas tentativas')
  expect(await error.evaluate(edge)).not.toBe(successEdge)
  await expect(success).toHaveCount(0)
})

test('closing a toast acts on nothing below it, and a drag out of a dialog does not close the dialog', async ({
  page,
}) => {
  await openAccount(page)
  await page.setViewportSize({ width: 390, height: 664 })
  const edit = page.getByRole('button', { name: 'Editar perfil' })
  await edit.click()
  await dialog(page).getByLabel('Nome').fill('Ana Maria')
  await dialog(page).getByRole('button', { name: 'Salvar' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(toast(page, 'Perfil atualizado')).toBeVisible()

  await edit.click()
  const name = dialog(page).getByLabel('Nome')
  await name.fill('Ana Clara')
  // The toast is inside the newest dialog and does not cover its buttons.
  const warned = await boxOf(page.getByRole('region', { name: 'Avisos' }))
  const save = await boxOf(dialog(page).getByRole('button', { name: 'Salvar' }))
  expect(warned.bottom).toBeLessThanOrEqual(save.y)
  await page.getByRole('button', { name: 'Fechar aviso' }).click()
  await expect(toast(page, 'Perfil atualizado')).toHaveCount(0)
  await expect(name).toHaveValue('Ana Clara')

  const { x, y } = await boxOf(name)
  await page.mouse.move(x + 40, y + 20)
  await page.mouse.down()
  await page.mouse.move(4, y + 20)
  await page.mouse.up()
  await expect(name).toHaveValue('Ana Clara')
  await page.mouse.click(4, 4)
  await expect(dialog(page)).toHaveCount(0)
})

test('a failed call returns the focus to its button, and the password field has it when it appears', async ({
  page,
  pageErrors,
}) => {
  await openAccount(page)
  await page.getByRole('button', { name: 'Excluir minha conta' }).click()
  const password = dialog(page).getByLabel('Sua senha')
  await expect(password).toBeFocused()
  await password.fill('segredo1')
  await page.route('**/DeleteMyAccount', (route) => route.abort())
  const send = dialog(page).getByRole('button', { name: 'Excluir minha conta' })
  await send.focus()
  await page.keyboard.press('Enter')
  await expect(dialog(page).getByRole('alert')).toBeVisible()
  await expect(send).toBeFocused()
  await expect(page.getByRole('region', { name: 'Avisos' }).getByRole('alert')).toHaveCount(0)
  pageErrors.expect(/ERR_FAILED .*DeleteMyAccount/)
})

test('on a small screen each dialog, and each of its steps, opens at its heading', async ({
  page,
  backend,
}) => {
  await page.setViewportSize({ width: 360, height: 640 })
  // Near the end of the list of plans.
  await createSubscriber(page, backend, monthlyOf('elite_pro_2'))
  backend.returns(BillingService.method.previewPlanChange, preview({ planId: 'elite_pro_6' }))
  await page.goto('/area-usuario')
  const expectOpenAtTop = async (title: string, line: string) => {
    await expect(dialog(page).getByRole('heading', { name: title })).toBeInViewport({ ratio: 1 })
    await expect(dialog(page).getByText(line).first()).toBeInViewport({ ratio: 1 })
  }
  await page.getByRole('button', { name: 'Fazer Upgrade' }).click()
  await expect(dialog(page).getByRole('radio', { name: 'Elite PRO 2 Seu plano' })).toBeChecked()
  await expect(dialog(page).getByRole('radio', { name: 'Mensal' })).toBeFocused()
  await expectOpenAtTop('Mudar de plano', 'Você vê o valor exato antes de confirmar.')
  await dialog(page).getByText('Mais 3 planos do Elite PRO').click()
  await dialog(page).getByRole('radio', { name: 'Elite PRO 6' }).check()
  await dialog(page).getByRole('button', { name: 'Ver valores' }).click()
  await expect(dialog(page).getByRole('button', { name: /^Mudar e pagar/ })).toBeVisible()
  await expectOpenAtTop('Confira a mudança', 'Elite PRO 2, mensal')
  await expectAccessible(page, 'dialog')
  // The chosen plan is in view again.
  await dialog(page).getByRole('button', { name: 'Voltar' }).click()
  await expect(dialog(page).getByRole('radio', { name: 'Elite PRO 6' })).toBeInViewport()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Cancelar assinatura' }).click()
  await expectOpenAtTop('Cancelar assinatura', 'Seu acesso ao Elite PRO 2 continua até')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Seus dados' }).click()
  await page.getByRole('button', { name: 'Excluir minha conta' }).click()
  await expect(dialog(page).getByLabel('Sua senha')).toBeFocused()
  await expectOpenAtTop('Excluir minha conta', 'A exclusão é imediata e definitiva:')
})

test('only the newest toast is shown', async ({ page }) => {
  await openAccount(page)
  const toasts = page.getByRole('region', { name: 'Avisos' }).getByRole('status')
  await profile(page).getByRole('button', { name: 'Enviar link novamente' }).click()
  await expect(toasts).toContainText('Link enviado')
  await page.getByRole('button', { name: 'Baixar meus dados' }).click()
  await expect(toasts).toContainText('Seus dados foram baixados')
})
